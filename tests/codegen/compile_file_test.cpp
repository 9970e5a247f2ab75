// Kernels from a file: what they may include, and that a changed header is never a stale artifact.
#include <sys/stat.h>

#include "codegen/compile/standard_headers.h"
#include "codegen/user/user_kernel.h"
#include "support.h"
#include "tests/left_out.h"

namespace gpx::codegen::test {
namespace {

constexpr Target kPtx{Target::Form::ptx, 75};

void put_file(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

Result<CompiledFile> compile_in(const Folder& folder, const std::string& text) {
  const ArtifactCache cache(folder / "cache");
  return compile_file(Source(folder / "k/k.cu", text), kPtx, {}, cache, nullptr);
}

const std::string kKernel = "\n__global__ void k(int* a) { a[0] = N; }\n";

struct Spelling {
  const char* text;
  const char* header = "h.h";
};

TEST_CASE("a changed header is compiled anew, however it is included") {
  GPX_NEEDS_NVRTC();
  const Spelling spellings[] = {
      {"#include \"h.h\""},
      {"# include \"h.h\""},
      {"#/* */include/* */\"h.h\""},
      {"#inc\\\nlude \"h.h\""},
      {"%:include \"h.h\""},
      {"#define H \"h.h\"\n#include H"},
      {"#define I(x) <x>\n#include I(h.h)"},
      {"#include \"sub/../h.h\""},
      {"#include \"sub/a.h\"", "sub/b.h"},
  };
  for (const Spelling& spelling : spellings) {
    CAPTURE(spelling.text);
    const Folder folder;
    put_file(folder / "k/sub/a.h", "#include \"b.h\"\n");
    const std::string header = folder / (std::string("k/") + spelling.header);
    const auto with = [&](const std::string& definition) {
      put_file(header, definition);
      auto made = compile_in(folder, spelling.text + kKernel);
      if (!made) FAIL(render(made.error()));
      return *made;
    };
    const CompiledFile ten = with("#define N 10\n"), again = with("#define N 10\n");
    CHECK_FALSE(ten.artifact.from_cache);
    CHECK(again.artifact.from_cache);
    CHECK(again.artifact.hash == ten.artifact.hash);
    CHECK(again.registers == ten.registers);
    const CompiledFile one = with("#define N 1\n");
    CHECK_FALSE(one.artifact.from_cache);
    CHECK(one.artifact.ptx != ten.artifact.ptx);
    CHECK(one.artifact.hash != ten.artifact.hash);
    CHECK(with("#define N 10\n").artifact.hash == ten.artifact.hash);
  }
}

TEST_CASE("a file that comes or goes is a change: by __has_include, and before another") {
  GPX_NEEDS_NVRTC();
  const std::string asks =
      "#if __has_include(\"late.h\")\n#define N 2\n#else\n#define N 1\n#endif" + kKernel;
  const Folder folder;
  std::filesystem::create_directories(folder / "k");
  const auto without = compile_in(folder, asks);
  REQUIRE(without.has_value());
  CHECK(compile_in(folder, asks)->artifact.from_cache);
  put_file(folder / "k/late.h", "");
  const auto with = compile_in(folder, asks);
  REQUIRE(with.has_value());
  CHECK(with->artifact.ptx != without->artifact.ptx);
  CHECK(with->artifact.hash != without->artifact.hash);
  std::filesystem::remove(folder / "k/late.h");
  CHECK(compile_in(folder, asks)->artifact.ptx == without->artifact.ptx);

  const std::string half = "#include <cuda_fp16.h>\n#ifndef N\n#define N 1\n#endif" + kKernel;
  const auto own = compile_in(folder, half);
  REQUIRE(own.has_value());
  put_file(folder / "k/cuda_fp16.h", "#define N 2\n");
  CHECK(compile_in(folder, half)->artifact.ptx != own->artifact.ptx);
}

TEST_CASE("the toolkit's own headers can be included") {
  GPX_NEEDS_NVRTC();
  const Folder folder;
  const std::pair<const char*, const char*> uses[] = {
      {"cuda_fp16.h", "__global__ void k(__half* a) { a[0] = __hadd(a[1], a[2]); }"},
      {"cuda_bf16.h", "__global__ void k(__nv_bfloat16* a) { a[0] = a[1]; }"},
      {"cooperative_groups.h",
       "__global__ void k(int* a) { a[0] = cooperative_groups::this_thread_block().size(); }"},
      {"mma.h", "__global__ void k(int* a) { a[0] = nvcuda::wmma::mem_row_major; }"},
  };
  for (const auto& [header, use] : uses) {
    const auto& shown = header;
    CAPTURE(shown);
    const auto made = compile_in(folder, std::string("#include <") + header + ">\n" + use);
    if (!made) FAIL(render(made.error()));
    CHECK(entries_of(made->artifact.ptx, {}).size() == 1);
  }
}

TEST_CASE("C's headers can be included, the toolkit's own beside them") {
  GPX_NEEDS_NVRTC();
  const Folder folder;
  std::string all = "#include <cuda/std/cstdint>\n";
  for (const StandardHeader& header : standard_headers())
    all += fmt::format("#include <{}>\n", header.name);
  const auto made = compile_in(folder, all + R"(#include <cuda/std/climits>
__global__ void k(uint32_t* a, std::int64_t n, size_t m) {
  assert(n < 0);
  const double x = n > INT_MAX ? M_PI : FLT_MAX;
  a[0] = x < INFINITY && UINT8_MAX < m ? CHAR_BIT : sizeof(uintptr_t);
})");
  if (!made) FAIL(render(made.error()));
  CHECK(made->artifact.ptx.find("assertfail") != std::string::npos);
  const auto off = compile_in(folder,
                              "#define NDEBUG\n#include <assert.h>\n"
                              "__global__ void k(int* a) { assert(a == nullptr); }");
  if (!off) FAIL(render(off.error()));
  CHECK(off->artifact.ptx.find("assertfail") == std::string::npos);
  CHECK(compile_in(folder, "#include <vector>\n__global__ void k() {}").has_value());
}

TEST_CASE("nothing outside the kernel's folder and the toolkit's can be read or seen") {
  GPX_NEEDS_NVRTC();
  const Folder folder;
  put_file(folder / "secret.h", "#define N 42\n");
  put_file(folder / "k/sub/own.h", "#define N 1\n");
  std::filesystem::create_symlink(folder / "secret.h", folder / "k/link.h");
  std::filesystem::create_directory_symlink(folder.string(), folder / "k/up");
  ::mkfifo((folder / "k/pipe.h").c_str(), 0600);
  const std::string secret = folder / "secret.h";
  for (const std::string& name :
       {secret, std::string("../secret.h"), std::string("sub/../../secret.h"),
        std::string("link.h"), std::string("up/secret.h"), std::string("pipe.h"),
        std::string("/proc/sys/kernel/pid_max"), std::string("/etc/hostname"),
        std::string("/proc/self/cwd/tests/codegen/support.h"), std::string("/dev/stdin")}) {
    CAPTURE(name);
    const auto made = compile_in(folder, "#include \"" + name + "\"\n#define N 3" + kKernel);
    REQUIRE_FALSE(made.has_value());
    CHECK(made.error().diagnostics[0].message.find("cannot open source file") != std::string::npos);
    CHECK(made.error().diagnostics[0].location->line == 1);
    const auto asked =
        compile_in(folder, "#if __has_include(\"" + name +
                               "\")\n#define N 2\n#else\n#define N 1\n#endif" + kKernel);
    REQUIRE(asked.has_value());
    CHECK(asked->artifact.ptx.find(", 2;") == std::string::npos);
  }
  const auto refused = compile_in(folder, "#include \"../secret.h\"" + kKernel);
  CHECK(refused.error().diagnostics[0].hint.find("of its own folder and below") !=
        std::string::npos);
  CHECK(compile_in(folder, "#include \"sub/own.h\"" + kKernel).has_value());
}

TEST_CASE("__DATE__ and __TIME__ are the same on every day") {
  GPX_NEEDS_NVRTC();
  const Folder folder;
  std::filesystem::create_directories(folder / "k");
  const auto made = compile_in(folder,
                               "__device__ const char day[] = __DATE__ __TIME__;\n"
                               "static_assert(__DATE__[9] == '7' && __DATE__[10] == '0' &&\n"
                               "              __TIME__[0] == '0' && __TIME__[7] == '0');\n"
                               "__global__ void k(int* a) { a[0] = day[a[1]]; }\n");
  if (!made) FAIL(render(made.error()));
}

TEST_CASE("the hash of a file does not depend on the folder that gpx is run in") {
  GPX_NEEDS_NVRTC();
  const Folder folder;
  put_file(folder / "k/h.h", "#define N 1\n");
  const std::string text = "#include \"h.h\"" + kKernel;
  const auto by_whole_path = compile_in(folder, text);
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder / "k");
  const auto by_name = compile_file(Source("k.cu", text), kPtx, {}, ArtifactCache(""), nullptr);
  std::filesystem::current_path(before);
  REQUIRE(by_whole_path.has_value());
  REQUIRE(by_name.has_value());
  CHECK(by_name->artifact.hash == by_whole_path->artifact.hash);
}

}  // namespace
}  // namespace gpx::codegen::test
