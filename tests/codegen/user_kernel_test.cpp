// Kernels from a file: entries and parameters, contents of buffers, registers of each function.
#include "codegen/user/user_kernel.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>

#include "codegen/ptx/half.h"
#include "codegen/ptx/text.h"
#include "tests/left_out.h"

using namespace gpx;
using namespace gpx::codegen;

namespace {

const std::string kPtx = R"(
.visible .entry _Z3mixPfPKdiymj5Vec3D(
	.param .u64 .ptr .align 1 _Z3mix_param_0,
	.param .u64 .ptr .align 1 _Z3mix_param_1,
	.param .u32 _Z3mix_param_2,
	.param .u64 _Z3mix_param_3,
	.param .f32 _Z3mix_param_4,
	.param .align 4 .b8 _Z3mix_param_5[12]
)
{
}
.visible .entry plain()
{
}
)";

const std::string kSource = R"cu(
// __global__ void mix(int commented);
struct Vec3D { float x, y, z; };
template <class T> __global__ void ignored(T a);
__global__ void __launch_bounds__(256, (2)) mix(float* a, const double *__restrict__ values,
    /* the rows, */ unsigned rows, long long shift = 3, float scale, Vec3D v) {}
extern "C" __global__ void plain(void) { const char* s = "__global__ void plain(int x)";
}
)cu";

}  // namespace

TEST_CASE("entries and parameters come from the PTX, names and elements from the source") {
  const auto entries = entries_of(kPtx, kSource);
  REQUIRE(entries.size() == 2);
  CHECK(entries[1].name == "plain");
  CHECK(entries[1].parameters.empty());
  const auto& p = entries[0].parameters;
  REQUIRE(p.size() == 6);
  using Kind = KernelParameter::Kind;
  CHECK(p[0].name == "a");
  CHECK(p[0].kind == Kind::pointer);
  CHECK(p[0].element == Element::f32);
  CHECK(p[1].name == "values");
  CHECK(p[1].element == Element::f64);
  CHECK(p[2].name == "rows");
  CHECK(p[2].kind == Kind::integer);
  CHECK_FALSE(p[2].is_signed);
  CHECK(p[3].name == "shift");
  CHECK(p[3].bytes == 8);
  CHECK(p[3].is_signed);
  CHECK(p[4].kind == Kind::real);
  CHECK(p[5].kind == Kind::other);
  CHECK(p[5].bytes == 12);
}

TEST_CASE("what a pointer points to is read of its type; of other types it is not known") {
  const struct {
    const char* type;
    std::optional<Element> element;
  } rows[] = {
      {"const float* __restrict__", Element::f32},
      {"float4 const*", Element::f32},
      {"double2*", Element::f64},
      {"const __half*", Element::f16},
      {"__half2*", Element::f16},
      {"half*", Element::f16},
      {"half2 const*", Element::f16},
      {"__nv_bfloat16*", Element::bf16},
      {"const __nv_bfloat162*", Element::bf16},
      {"nv_bfloat162*", Element::bf16},
      {"unsigned char*", Element::i8},
      {"uchar4*", Element::i8},
      {"unsigned short int*", Element::i16},
      {"short2*", Element::i16},
      {"const std::uint32_t*", Element::i32},
      {"unsigned*", Element::i32},
      {"uint4*", Element::i32},
      {"long long int*", Element::i64},
      {"std::size_t*", Element::i64},
      {"ulonglong2*", Element::i64},
      {"Vec3D*", std::nullopt},
      {"real const*", std::nullopt},
      {"void*", std::nullopt},
      {"__half_raw*", std::nullopt},
      {"float**", std::nullopt},
      {".u64", std::nullopt},
  };
  for (const auto& row : rows) {
    CAPTURE(row.type);
    CHECK(element_of(row.type) == row.element);
  }
}

TEST_CASE("a name of a type in the source is what the symbol says") {
  const auto entries =
      entries_of(".visible .entry _Z1kPK6__halfi(.param .u64 p0, .param .u32 p1)\n{ ret; }\n",
                 "using real = __half; __global__ void k(const real* a, int n) {}");
  REQUIRE(entries.size() == 1);
  CHECK(entries[0].parameters[0].type == "const real*");
  CHECK(entries[0].parameters[0].element == Element::f16);
}

TEST_CASE("a kernel of a namespace without a name has its own, and one without a name is none") {
  const auto entries = entries_of(
      ".visible .entry _ZN12_GLOBAL__N_11kEPi(.param .u64 p0)\n{ ret; }\n"
      ".visible .entry \x7f_Z1kv()\n{ ret; }\n",
      "namespace { __global__ void k(int* a) {} }");
  REQUIRE(entries.size() == 1);
  CHECK(entries[0].name == "(anonymous namespace)::k");
  CHECK(entries[0].parameters[0].name == "a");
  CHECK(find_entry(entries, "k", "k.cu", Source("k.cu", ""), {}));
}

TEST_CASE("a source that cannot be read leaves the PTX's parameters, by number") {
  const auto entries = entries_of(kPtx, "#define KERNEL __global__\nKERNEL void mix(int a);");
  CHECK(entries[0].parameters[2].name == "param_2");
  CHECK(entries[0].parameters[0].kind == KernelParameter::Kind::pointer);
}

TEST_CASE("an entry is found by its plain name, its symbol, or not at all") {
  const Source text("e.gpx", "entry x");
  const auto find = [&](const std::string& name) {
    return find_entry(entries_of(kPtx, kSource), name, "f.cu", text, {6, 7});
  };
  CHECK(find("plain")->symbol == "plain");
  CHECK(find("_Z3mixPfPKdiymj5Vec3D")->parameters.size() == 6);
  const auto none = find("plane");
  REQUIRE(!none.has_value());
  CHECK(none.error().diagnostics[0].hint == "did you mean 'plain'?");
  CHECK(none.error().diagnostics[0].location->column == 7);
}

TEST_CASE("an instance of a template is found by the template's name, with its own types") {
  const std::string head = ".version 8.0\n.target sm_75\n.address_size 64\n";
  const auto entry = [](const std::string& symbol) {
    return ".visible .entry " + symbol + "(.param .u64 p0, .param .u32 p1)\n{\n ret;\n}\n";
  };
  const std::string source =
      "template <typename T, int R> __global__ void st(const T* in, int n) {}\n"
      "template __global__ void st<float, 4>(const float*, int);\n";
  const Source text("e.gpx", "entry st");
  const auto one = entries_of(head + entry("_Z2stIfLi4EEvPKT_i"), source);
  const auto found = find_entry(one, "st", "f.cu", text, {6, 8});
  REQUIRE(found.has_value());
  CHECK(found->parameters[0].name == "in");
  CHECK(found->parameters[0].kind == KernelParameter::Kind::pointer);
  CHECK(found->parameters[0].element == Element::f32);
  CHECK(found->parameters[1].name == "n");

  const auto two =
      entries_of(head + entry("_Z2stIfLi4EEvPKT_i") + entry("_Z2stIfLi8EEvPKT_i"), source);
  const auto several = find_entry(two, "st", "f.cu", text, {6, 8});
  REQUIRE(!several.has_value());
  const auto& said = several.error().diagnostics[0];
  CHECK(said.message == "'f.cu' has several functions 'st'");
  CHECK(said.hint.find("_Z2stIfLi8EEvPKT_i for void st<float, 8>(float const*, int)") !=
        said.hint.npos);
  CHECK(find_entry(two, "_Z2stIfLi8EEvPKT_i", "f.cu", text, {6, 8})->parameters[0].name == "in");
}

TEST_CASE("a name that stands nowhere in a file is told before it is compiled") {
  const struct {
    const char *source, *name, *hint;
  } rows[] = {
      {"__global__ void mul(float* a) {}", "mul", nullptr},
      {"__global__ void mul(float* a) {}", "_Z3mulPf", nullptr},
      {"namespace a { __global__ void mul(float* a) {} }", "mul", nullptr},
      {"#define K(name) __global__ void name() {}\nK(mul)", "mul", nullptr},
      {"#define K(name) __global__ void k_##name() {}\nK(mul)", "k_mul", nullptr},
      {"#include \"other.cu\"\n", "mul", nullptr},
      {"#include <cmath>\n// mul\n__global__ void sum() {}", "mul", "it has sum"},
      {"__global__ void __launch_bounds__(32) matmul(int n) {}", "matmull",
       "did you mean 'matmul'?"},
      {"void mull() {}", "mul", "it has no __global__ function (a template needs an instance)"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.source);
    const auto said = plainly_no_entry(row.source, row.name, "f.cu");
    CHECK(said.has_value() == (row.hint != nullptr));
    if (!said || !row.hint) continue;
    CHECK(said->message == std::string("'f.cu' has no __global__ function '") + row.name + "'");
    CHECK(said->hint == row.hint);
  }
}

TEST_CASE("what a buffer holds, element by element, from any offset") {
  using Kind = BufferContents::Kind;
  const auto bytes = [](BufferFill fill, std::uint64_t offset, std::uint64_t count) {
    std::vector<std::uint8_t> out(count, 0xee);
    fill.write(offset, count, out.data());
    return out;
  };
  const auto as = [&]<class T>(BufferFill fill, std::uint64_t i, T) {
    T value;
    std::memcpy(&value, bytes(fill, i * sizeof(T), sizeof(T)).data(), sizeof(T));
    return value;
  };
  CHECK(as({Kind::index, Element::i32, 64, 3, 0}, 5, 0) == 15);
  CHECK(as({Kind::index, Element::f64, 64, 0.5, 0}, 5, 0.0) == 2.5);
  CHECK(as({Kind::index, Element::i64, 64, -1, 0}, 7, std::int64_t{}) == -7);
  CHECK(as({Kind::value, Element::f32, 64, 1.5, 0}, 9, 0.F) == 1.5F);
  CHECK(as({Kind::value, Element::i8, 64, 200, 0}, 9, std::uint8_t{}) == 200);
  CHECK(as({Kind::index, Element::f16, 64, 0.5, 0}, 5, std::uint16_t{}) == 0x4100);
  CHECK(as({Kind::index, Element::bf16, 64, -1, 0}, 3, std::uint16_t{}) == 0xc040);
  CHECK(as({Kind::hash, Element::f16, 64, 0, 0}, 18, std::uint16_t{}) ==
        static_cast<std::uint16_t>(initial_word(9)));
  CHECK(as({Kind::hash, Element::f32, 64, 0, 0}, 9, std::uint32_t{}) == initial_word(9));
  CHECK(as({Kind::zero, Element::i16, 64, 0, 0}, 9, std::uint16_t{}) == 0);
  double least = 1e9, most = -1e9;
  for (std::uint64_t i = 0; i < 4096; ++i) {
    const double value = as({Kind::uniform, Element::f64, 32768, -2, 6}, i, 0.0);
    least = std::min(least, value), most = std::max(most, value);
  }
  CHECK(least >= -2);
  CHECK(least < -1.9);
  CHECK(most < 6);
  CHECK(most > 5.9);
  for (std::uint64_t i = 0; i < 4096; ++i) {
    const BufferFill wide{Kind::uniform, Element::f64, 32768, -2, 6};
    const BufferFill half{Kind::uniform, Element::f16, 8192, -2, 6};
    const BufferFill bfloat{Kind::uniform, Element::bf16, 8192, -2, 6};
    const double value = as(wide, i, 0.0);
    const float near = gpx::ptx::half_to_float(as(half, i, std::uint16_t{}));
    const float nearby = gpx::ptx::bf16_to_float(as(bfloat, i, std::uint16_t{}));
    CHECK(std::abs(near - value) <= 0x1p-11 * std::abs(value));
    CHECK(std::abs(nearby - value) <= 0x1p-8 * std::abs(value));
  }
  // A page in the middle is what the whole has there.
  const BufferFill fill{Kind::uniform, Element::f32, 4096, 0, 1};
  const auto whole = bytes(fill, 0, 4096), part = bytes(fill, 1024, 512);
  CHECK(std::equal(part.begin(), part.end(), whole.begin() + 1024));
}

TEST_CASE("a number becomes the nearest of half precision and bfloat16, ties to even") {
  const struct {
    double value;
    std::uint16_t half, bfloat;
  } rows[] = {
      {0, 0, 0},
      {0.5, 0x3800, 0x3f00},
      {-1.5, 0xbe00, 0xbfc0},
      {1 + 0x1p-11, 0x3c00, 0x3f80},            // a tie of half precision, to even
      {1 + 0x3p-11, 0x3c02, 0x3f80},            // likewise, up
      {1 + 0x1p-11 + 0x1p-40, 0x3c01, 0x3f80},  // not a tie, where single precision makes it one
      {1 + 0x1p-8, 0x3c04, 0x3f80},             // a tie of bfloat16
      {1 + 0x3p-8, 0x3c0c, 0x3f82},
      {1 + 0x1p-8 + 0x1p-40, 0x3c04, 0x3f81},
      {65504, 0x7bff, 0x4780},
      {65520, 0x7c00, 0x4780},  // beyond the largest of half precision
      {0x1p-24, 0x0001, 0x3380},
      {0x1p-25, 0x0000, 0x3300},
      {1e-40, 0x0000, 0x0001},
  };
  for (const auto& row : rows) {
    CAPTURE(row.value);
    const auto bits = [&](Element element) {
      std::uint16_t out = 0;
      const BufferFill fill{BufferContents::Kind::value, element, 2, row.value, 0};
      fill.write(0, 2, reinterpret_cast<std::uint8_t*>(&out));
      return out;
    };
    CHECK(bits(Element::f16) == row.half);
    CHECK(bits(Element::bf16) == row.bfloat);
  }
}

TEST_CASE("a file with several kernels: each has its own registers, and lines of the source") {
  GPX_NEEDS_NVRTC();
  const Source file("two.cu",
                    "__global__ void few(float* a) { a[threadIdx.x] = 1; }\n"
                    "__global__ void many(float* a, int n) {\n"
                    "  float x[24];\n"
                    "  for (int i = 0; i < 24; ++i) x[i] = a[i * n];\n"
                    "  for (int k = 0; k < n; ++k)\n"
                    "    for (int i = 0; i < 24; ++i) x[i] = x[i] * x[(i + 1) % 24] + k;\n"
                    "  for (int i = 0; i < 24; ++i) a[i] = x[i];\n"
                    "}\n");
  const auto compiled = compile_file(file, {Target::Form::ptx, 75}, {}, ArtifactCache(""), nullptr);
  REQUIRE(compiled.has_value());
  CHECK(compiled->artifact.cubin.empty());
  const auto entries = entries_of(compiled->artifact.ptx, file.text());
  REQUIRE(entries.size() == 2);
  std::uint32_t few = 0, many = 0;
  for (const KernelEntry& entry : entries)
    (entry.name == "few" ? few : many) = compiled->registers_of(entry.symbol);
  CHECK(few > 0);
  CHECK(many >= 24 + few / 2);
  const auto bounded =
      compile_file(file, {Target::Form::ptx, 75}, {24}, ArtifactCache(""), nullptr);
  REQUIRE(bounded.has_value());
  for (const auto& [symbol, registers] : bounded->registers) CHECK(registers <= 24);
  const std::string& text = compiled->artifact.ptx;
  const auto store = static_cast<int>(
      1 + std::count(text.begin(), text.begin() + static_cast<long>(text.find("st.global")), '\n'));
  const auto places = ptx::source_places(text, store);
  REQUIRE_FALSE(places.empty());
  const int line = places.front().line;
  CHECK((line == 1 || line == 7));
}

TEST_CASE("an entry that uses memory whose size a launch gives is told from one that does not") {
  const auto entries = entries_of(R"(
.extern .shared .align 16 .b8 tile[];
.visible .entry uses()
{
	mov.u32 	%r1, tile;
}
.visible .entry not()
{
	mov.u32 	%r1, tiles;
}
)",
                                  "");
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].dynamic_shared == "tile");
  CHECK(entries[1].dynamic_shared.empty());
}
