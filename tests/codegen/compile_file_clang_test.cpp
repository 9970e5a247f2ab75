// Kernels from a file, by clang: what they may include, and what is said. No toolkit is needed.
#include <algorithm>

#include "codegen/compile/clang/clang.h"
#include "codegen/compile/standard_headers.h"
#include "codegen/ptx/text.h"
#include "codegen/user/user_kernel.h"
#include "support.h"
#include "tests/left_out.h"

namespace gpx::codegen::test {
namespace {

void put_file(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

Result<CompiledFile> compile_in(const Folder& folder, const std::string& text) {
  std::filesystem::create_directories(folder / "k");
  return compile_file(Source(folder / "k/k.cu", text), **find_clang(), 75);
}

std::string complaint_in(const Folder& folder, const std::string& text) {
  const auto made = compile_in(folder, text);
  return made ? "none" : render(made.error());
}

const std::string kKernel = "\n__global__ void k(int* a) { a[0] = N; }\n";

TEST_CASE("files of the kernel's folder and below are included, and a change of them is seen") {
  GPX_NEEDS_CLANG();
  const Folder folder;
  put_file(folder / "k/sub/a.h", "#include \"b.h\"\n");
  for (const std::string include : {"#include \"sub/a.h\"", "#define A <sub/a.h>\n#include A"}) {
    put_file(folder / "k/sub/b.h", "#define N 10\n");
    const auto ten = compile_in(folder, include + kKernel);
    if (!ten) FAIL(render(ten.error()));
    CHECK(compile_in(folder, include + kKernel)->artifact.hash == ten->artifact.hash);
    put_file(folder / "k/sub/b.h", "#define N 1\n");
    const auto one = compile_in(folder, include + kKernel);
    REQUIRE(one.has_value());
    CHECK(one->artifact.ptx != ten->artifact.ptx);
    CHECK(one->artifact.hash != ten->artifact.hash);
    CHECK(one->registers == std::vector<std::pair<std::string, std::uint32_t>>{{"_Z1kPi", 0}});
  }
}

TEST_CASE("__DATE__ and __TIME__ are the same on every day") {
  GPX_NEEDS_CLANG();
  const Folder folder;
  const auto made = compile_in(folder,
                               "__device__ const char day[] = __DATE__ __TIME__;\n"
                               "static_assert(__DATE__[9] == '7' && __DATE__[10] == '0' &&\n"
                               "              __TIME__[0] == '0' && __TIME__[7] == '0');\n"
                               "__global__ void k(int* a) { a[0] = day[a[1]]; }\n");
  if (!made) FAIL(render(made.error()));
}

TEST_CASE("C's headers can be included, and the code's hash is the same each time") {
  GPX_NEEDS_CLANG();
  const Folder folder;
  std::string text;
  for (const StandardHeader& header : standard_headers())
    if (std::string_view(header.name) != kNamesHeader)  // of functions that clang has not
      text += fmt::format("#include <{}>\n", header.name);
  text += "__global__ void k(uint32_t* a, std::int64_t n) { a[0] = n < INT_MAX ? M_PI : FLT_MAX; }";
  const auto made = compile_in(folder, text);
  if (!made) FAIL(render(made.error()));
  CHECK(compile_in(folder, text)->artifact.hash == made->artifact.hash);
}

TEST_CASE("a copy of a vector is one access, as NVRTC makes it") {
  GPX_NEEDS_CLANG();
  const Folder folder;
  const auto made =
      compile_in(folder,
                 "extern \"C\" __global__ void k(float4* out, const float4* in, double2* to, const "
                 "double2* of) "
                 "{\n  const float4 a = in[threadIdx.x];\n  const double2 b = of[threadIdx.x];\n"
                 "  __syncthreads();\n  out[threadIdx.x] = a;\n  to[threadIdx.x] = b;\n}\n");
  if (!made) FAIL(render(made.error()));
  for (const char* access :
       {"ld.global.v4.f32", "st.global.v4.f32", "ld.global.v2.f64", "st.global.v2.f64"})
    CHECK(made->artifact.ptx.find(access) != std::string::npos);
  CHECK(made->artifact.ptx.find(".local") == std::string::npos);
}

TEST_CASE("no line of a file outside the kernel's folder is read or told") {
  GPX_NEEDS_CLANG();
  const Folder folder;
  put_file(folder / "secret.h", "#define N 42\nhunter2;\n#error hunter2\n");
  put_file(folder / "k/sub/own.h", "");
  std::filesystem::create_symlink(folder / "secret.h", folder / "k/link.h");
  const std::string secret = folder / "secret.h";
  for (const std::string& name :
       {secret, std::string("../secret.h"), std::string("link.h"),
        std::string("sub/../../secret.h"), std::string("/etc/hostname")}) {
    CAPTURE(name);
    const std::string said = complaint_in(folder, "#include \"" + name + "\"" + kKernel);
    CHECK(said.find("cannot open ") != std::string::npos);
    CHECK(said.find("of its own folder and below") != std::string::npos);
    CHECK(said.find("hunter2") == std::string::npos);
  }
}

TEST_CASE("a macro makes no #include") {
  GPX_NEEDS_CLANG();
  const Folder folder;
  put_file(folder / "secret.h", "hunter2\n");
  for (const std::string hash : {"#", "%:"}) {
    const std::string said =
        complaint_in(folder, "#define HASH " + hash + "\nHASH include \"../secret.h\"\n" +
                                 "#define N 1" + kKernel);
    CHECK(said.find("a macro makes a line that begins with #") != std::string::npos);
    CHECK(said.find("hunter2") == std::string::npos);
  }
}

TEST_CASE("lines of the PTX are lines of the file") {
  GPX_NEEDS_CLANG();
  const Folder folder;
  const auto made =
      compile_in(folder, "// one\n\n__global__ void k(int* a) {\n  a[threadIdx.x] = 3;\n}\n");
  REQUIRE(made.has_value());
  const std::string& ptx = made->artifact.ptx;
  const auto store = ptx.begin() + static_cast<long>(ptx.find("st.global"));
  const auto places =
      ptx::source_places(ptx, static_cast<int>(1 + std::count(ptx.begin(), store, '\n')));
  REQUIRE_FALSE(places.empty());
  CHECK(places.front().line == 4);
}

TEST_CASE("mistakes stand at their lines, with what the toolkit would have had") {
  GPX_NEEDS_CLANG();
  const Folder folder;
  const std::string unknown =
      complaint_in(folder, "\n__global__ void k(float* a) { a[0] = erff(1); }");
  CHECK(unknown.find("k.cu:2:") != std::string::npos);
  CHECK(unknown.find("erff") != std::string::npos);
  CHECK(unknown.find("CUDA toolkit") != std::string::npos);
  const std::string header = complaint_in(folder, "#include <cuda_fp16.h>\n#define N 1" + kKernel);
  CHECK(header.find("k.cu:1:") != std::string::npos);
  CHECK(header.find("'cuda_fp16.h' file not found") != std::string::npos);
  CHECK(header.find("need the CUDA toolkit") != std::string::npos);
}

}  // namespace
}  // namespace gpx::codegen::test
