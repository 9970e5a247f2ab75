// Registers and immediates as nvdisasm prints them. Interface: codegen/sass/operands.h.
#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "codegen/sass/operands.h"

namespace gpx::codegen::sass {
namespace {

/// Large numbers have 20 decimals, others 20 digits without the zeros behind.
std::string decimal(double value) {
  if (std::isnan(value)) {
    const bool quiet = (std::bit_cast<std::uint64_t>(value) >> 51 & 1) != 0;
    return fmt::format("{}{}NAN ", std::signbit(value) ? '-' : '+', quiet ? 'Q' : 'S');
  }
  if (std::isinf(value)) return value < 0 ? "-INF " : "+INF ";
  if (value == 0) return std::signbit(value) ? "-0" : "0";
  return std::fabs(value) >= 1e9 ? fmt::format("{:.20e}", value) : fmt::format("{:.20g}", value);
}

}  // namespace

std::string register_text(unsigned index) {
  return index == 255 ? "RZ" : fmt::format("R{}", index);
}

std::string uniform_text(unsigned index, int sm) {
  return index == (sm >= 100 ? 255u : 63u) ? "URZ" : fmt::format("UR{}", index);
}

std::string predicate_text(unsigned index, bool uniform) {
  return fmt::format("{}P{}", uniform ? "U" : "",
                     index == 7 ? std::string("T") : std::to_string(index));
}

std::string signed_hex(std::int64_t value) {
  return value < 0 ? fmt::format("-0x{:x}", -static_cast<__int128>(value) > 0
                                                ? static_cast<std::uint64_t>(-value)
                                                : static_cast<std::uint64_t>(value))
                   : fmt::format("0x{:x}", value);
}

std::string offset_text(std::int64_t offset) {
  if (offset == 0) return {};
  return "+" + signed_hex(offset);
}

unsigned half_type_bit(const Word& word) {
  return word.operation() == 0x33 || word.operation() == 0x34 ? 65 : 85;
}

std::string immediate_text(const Word& word, char type) {
  const auto bits = static_cast<std::uint32_t>(word.bits(32, 32));
  switch (type) {
    case 'i': return signed_hex(static_cast<std::int32_t>(bits));
    case 'f': return float_text(bits);
    case 'd': return double_text(bits);
    case 'h': {
      const bool bfloat = word.bit(half_type_bit(word));
      // HADD2.F32 has one, others two.
      if (word.operation() == 0x30 && word.bit(78))
        return half_text(static_cast<std::uint16_t>(word.bits(32, 16)), bfloat);
      return half_text(static_cast<std::uint16_t>(bits >> 16), bfloat) + ", " +
             half_text(static_cast<std::uint16_t>(bits), bfloat);
    }
    default: return fmt::format("0x{:x}", bits);
  }
}

std::string float_text(std::uint32_t bits) {
  if ((bits & 0x7fffffffu) > 0x7f800000u) return bits >> 31 != 0 ? "-QNAN " : "+QNAN ";
  return decimal(std::bit_cast<float>(bits));
}

std::string double_text(std::uint32_t upper_bits) {
  return decimal(std::bit_cast<double>(static_cast<std::uint64_t>(upper_bits) << 32));
}

std::string half_text(std::uint16_t bits, bool bfloat) {
  if (bfloat) return float_text(static_cast<std::uint32_t>(bits) << 16);
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double sign = bits >> 15 != 0 ? -1 : 1;
  if (exponent == 31)
    return decimal(fraction != 0 ? std::copysign(std::nan(""), sign) : sign * HUGE_VAL);
  if (bits == 0x8000) return "-0.0 ";
  if (exponent == 0) return decimal(std::copysign(std::ldexp(fraction, -24), sign));
  return decimal(sign * std::ldexp(1024 + fraction, exponent - 25));
}

}  // namespace gpx::codegen::sass
