// PTX as written: codegen/ptx/text.h.
#include <doctest/doctest.h>

#include <string>

#include "codegen/ptx/text.h"

namespace gpx::ptx {
namespace {

using Kind = Statement::Kind;

TEST_CASE("a statement has its guard, its opcode and its tokens, whatever the instruction is") {
  const struct {
    const char* text;
    Kind kind;
    const char *guard, *opcode;
    std::vector<std::string_view> tokens;
  } rows[] = {
      {"@!hit bar.sync 0;", Kind::instruction, "hit", "bar.sync", {"0"}},
      {"ld.global.v2.u32 {a, %r1}, [%rd1+-8];",
       Kind::instruction,
       "",
       "ld.global.v2.u32",
       {"{", "a", ",", "%r1", "}", ",", "[", "%rd1", "+", "-", "8", "]"}},
      {"mov.u32 r, %tid.x;", Kind::instruction, "", "mov.u32", {"r", ",", "%tid.x"}},
      {"wgmma.fence.sync.aligned;", Kind::instruction, "", "wgmma.fence.sync.aligned", {}},
      {"ld.global.L2::128B.b32 a, [b];",
       Kind::instruction,
       "",
       "ld.global.L2::128B.b32",
       {"a", ",", "[", "b", "]"}},
      {"again: ", Kind::label, "", "again", {}},
      {".reg .pred even, odd;", Kind::directive, "", ".reg", {".pred", "even", ",", "odd"}},
      {".pragma \"nounroll\";", Kind::directive, "", ".pragma", {"\"", "nounroll", "\""}},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    const auto found = read_statements(row.text);
    REQUIRE(found.size() == 1);
    CHECK(found[0].kind == row.kind);
    CHECK(found[0].guard == row.guard);
    CHECK(found[0].opcode == row.opcode);
    CHECK(found[0].tokens == row.tokens);
    CHECK(std::string(row.text).starts_with(found[0].text));
  }
}

constexpr const char* kText = R"(.version 9.0
.target sm_90a
.address_size 64
.file 1 "a{b.cu"
.global .align 4 .b32 table[2] = {1, 2};
.extern .func (.param .b32 r) vprintf(.param .b64 format);
.visible .entry _Z1kPfi(
  .param .u64 .ptr .global .align 4 k_0, // a pointer
  .param .align 8 .b8 k_1[24],
  .param .f32 k_2
)
.maxntid 128, 1, 1
{
  .reg .b32 %r<3>;
  .loc 1 12 3
  mov.u32 %r1, 1;
  // begin inline asm
  { add.u32 %r1, %r1, 1;
}
  // end inline asm
  ret;
}
.visible .entry two() { .loc 1 7 1
ret; }
.section .debug { .b8 1 }
)";

TEST_CASE("functions have their parameters, and a body whose inline assemblies are told apart") {
  const auto functions = read_functions(kText, true);
  REQUIRE(functions.size() == 3);
  CHECK(functions[0].name == "vprintf");
  CHECK_FALSE(functions[0].is_entry);
  CHECK(functions[0].parameters.size() == 1);
  CHECK(functions[0].statements.empty());
  const FunctionText& entry = functions[1];
  CHECK(entry.name == "_Z1kPfi");
  CHECK(entry.is_entry);
  REQUIRE(entry.parameters.size() == 3);
  CHECK(entry.parameters[0].is_pointer);
  CHECK(entry.parameters[0].align == 0);
  CHECK(entry.parameters[1].bytes() == 24);
  CHECK(entry.parameters[1].align == 8);
  CHECK(entry.parameters[1].is_array);
  CHECK(entry.parameters[2].type == Type::f32);
  REQUIRE(entry.statements.size() == 6);
  CHECK(entry.statements[1].inline_asm == 0);
  CHECK(entry.statements[1].line == 16);
  CHECK(entry.statements[2].kind == Kind::brace);
  CHECK(entry.statements[3].inline_asm == 1);
  CHECK(entry.statements[4].inline_asm == 1);
  CHECK(entry.statements[5].inline_asm == 0);
  CHECK(functions[2].name == "two");
  CHECK(read_functions(kText, false)[1].statements.empty());
}

TEST_CASE("a line comes from the source's line that the .loc above it names") {
  CHECK(source_places(kText, 14).empty());
  for (const auto& [line, expected] : {std::pair{15, 12}, {16, 12}, {23, 7}}) {
    const auto places = source_places(kText, line);
    REQUIRE(places.size() == 1);
    CHECK(places[0].line == expected);
  }
}

TEST_CASE("a line that was inlined comes from where it stands and from where that was inlined") {
  const std::string text = R"(.visible .entry k()
{
  .loc 1 9 3
  .loc 1 7 5, function_name $L__info_string0, inlined_at 1 9 3
  .loc 2 6 1, function_name $L__info_string1, inlined_at 1 7 5
  ret;
}
.func f()
{
  ret;
}
  .file 1 "/home/a.cu"
  .file 2 "/home/own.h"
)";
  const auto places = source_places(text, 6);
  REQUIRE(places.size() == 3);
  CHECK(places[0].file == "/home/own.h");
  CHECK(places[0].line == 6);
  CHECK(places[1].line == 7);
  CHECK(places[2].file == "/home/a.cu");
  CHECK(places[2].line == 9);
  CHECK(source_places(text, 10).empty());
}

TEST_CASE("a text that ends anywhere is read as far as it goes") {
  const std::string text = kText;
  for (std::size_t size = 0; size <= text.size(); ++size) {
    const std::string part = text.substr(0, size);
    CHECK(read_functions(part, true).size() <= 3);
    for (const SourcePlace& place : source_places(part, 99)) CHECK(place.line <= 12);
  }
}

}  // namespace
}  // namespace gpx::ptx
