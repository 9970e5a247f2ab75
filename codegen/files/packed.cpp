// Interface: packed.h. Covered by tests/codegen/packed_test.cpp.
#include "codegen/files/packed.h"

#include <zstd.h>

#include <memory>
#include <string_view>

namespace gpx {
namespace {

std::span<const std::uint8_t> view_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace

std::vector<std::uint8_t> pack(std::span<const std::uint8_t> bytes, int level) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(),
                                                                     &ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::vector<std::uint8_t> packed(ZSTD_compressBound(bytes.size()));
  packed.resize(
      ZSTD_compress2(context.get(), packed.data(), packed.size(), bytes.data(), bytes.size()));
  return packed;
}

std::vector<std::uint8_t> pack(const std::string& text, int level) {
  return pack(view_of(text), level);
}

std::optional<std::vector<std::uint8_t>> unpack(std::span<const std::uint8_t> packed,
                                                std::uint64_t most) {
  const auto size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > most)
    return std::nullopt;
  std::vector<std::uint8_t> bytes(size);
  const std::size_t got = ZSTD_decompress(bytes.data(), bytes.size(), packed.data(), packed.size());
  if (ZSTD_isError(got) || got != bytes.size()) return std::nullopt;
  return bytes;
}

std::optional<std::string> unpacked_text(std::string text, std::uint64_t most) {
  constexpr std::string_view kMagic = "\x28\xb5\x2f\xfd";
  if (!text.starts_with(kMagic)) return text;
  const auto bytes = unpack(view_of(text), most);
  if (!bytes) return std::nullopt;
  return std::string(bytes->begin(), bytes->end());
}

}  // namespace gpx
