#include "codegen/user/contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "codegen/files/files.h"
#include "codegen/ptx/half.h"
#include "codegen/user/npy.h"

namespace gpx::codegen {
namespace {

using Unexpected = tl::unexpected<std::string>;

/// Bits of a number below 2^bits put in another order; invertible.
struct Mixer {
  unsigned bits;
  std::uint64_t mask, factor, inverse;

  Mixer(unsigned width, std::uint64_t seed)
      : bits(width), mask((std::uint64_t{1} << width) - 1), factor((seed * 2 + 1) | 1) {
    factor = (factor * 0x9E3779B97F4A7C15u) | 1;
    inverse = factor;  // Newton's steps modulo 2^64: each doubles the bits that are right.
    for (int step = 0; step < 6; ++step) inverse *= 2 - factor * inverse;
  }
  std::uint64_t fold(std::uint64_t x) const { return x ^ (x >> ((bits + 1) / 2)); }
  std::uint64_t mix(std::uint64_t x) const { return fold((fold(x) * factor) & mask); }
  std::uint64_t unmix(std::uint64_t x) const { return fold((fold(x) * inverse) & mask); }
};

}  // namespace

tl::expected<std::vector<std::uint64_t>, std::string> file_words(const std::string& path,
                                                                 std::uint64_t bytes,
                                                                 Element element, Extra extra) {
  if (bytes > kMostFileBytes)
    return Unexpected(fmt::format("at most {} MB of a file can be given", kMostFileBytes >> 20));
  // A header of NumPy has 64 KB at most in practice: no more of the file is needed.
  const auto read = read_file_start(path, bytes + (1 << 16));
  if (!read) return Unexpected(fmt::format("it cannot be read: {}", read.error().reason));
  const std::string& text = *read;
  std::size_t begin = 0;
  if (path.ends_with(".npy")) {
    const auto data = npy_data(text, element);
    if (!data) return Unexpected(data.error());
    begin = *data;
  }
  if (text.size() - begin < bytes)
    return Unexpected(fmt::format("it has {} bytes, the buffer {}", text.size() - begin, bytes));
  std::error_code error;
  const std::uintmax_t whole = std::filesystem::file_size(path, error);
  if (extra == Extra::refused && !error && whole - begin > bytes)
    return Unexpected(fmt::format("it has {} bytes, the buffer {}", whole - begin, bytes));
  std::vector<std::uint64_t> words((bytes + 7) / 8);
  std::memcpy(words.data(), text.data() + begin, bytes);
  return words;
}

// A step of a full cycle over 2^k numbers (Hull and Dobell 1962), seen through a change of order:
// a conjugate of a cycle is a cycle. Numbers beyond the last element are walked over, which leaves
// one cycle through the others.
std::uint64_t next_on_cycle(std::uint64_t i, std::uint64_t count, std::uint64_t seed) {
  if (count <= 1) return 0;
  const auto bits = std::max(2u, static_cast<unsigned>(std::bit_width(count - 1)));
  const Mixer mixer(bits, seed);
  std::uint64_t x = i;
  do {
    x = mixer.unmix((mixer.mix(x) * 0xD1342543DE82EF95u + 0x14057B7EF767814Fu) & mixer.mask);
  } while (x >= count);
  return x;
}

namespace {

/// A whole number that all elements are, or that they are multiples of.
std::optional<std::uint64_t> whole_of(const BufferFill& fill) {
  using Contents = BufferContents::Kind;
  const bool known = fill.kind == Contents::value || fill.kind == Contents::index;
  const auto whole = known && !is_real(fill.element)
                         ? integer_of({fill.first, Unit::none, fill.rest})
                         : std::nullopt;
  return whole ? std::optional(static_cast<std::uint64_t>(*whole)) : std::nullopt;
}

/// Element i as its bytes, in the low ones.
std::uint64_t element_bits(const BufferFill& fill, std::optional<std::uint64_t> whole,
                           std::uint64_t i) {
  using Contents = BufferContents::Kind;
  if (fill.kind == Contents::permutation)
    return next_on_cycle(i, std::max<std::uint64_t>(1, fill.bytes / bytes_of(fill.element)),
                         static_cast<std::uint64_t>(fill.first));
  if (whole) return fill.kind == Contents::value ? *whole : *whole * i;
  double value = fill.first;
  if (fill.kind == Contents::index) value = static_cast<double>(i) * fill.first;
  if (fill.kind == Contents::uniform)
    value = fill.first + (fill.second - fill.first) * (initial_word(i) / 4294967296.0);
  switch (fill.element) {
    case Element::f16: return ptx::float_to_half(ptx::odd_float(value));
    case Element::bf16: return ptx::float_to_bf16(ptx::odd_float(value));
    case Element::f32: return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    case Element::f64: return std::bit_cast<std::uint64_t>(value);
    default: value = std::floor(value);
  }
  if (value < 0) return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  return static_cast<std::uint64_t>(value);
}

}  // namespace

std::uint32_t bytes_of(Element element) {
  static constexpr std::uint32_t kBytes[] = {1, 2, 4, 8, 2, 2, 4, 8};
  return kBytes[static_cast<std::size_t>(element)];
}

bool is_real(Element element) {
  return element >= Element::f16;
}

void BufferFill::write(std::uint64_t offset, std::uint64_t count, std::uint8_t* out) const {
  if (!words.empty()) {
    const std::uint64_t have = 8 * words.size();
    std::memset(out, 0, count);
    if (offset < have)
      std::memcpy(out, reinterpret_cast<const std::uint8_t*>(words.data()) + offset,
                  std::min(count, have - offset));
    return;
  }
  if (kind == BufferContents::Kind::zero) {
    std::memset(out, 0, count);
    return;
  }
  const bool hash = kind == BufferContents::Kind::hash;
  const std::uint64_t width = hash ? 4 : bytes_of(element);
  const auto whole = whole_of(*this);
  for (std::uint64_t done = 0; done < count; done += width) {
    const std::uint64_t i = (offset + done) / width;
    const std::uint64_t bits = hash ? initial_word(i) : element_bits(*this, whole, i);
    std::memcpy(out + done, &bits, std::min(width, count - done));
  }
}

}  // namespace gpx::codegen
