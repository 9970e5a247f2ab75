// Users' files as nvcc takes them: code for the host, names that its headers declare, bytes of
// other encodings, and names as C++ writes them.
#include "codegen/user/host_code.h"

#include "codegen/ptx/module.h"
#include "codegen/user/user_kernel.h"
#include "support.h"
#include "tests/left_out.h"

namespace gpx::codegen::test {
namespace {

constexpr Target kTarget{Target::Form::ptx, 75};

Result<CompiledFile> compiled(const std::string& text, const FileOptions& options = {},
                              const Target& target = kTarget) {
  return compile_file(Source("a.cu", readable_text(text)), target, options, ArtifactCache(""),
                      nullptr);
}

CompiledFile made(const std::string& text, const FileOptions& options = {}) {
  auto result = compiled(text, options);
  if (!result) FAIL(render(result.error()));
  return std::move(*result);
}

std::string complaint_of(const std::string& text, const FileOptions& options = {}) {
  const auto result = compiled(text, options);
  return result ? std::string("no error") : render(result.error());
}

/// "float* x, int n" of the entry that the user calls `name`.
std::string parameters(const std::string& text, const std::string& name) {
  const CompiledFile file = made(text, {.entry = name});
  const auto entry = find_entry(entries_of(file.artifact.ptx, file.declarations),
                                file.symbol_of(name), "a.cu", Source("a.cu", text), {}, text);
  if (!entry) return render(entry.error());
  std::string out;
  for (const KernelParameter& each : entry->parameters)
    out += (out.empty() ? "" : ", ") + each.type + " " + each.name;
  return out;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST_CASE("only_code: what is no code is blank, and lines keep their places") {
  CHECK(only_code("a // b\nc") == "a     \nc");
  CHECK(only_code("a /* b\n */ c") == "a     \n    c");
  CHECK(only_code("s = \"a\\\"b\";") == "s =       ;");
  CHECK(only_code("s = R\"x(\"))x\" + 1;") == "s = R         + 1;");
  CHECK(only_code("1'000 'a' b") == "1'000     b");
  CHECK(only_code("#define A \\\n b\nc") == "           \n  \nc");
  const std::string text = "#ifdef A\nx {\n#else\ny {\n#endif\n}";
  CHECK(only_code(text, true) == "        \nx {\n     \n   \n      \n}");
}

struct Cut {
  const char* text;
  int line;
  const char* after;  ///< nullptr: nothing can be cut there.
};

TEST_CASE("the innermost definition of the host is cut, its body first, and none of the device") {
  const Cut rows[] = {
      {"void f() { g(); }\nint a;", 1, "void f() ;       \nint a;"},
      {"void f() {\n#define A\n}\n", 1, "void f() ;\n#define A\n \n"},
      {"__global__ void k() { g(); }", 1, nullptr},
      {"#define KERNEL __global__ void\nKERNEL k() { g(); }", 2, nullptr},
      {"struct A {\n A() : b{1} { g(); }\n int b;\n __device__ int c();\n};", 2,
       "struct A {\n A() ;              \n int b;\n __device__ int c();\n};"},
      {"struct A {\n T b;\n __device__ int c();\n};", 2, nullptr},
      {"struct A {\n T b;\n};\nint c;", 2, "          \n     \n  \nint c;"},
      {"namespace n {\nT a = 3;\nint b;\n}", 2, "namespace n {\n        \nint b;\n}"},
      {"extern \"C\" {\nvoid f() { g(); }\n}", 2, "extern \"C\" {\nvoid f() ;       \n}"},
      {"template <class T> void f(T t) { k<T><<<1, 2>>>(t); }", 1,
       "template <class T> void f(T t) ;                     "},
      {"int a = sizeof(int), b = g();\nint c;", 1, "                             \nint c;"},
      {"#define RUN(a) void a()\nRUN(f)\nRUN(g)\nint b;", 2,
       "#define RUN(a) void a()\n      \nRUN(g)\nint b;"},
      {"void f() { g(); }\n} int a;", 1, nullptr},
  };
  for (const Cut& row : rows) {
    CAPTURE(row.text);
    HostCode code(row.text);
    CHECK(code.cut(row.line) == (row.after != nullptr));
    CHECK(code.text() == (row.after ? row.after : row.text));
  }
  HostCode twice("void f(T a) { g(); }");
  CHECK(twice.cut(1));
  CHECK(twice.cut(1));
  CHECK(twice.text() == "                    ");
  CHECK_FALSE(twice.cut(1));
}

const char* const kHosts[] = {
    "void launch(int *o) { k<<<1, 32>>>(o); }\n",
    "#include <vector>\nstd::vector<int> all;\nint main() { cudaMalloc(&all, 3); return 0; }\n",
    "struct Owner { Owner() { cudaMalloc(&p, 4); } ~Owner() { cudaFree(p); } int *p; };\n",
    "#include <iostream>\nclass A { public: virtual void f() { std::cout << 3; } };\n",
    "__host__ void check(cudaError_t e) { if (e != cudaSuccess) throw e; }\n",
};

TEST_CASE("host_code_without_host_header") {
  GPX_NEEDS_NVRTC();
  const std::string device =
      "struct P { int a; float b[3]; };\n__device__ int f(P p) { return p.a * 3; }\n"
      "__global__ void k(int *o) { P p; p.a = o[1]; o[threadIdx.x] = f(p); }\n";
  const std::string alone = made(device).artifact.ptx;
  for (const std::string host : kHosts) {
    CAPTURE(host);
    // Behind the code for the device, whose lines are the same then.
    CHECK(made(device + host).artifact.ptx == alone);
    CHECK(made(device + "#ifndef __CUDACC_RTC__\n" + host + "#endif\n").artifact.ptx == alone);
  }
  const std::string mistake =
      complaint_of(device + "__device__ int g() { return x; }\n" + kHosts[0]);
  CHECK(has(mistake, "a.cu:4:1: error: identifier \"x\" is undefined"));
  CHECK(count(mistake, "error:") == 1);
  // A function of no side that a kernel calls is code for the device.
  CHECK(
      has(complaint_of("int g(int a) { return a + x; }\n__global__ void k(int *o) { *o = g(1); }"),
          "identifier \"x\" is undefined"));
  const CompiledFile left = made("#include <no/such.h>\n__global__ void k() {}");
  CHECK(left.left_out == std::vector<std::string>{"no/such.h"});
}

TEST_CASE("a function that code for the device needs keeps its own mistake") {
  GPX_NEEDS_NVRTC();
  const std::string text = complaint_of(
      "static int helper(int x) {\n  return x + missing;\n}\n"
      "int main() { cudaMalloc(0, 0); return undefined_thing; }\n"
      "__global__ void k(int* a) { a[0] = helper(3); }\n");
  CHECK(has(text, "a.cu:2:3: error: identifier \"missing\" is undefined"));
  CHECK(!has(text, "undefined_thing"));
  CHECK(has(complaint_of("template <int N> struct A { static const int v = A<N - 1>::v; };\n"
                         "__global__ void k(int* a) { a[0] = A<1 << 20>::v; }\n"),
            "excessive recursion"));
}

TEST_CASE("implicit_names") {
  GPX_NEEDS_NVRTC();
  made(
      "__global__ void k(float *o) {\n  uint i = threadIdx.x;\n  uint32_t j = i;\n"
      "  o[j] = FLT_MAX * M_PI + pow(10, 2) + INT_MAX;\n}");
  std::string all = "__global__ void k(float *o) {\n";
  for (const char* value :
       {"sqrt(3)", "fmin(1.0f, 2.0)", "std::min(1, 2)", "std::max(1.f, 2.f)", "std::pow(2.f, 3)",
        "std::sqrt(2.f)", "std::abs(-3)", "exp(1)", "floor(1)", "UINT32_MAX", "DBL_EPSILON",
        "(ushort)3", "(size_t)3", "make_float4(1, 2, 3, 4).x", "dim3(3).x", "INFINITY",
        "std::isnan(1.f)", "printf(\"a\")", "pow(2, 0.5f)"})
    all += std::string("  *o++ = ") + value + ";\n";
  made(all + "}");  // an error names the line
  made(
      "#include <limits>\n#include <type_traits>\n__global__ void k(float *o) {\n"
      "  static_assert(std::is_same<int, int>::value);\n"
      "  o[0] = std::numeric_limits<float>::max();\n}");
}

// nvcc takes it without being asked, NVRTC by an option.
TEST_CASE("integers of 128 bits are a type") {
  GPX_NEEDS_NVRTC();
  const CompiledFile file = made(
      "__global__ void k(unsigned long long *a) {\n  unsigned __int128 p = a[0];\n"
      "  p *= a[1];\n  a[0] = p >> 64;\n}");
  CHECK(has(file.artifact.ptx, "mul.hi.u64"));
}

TEST_CASE("prototype_names") {
  GPX_NEEDS_NVRTC();
  const std::string body =
      "__global__ void scale(float *values, float factor, int count) { values[count] = factor; }";
  for (const std::string before : {"", "__global__ void scale(float*, float, int);\n",
                                   "__global__ void scale(float *p, float f, int n);\n__global__ "
                                   "void scale(float *, float, int n);\n"})
    CHECK(parameters(before + body, "scale") == "float* values, float factor, int count");
}

TEST_CASE("macro_names") {
  GPX_NEEDS_NVRTC();
  const std::pair<const char*, const char*> rows[] = {
      {"#define KERNEL __global__ void\nKERNEL k(float *x, int n) { *x = n; }", "float* x, int n"},
      {"#define KERNEL(name) __global__ void name(float *x, int n)\nKERNEL(k) { *x = n; }",
       "float* x, int n"},
      {"#define PARAMS float *x, int n\n__global__ void k(PARAMS) { *x = n; }", "float* x, int n"},
      {"__global__ void __maxnreg__(32) k(float *x, int n) { *x = n; }", "float* x, int n"},
      {"__global__ void k(float (*x)[8], int n) { x[0][1] = n; }", "float* x, int n"},
      {"typedef double real;\n__global__ void k(const real *__restrict__ x, unsigned n) { }",
       "const double* x, unsigned int n"},
      {"extern \"C\" __global__ __launch_bounds__(64, 2) void k(int x[], bool n = true) { }",
       "int* x, bool n"},
      {"template <class T, int N = 3> __global__ void k(T *x, T n) { *x = n + N; }\n"
       "template __global__ void k<short>(short *, short);",
       "short* x, short n"},
      {"typedef struct { int a; float *b; } P;\n__global__ void k(const P x, float4 n) { *x.b = "
       "n.x; }",
       "const P x, float4 n"},
      {"__global__ void k(void (*x)(int), float **n) { }", "void* x, float** n"},
  };
  for (const auto& [text, expected] : rows) {
    CAPTURE(text);
    CHECK(parameters(text, "k") == expected);
  }
}

TEST_CASE("block_size_attribute") {
  GPX_NEEDS_NVRTC();
  CHECK(parameters("__global__ void __launch_bounds__(64) k(int *o) { *o = 1; }", "k") == "int* o");
  const auto file = compiled(
      "__global__ void __block_size__((64, 1, 1)) k(int *o) { *o = 1; }\n"
      "__global__ void __cluster_dims__(2, 1, 1) j(int *p) { *p = 1; }",
      {}, {Target::Form::ptx, 90});
  REQUIRE(file.has_value());
  const auto entries = entries_of(file->artifact.ptx, file->declarations);
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].parameters[0].name == "o");
  CHECK(entries[1].parameters[0].name == "p");
  const auto clusters = [&](const std::string& size) {
    return compiled("__global__ void __block_size__((64, 1, 1), (" + size +
                        ", 1, 1)) k(int *o) { *o = 1; }",
                    {}, {Target::Form::ptx, 90})
        .map([](const CompiledFile& made) { return ptx::parse("k.ptx", made.artifact.ptx); });
  };
  REQUIRE(clusters("1").has_value());
  CHECK(clusters("1")->has_value());
  // A launch of N blocks would be one of 2 N.
  const auto two = clusters("2");
  REQUIRE(two.has_value());
  REQUIRE_FALSE(two->has_value());
  CHECK(has(render(two->error()), "count clusters"));
}

TEST_CASE("latin1_comment") {
  GPX_NEEDS_NVRTC();
  const std::string text =
      "\xef\xbb\xbf// gr\xf6\xdf"
      "er\r\n/* \xe4\r\n */ __device__ const char s[] = \"\xf6\";\r\n"
      "#define A(x) \\\r\n  x\r\n__global__ void k(int *o) { o[0] = A(s[o[1]]); }\r\n";
  CHECK(readable_text(text) ==
        "// gr??er\n/* ?\n */ __device__ const char s[] = \"\\366\";\n#define A(x) \\\n  x\n"
        "__global__ void k(int *o) { o[0] = A(s[o[1]]); }\n");
  CHECK(has(made(text).artifact.ptx, "246"));  // the byte 0xf6
  CHECK(readable_text("// \xc3\xb6\n") == "// \xc3\xb6\n");
  CHECK(readable_text("int \xf6;") == "int \xf6;");  // no comment: an error of whoever reads it
}

TEST_CASE("warnings_as_errors") {
  GPX_NEEDS_NVRTC();
  const std::string said = complaint_of(
      "__global__ void k(int *o) {\n  int i;\n  for (i = 0; i < 3; i++ {\n    o[i] = 1;\n  }\n"
      "  o[0] = 1;\n}\n");
  CHECK(has(said, "a.cu:3:3: error: expected a \")\""));
  CHECK_FALSE(has(said, "warning"));
  CHECK_FALSE(has(said, "hint"));
  CHECK_FALSE(has(said, "a.cu("));
  const auto errors = read_log(
      "a.cu(3): error: x\n  int error;\n\na.cu(3): error: x\na.cu(4): warning #12-D: an error: y\n"
      "h.h(7): catastrophic error: cannot open source file \"b\"\n"
      "ptxas application ptx input, line 12; error   : Unknown symbol 'z'\n"
      "clang: error: unsupported CUDA gpu architecture: sm_90\n2 errors detected in the "
      "compilation");
  REQUIRE(errors.size() == 4);
  CHECK(errors[0].line == 3);
  CHECK(errors[1].file == "h.h");
  CHECK(errors[2].ptx_line == 12);
  CHECK(errors[3].text == "unsupported CUDA gpu architecture: sm_90");
}

TEST_CASE("line_in_header") {
  GPX_NEEDS_NVRTC();
  const Folder folder;
  std::ofstream(folder / "own.h")
      << "// one\n// two\n\n__device__ int f(int a) {\n  return a + b;\n}\n";
  const auto failed = compile_file(
      Source(folder / "a.cu", "#include \"own.h\"\n__global__ void k(int *o) { *o = f(1); }"),
      kTarget, {}, ArtifactCache(""), nullptr);
  REQUIRE(!failed);
  const Diagnostic& first = failed.error().diagnostics.front();
  REQUIRE(first.location.has_value());
  CHECK(first.location->file.ends_with("own.h"));
  CHECK(first.location->line == 5);
  CHECK(first.location->line_text == "  return a + b;");
}

TEST_CASE("entry_by_cxx_name") {
  GPX_NEEDS_NVRTC();
  const std::string text =
      "namespace ns { __global__ void k(int *o) { o[0] = 1; } }\n"
      "template <class T, int N = 2> __global__ void t(T *o) { o[0] = N; }\n"
      "template <class T> __global__ void one(T *p) { p[0] = 1; }\n"
      "void run(float *f) { one<float><<<1, 1>>>(f); }\n"
      "__global__ void f(int *a) { }\n__global__ void f(float *b) { }\n";
  CHECK(parameters(text, "ns::k") == "int* o");
  CHECK(parameters(text, "k") == "int* o");
  CHECK(parameters(text, "t<float>") == "float* o");
  CHECK(parameters(text, "t<double, 3>") == "double* o");
  CHECK(parameters(text, "_ZN2ns1kEPi") == "int* o");
  CHECK(parameters(text, "one") == "float* p");
  CHECK(has(parameters(text, "t"), "it is a template: name an instance, such as t<float>"));
  CHECK(has(parameters(text, "f"), "_Z1fPi for f(int*), _Z1fPf for f(float*)"));
  CHECK(has(parameters(text, "ns::j"), "has no __global__ function 'ns::j'"));
}

TEST_CASE("wgmma_in_a_file") {
  GPX_NEEDS_NVRTC();
  const Target h100{Target::Form::ptx, 90};
  const auto file = compiled(
      "__global__ void k(int *o) {\n  asm volatile(\"setmaxnreg.inc.sync.aligned.u32 40;\");\n"
      "  o[threadIdx.x] = 1;\n}\n",
      {}, h100);
  if (!file) FAIL(render(file.error()));
  CHECK(has(file->artifact.ptx, ".target sm_90a"));
  const auto wrong =
      compiled("__global__ void k(int *o) {\n  asm volatile(\"nonsense.u32;\");\n  o[0] = 1;\n}\n",
               {}, h100);
  REQUIRE(!wrong);
  CHECK(has(render(wrong.error()), "a.cu:2:3: error: "));
}

TEST_CASE("a kernel that launches kernels is refused at its launch, with the way out") {
  GPX_NEEDS_NVRTC();
  const std::string launch =
      "__global__ void child(int* x) { x[0] = 1; }\n"
      "__global__ void parent(int* x) { child<<<1, 32>>>(x); }\n";
  const std::string said = complaint_of(launch);
  CHECK(has(said, "a.cu:2:"));
  CHECK(has(said, "gpx runs no kernel that launches kernels"));
  made("#ifndef __CUDACC_RTC__\n" + launch +
       "#endif\n__global__ void other(int* x) { x[0] = 2; }\n");
}

TEST_CASE("a file includes from folders that it is given") {
  GPX_NEEDS_NVRTC();
  const Folder folder;
  std::filesystem::create_directories(folder / "k");
  std::filesystem::create_directories(folder / "common");
  std::ofstream(folder / "common/own.h") << "#define N 3\n";
  const Source file(folder / "k/a.cu", "#include <own.h>\n__global__ void k(int *o) { *o = N; }");
  const auto with = [&](std::vector<std::string> includes) {
    return compile_file(file, kTarget, {0, {}, std::move(includes)}, ArtifactCache(""), nullptr);
  };
  CHECK_FALSE(with({}));
  CHECK(with({folder / "common"}));
}

}  // namespace
}  // namespace gpx::codegen::test
