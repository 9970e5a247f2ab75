// Interface: npy.h. Covered by tests/codegen/npy_test.cpp.
#include "codegen/user/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace gpx::codegen {
namespace {

using Unexpected = tl::unexpected<std::string>;

/// The types of NumPy that an element may be: "<f4", "|u1"; bf16 has none.
std::string_view types_of(Element element) {
  constexpr std::array<std::string_view, 8> kTypes = {
      "|i1 |u1 |b1", "<i2 <u2", "<i4 <u4", "<i8 <u8", "<f2", "", "<f4", "<f8"};
  return kTypes[static_cast<std::size_t>(element)];
}

/// The text behind "'key':" of the header, up to the comma that ends it.
std::string_view field(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(fmt::format("'{}':", key));
  if (at == header.npos) return {};
  header.remove_prefix(at + key.size() + 3);
  header.remove_prefix(std::min(header.find_first_not_of(' '), header.size()));
  return header.substr(0, header.find(','));
}

}  // namespace

tl::expected<std::size_t, std::string> npy_data(const std::string& text, Element element) {
  constexpr std::string_view kNumpyMagic = "\x93NUMPY";
  if (!text.starts_with(kNumpyMagic) || text.size() < 12) return Unexpected("it is no .npy file");
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const bool wide = byte(6) >= 2;
  const std::size_t begin = wide ? 12 : 10;
  std::size_t size = byte(8) | std::size_t{byte(9)} << 8;
  if (wide) size |= std::size_t{byte(10)} << 16 | std::size_t{byte(11)} << 24;
  if (begin + size > text.size()) return Unexpected("its header is cut off");
  const std::string_view header = std::string_view(text).substr(begin, size);
  const std::string_view descr = field(header, "descr");
  const std::string type(descr.size() > 2 ? descr.substr(1, descr.size() - 2) : descr);
  const std::string_view wanted = types_of(element);
  if (wanted.empty())
    return Unexpected("NumPy has no type of bf16; a file such as \"data.raw\" has its bytes");
  if (type.empty() || wanted.find(type) == wanted.npos)
    return Unexpected(fmt::format("its numbers are {}, the elements are {}", type, wanted));
  if (field(header, "fortran_order") != "False") return Unexpected("it is in Fortran order");
  return begin + size;
}

tl::expected<std::string, std::string> npy_header(Element element, bool is_signed,
                                                  std::uint64_t count) {
  const std::string_view types = types_of(element);
  if (types.empty())
    return Unexpected("NumPy has no type of bf16; a file such as \"out.raw\" takes its bytes");
  const std::string_view type = types.substr(!is_real(element) && !is_signed ? 4 : 0, 3);
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({},), }}", type, count);
  constexpr std::size_t kBefore = 10, kAlign = 64;
  while ((kBefore + header.size() + 1) % kAlign != 0) header += ' ';
  header += '\n';
  std::string text("\x93NUMPY\x01\x00", 8);
  text += static_cast<char>(header.size() & 0xff);
  text += static_cast<char>(header.size() >> 8);
  return text + header;
}

}  // namespace gpx::codegen
