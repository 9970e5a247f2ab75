// Structs of a kernel's file: codegen/user/struct_text.h.
#include "codegen/user/struct_text.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace gpx::codegen;

TEST_CASE("the members of a struct are read, and nothing is said of what is not plain") {
  struct Row {
    const char* code;
    const char* type;
    std::uint32_t bytes;
    const char* members;
  };
  const Row rows[] = {
      {"struct P { int n; int rounds; float scale; };", "P", 12,
       "int n@0i4 int rounds@4i4 float scale@8r4 "},
      {"struct P {\n  float x, y;\n double  *p; };", "const P", 16,
       "float x@0r4 float y@4r4 double* p@8p8 "},
      {"struct P { unsigned char c; unsigned long long n; };", "struct P", 16,
       "unsigned char c@0i1 unsigned long long n@8i8 "},
      {"struct P { const float* a; Own* b; short w[2]; };", "P", 24,
       "const float* a@0p8 Own* b@8p8 short w[2]@16i2 short w[2]@18i2 "},
      {"struct P { std::uint8_t a; std::size_t b; };", "P", 16, "uint8_t a@0i1 size_t b@8i8 "},
      {"struct P { float *x, w[2], *y; };", "const __grid_constant__ P", 24,
       "float* x@0p8 float w[2]@8r4 float w[2]@12r4 float* y@16p8 "},
      {"struct PP { int n; }; struct P { int n; };", "P", 4, "int n@0i4 "},
      {"struct P { int n; float; };", "P", 8, ""},
      {"struct P { int n, ; };", "P", 8, ""},
      {"struct P { *n; };", "P", 8, ""},
      {"struct P { int n[1000]; };", "P", 4000, ""},
      {"struct P { int n[2; };", "P", 8, ""},
      {"struct P { int n;", "P", 4, ""},
      {"struct P { int n; float x; };", "P", 12, ""},  // another size: not all was read
      {"struct P { Own n; float x; };", "P", 8, ""},
      {"struct P { int n; P() : n(1) {} };", "P", 4, ""},
      {"struct P { int n : 3; };", "P", 4, ""},
      {"struct P { int n[N]; };", "P", 4, ""},
      {"struct P { int n; }; namespace a { struct P { float n; }; }", "P", 4, ""},
      {"template <typename T> struct P { T n; };", "P<int>", 4, ""},
      {"struct Q { int n; };", "P", 4, ""},
      {"struct P : Q { int n; };", "P", 4, ""},
      {"struct P { struct { int n; } a; };", "P", 4, ""},
      {"struct P { static int m; int n; };", "P", 4, ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.code);
    std::string members;
    for (const StructMember& member : declared_struct(row.code, row.type, row.bytes).members)
      members += fmt::format("{}@{}{}{} ", member.text, member.offset,
                             "pir"[static_cast<int>(member.kind)], member.bytes);
    CHECK(members == row.members);
  }
  CHECK(declared_struct("struct P {\n  int n;\n  float x;\n};", "P", 8).text ==
        "struct P { int n; float x; }");
  CHECK(declared_struct("struct P { std::int32_t n; mystd::T* p; };", "P", 16).text == "");
}

TEST_CASE("a struct of a megabyte is read") {
  const std::string blanks(1'000'000, '\n');
  const DeclaredStruct declared = declared_struct("struct P { int n;" + blanks + "};", "P", 4);
  CHECK(declared.text == "struct P { int n; }");
  std::string many = "struct P { char c";
  for (int i = 0; i < 100'000; ++i) many += fmt::format(", c{}", i);
  CHECK(declared_struct(many + "; };", "P", 100'001).members.size() == 100'001);
}
