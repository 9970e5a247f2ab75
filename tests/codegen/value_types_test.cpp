// Types of parameters that are passed by value, and values as their bits.
#include "codegen/user/value_types.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace gpx;
using namespace gpx::codegen;

namespace {

Value number(double value) {
  return Quantity{value, Unit::none};
}

/// The bits in hexadecimal, or what is wrong.
std::string bits(const char* type, const Value& value, const Enumerators& names = {}) {
  const auto known = value_type(type);
  if (!known) return "no type";
  const auto made = value_bits(*known, value, names);
  if (!made) return made.error();
  const std::uint32_t width = 8 * bytes_of(known->element);
  const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  return fmt::format("{:x}", *made & mask);
}

}  // namespace

TEST_CASE("scalar_arguments: types of C++ and CUDA with their lanes and alignment") {
  struct Row {
    const char* name;
    std::uint32_t bytes, lanes, align;
  };
  for (const Row& row :
       {Row{"int", 4, 1, 4}, Row{"const unsigned long long", 8, 1, 8},
        Row{"unsigned long", 8, 1, 8}, Row{"std::uint8_t", 1, 1, 1}, Row{"long int", 8, 1, 8},
        Row{"bool", 1, 1, 1}, Row{"__half", 2, 1, 2}, Row{"__nv_bfloat16", 2, 1, 2},
        Row{"__half2", 4, 2, 4}, Row{"float3", 12, 3, 4}, Row{"float4", 16, 4, 16},
        Row{"const float2", 8, 2, 8}, Row{"double4", 32, 4, 16}, Row{"uchar4", 4, 4, 4},
        Row{"ulonglong2", 16, 2, 16}, Row{"dim3", 12, 3, 4}, Row{"short1", 2, 1, 2}}) {
    CAPTURE(row.name);
    const auto type = value_type(row.name);
    REQUIRE(type.has_value());
    CHECK(type->bytes() == row.bytes);
    CHECK(type->lanes == row.lanes);
    CHECK(type->align == row.align);
  }
  for (const char* name : {"float*", "Vec3", "float5", "", "int&", "bool2"}) {
    CAPTURE(name);
    CHECK(!value_type(name));
  }
}

TEST_CASE("scalar_arguments: values become the bits of their type, or say what it holds") {
  const std::string infinity = "inf", nan = "nan";
  struct Row {
    const char* type;
    Value value;
    const char* expected;
  };
  const Row table[] = {
      {"int", number(-1), "ffffffff"},
      {"int", number(2147483648.0), "which holds -2147483648 to 2147483647"},
      {"unsigned", number(-1), "which holds 0 to 4294967295"},
      {"unsigned char", number(256), "which holds 0 to 255"},
      {"char", std::string("A"), "41"},
      {"char", number(-128), "80"},
      {"short", number(1.5), "which holds -32768 to 32767"},
      {"unsigned long long", Value(quantity_of((Int128{1} << 64) - 1)), "ffffffffffffffff"},
      {"unsigned long long", Value(quantity_of(Int128{1} << 64)),
       "which holds 0 to 18446744073709551615"},
      {"long long", Value(quantity_of(-(Int128{1} << 63))), "8000000000000000"},
      {"long long", Value(quantity_of(Int128{9007199254740993})), "20000000000001"},
      {"bool", true, "1"},
      {"bool", number(0), "0"},
      {"bool", number(2), "which holds true and false, 0 and 1"},
      {"int", false, "0"},
      {"float", true, "which takes a number"},
      {"float", number(-0.0), "80000000"},
      {"float", infinity, "7f800000"},
      {"float", std::string("-inf"), "ff800000"},
      {"float", nan, "7fc00000"},
      {"float", number(1e300), "which holds up to 3.4028234663852886e+38; infinity is written inf"},
      {"float", number(1e-60), "which rounds it to 0"},
      {"double", number(1e300), "7e37e43c8800759c"},
      {"double", infinity, "7ff0000000000000"},
      {"__half", number(1.5), "3e00"},
      {"__half", number(65504), "7bff"},
      {"__half", number(70000), "which holds up to 65504; infinity is written inf"},
      {"__nv_bfloat16", number(1.5), "3fc0"},
      {"int", std::string("fast"), "which takes a number"},
      {"bool", std::string("yes"), "which takes true or false"},
  };
  for (const Row& row : table) {
    CAPTURE(row.type);
    CAPTURE(row.expected);
    CHECK(bits(row.type, row.value) == row.expected);
  }
}

TEST_CASE("scalar_arguments: enumerators have the values that the file gives them") {
  const std::string code = R"(
enum Plain { zero, one, five = 5, six, minus = -2 };
enum class Mode : unsigned char { slow = 0x10, fast };
enum Odd { bit = 1 << 3 };
)";
  CHECK(bits("int", std::string("six"), enumerators_of(code, "Plain")) == "6");
  CHECK(bits("int", std::string("minus"), enumerators_of(code, "Plain")) == "fffffffe");
  CHECK(bits("int", std::string("Mode::fast"), enumerators_of(code, "ns::Mode")) == "11");
  CHECK(bits("int", std::string("seven"), enumerators_of(code, "Plain")) ==
        "which has zero, one, five, six, minus");
  CHECK(enumerators_of(code, "Odd").empty());
  CHECK(enumerators_of(code, "Missing").empty());
}
