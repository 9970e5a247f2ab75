// What the toolkit's headers are made of, as ordinary CUDA: kernels that check themselves
// (tests/public/kernels), a folder of them as one source, on both models of divergence.
#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>

#include "codegen/compile/nvrtc.h"
#include "exec_support.h"
#include "tests/left_out.h"

using namespace gpx;
using namespace gpx::vgpu;
using exec::Device;

namespace {

/// A file's launch, from its first line.
struct Launch {
  std::string entry;
  std::uint32_t grid = 0, block = 0;
};

/// The files of a folder as one source: includes first, the rest of each in a namespace.
struct Folder {
  std::vector<Launch> launches;
  std::string source;

  explicit Folder(const std::string& kind) {
    std::set<std::string> includes;
    std::string bodies;
    std::vector<std::string> paths;
    for (const auto& file :
         std::filesystem::directory_iterator(GPX_TESTS_DIR "/public/kernels/" + kind))
      paths.push_back(file.path().string());
    std::ranges::sort(paths);
    for (const std::string& path : paths) take(exec::read_text(path), includes, bodies);
    for (const std::string& line : includes) source += line + "\n";
    source += bodies;
  }

 private:
  void take(const std::string& text, std::set<std::string>& includes, std::string& bodies) {
    static const std::regex kFirst(R"(// gpx: --entry (\w+) --grid (\d+) --block (\d+) .*)");
    std::istringstream lines(text);
    std::string line;
    std::smatch found;
    REQUIRE((std::getline(lines, line) && std::regex_match(line, found, kFirst)));
    launches.push_back({found[1], static_cast<std::uint32_t>(std::stoul(found[2])),
                        static_cast<std::uint32_t>(std::stoul(found[3]))});
    bodies += fmt::format("namespace file_{} {{\n", launches.size());
    while (std::getline(lines, line))
      if (line.starts_with("#include"))
        includes.insert(line);
      else
        bodies += line + "\n";
    bodies += "}\n";
  }
};

std::string compiled(const std::string& source, const std::string& name, int sm) {
  const auto place = codegen::find_nvrtc();
  const auto nvrtc = codegen::Nvrtc::open(*place);
  if (!nvrtc) FAIL(render(nvrtc.error()));
  std::vector<std::string> options = {"-std=c++17", "--device-int128"};
  for (const std::string& folder : codegen::toolkit_includes(*place))
    options.push_back("-I" + folder);
  const auto made =
      (*nvrtc)->compile(source, name, {codegen::Target::Form::ptx, sm}, {.options = options});
  if (!made) FAIL(render(made.error()));
  REQUIRE_MESSAGE(made->ok, made->log);
  return made->ptx;
}

void check_folder(const std::string& kind, int sm) {
  const Folder folder(kind);
  const std::string ptx = compiled(folder.source, kind + ".cu", sm);
  for (const exec::Model model : exec::kModels)
    for (const Launch& launch : folder.launches) {
      CAPTURE(kind);
      CAPTURE(launch.entry);
      Device device(ptx);
      device.model = model;
      device.limits.warp_instructions = 1 << 22;
      const std::size_t threads = std::size_t{launch.grid} * launch.block;
      const auto ok = device.buffer(std::vector<int>(threads));
      exec::Grid grid = exec::grid_of(launch.grid, launch.block);
      grid.cluster = device.module.find(launch.entry)->bounds.cluster;
      device.run(launch.entry, grid, ok);
      CHECK(device.read<int>(ok, threads) == std::vector<int>(threads, 1));
    }
}

}  // namespace

TEST_CASE("async_copy_by_headers: copies of threads, groups and pipelines") {
  GPX_NEEDS_NVRTC();
  check_folder("async_copy", 90);
}

TEST_CASE("half_comparisons: halves, bfloats, numbers of 8 bits and vector atomics by headers") {
  GPX_NEEDS_NVRTC();
  for (const char* kind : {"half", "bf16", "fp8", "vector_atomics"}) check_folder(kind, 90);
}

TEST_CASE("wmma: fragments of every type, against plain products") {
  GPX_NEEDS_NVRTC();
  for (const char* kind : {"wmma", "mma"}) check_folder(kind, 90);
}

TEST_CASE("instructions_of_headers: SIMD in a word, barriers, atomics, warps, bits, mathematics") {
  GPX_NEEDS_NVRTC();
  for (const char* kind : {"simd", "barrier", "atomic", "warp", "bits", "mathematics"})
    check_folder(kind, 90);
  check_folder("simd", 75);
  check_folder("mathematics", 75);
}

TEST_CASE("video instructions: parts of words, against arithmetic of 64 bits") {
  GPX_NEEDS_NVRTC();
  check_folder("video", 90);
}

TEST_CASE("integers and atomics of 128 bits") {
  GPX_NEEDS_NVRTC();
  for (const char* kind : {"wide_atomics", "wide_integers"}) check_folder(kind, 90);
}

TEST_CASE("st.async, red.async and alloca") {
  GPX_NEEDS_NVRTC();
  for (const char* kind : {"async_stores", "stack"}) check_folder(kind, 90);
}

namespace {

/// A kernel of one thread that does `body` and stores the word d.
std::string one_thread(const std::string& body) {
  return ".version 8.8\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 out) {\n"
         ".reg .b32 a, b, c, d; .reg .b16 h; .reg .f32 f; .reg .b64 o, w, x; .reg .pred p, q;\n"
         ".shared .align 16 .b8 s[64];\nld.param.u64 o, [out];\nmov.b32 d, 0;\n" +
         body + "\nst.global.b32 [o], d;\nret;\n}\n";
}

}  // namespace

TEST_CASE("instructions_of_headers: values that PTX defines") {
  const struct {
    const char* body;
    std::uint32_t value;
  } rows[] = {
      {"mov.b32 a, 0x7fff8000; mov.b32 b, 0x00010001; add.s16x2 d, a, b;", 0x80008001},
      {"mov.b32 a, 0x7fff8000; mov.b32 b, 0x00010001; min.s16x2 d, a, b;", 0x00018000},
      {"mov.b32 a, 0x7fff8000; mov.b32 b, 0x00010001; max.u16x2 d, a, b;", 0x7fff8000},
      {"mov.b32 a, 0x80018000; mov.b32 b, 0x80020003; min.s16x2.relu d, a, b;", 0},
      {"mov.b32 a, -5; mov.b32 b, -7; max.s32.relu d, a, b;", 0},
      {"mov.b32 a, 0x010203ff; mov.b32 b, 0x04030201; vabsdiff4.u32.u32.u32.add d, a, b, 10;",
       3 + 1 + 1 + 254 + 10},
      {"mov.b32 a, 0x7f80ff01; mov.b32 b, 0x01ff0101; vadd4.s32.s32.s32.sat d, a, b, 0;",
       0x7f800002},
      {"mov.b32 a, 0x00050003; mov.b32 b, 0x00020004; vsub2.s32.s32.s32.add d, a, b, 0;", 2},
      {"mov.b32 a, 0x00050003; mov.b32 b, 0x00020003; vset2.u32.u32.ge d, a, b, 0;", 0x00010001},
      {"mov.b32 a, 300; mov.b32 b, -4; cvt.pack.sat.u8.s32.b32 d, a, b, 0x1234;", 0x1234ff00},
      {"mov.b32 a, 70000; mov.b32 b, -70000; cvt.pack.sat.s16.s32 d, a, b;", 0x7fff8000},
      {"mov.f32 f, 0f3f801000; cvt.rna.tf32.f32 d, f;", 0x3f802000},
      {"mov.f32 f, 0f3f801000; cvt.rn.tf32.f32 d, f;", 0x3f800000},
      {"mov.f32 f, 0f7f7fffff; cvt.rn.satfinite.tf32.f32 d, f;", 0x7f7fe000},
      {"mov.f32 f, 0fc0000000; cvt.rn.relu.f16.f32 h, f; cvt.u32.u16 d, h;", 0},
      {"mov.f32 f, 0f49742400; cvt.rn.satfinite.f16.f32 h, f; cvt.u32.u16 d, h;", 0x7bff},
      {"mov.b32 a, 0x3c003c00; mov.b32 b, 0x40003c00; set.eq.u32.f16x2 d, a, b;", 0x0000ffff},
      {"mov.b32 a, 0x3c003c00; mov.b32 b, 0x40003c00; set.lt.f16x2.f16x2 d, a, b;", 0x3c000000},
      {"mov.b32 a, 0x7fc03f80; set.nan.bf16x2.bf16x2 d, a, a;", 0x3f800000},
      {"mov.b32 a, 0x3c003c00; mov.b32 b, 0x40003c00; setp.ne.f16x2 p|q, a, b;\n"
       "selp.b32 c, 2, 0, q; @p add.u32 c, c, 1; mov.b32 d, c;",
       2},
      {"nanosleep.u32 100; pmevent 1; mov.b32 d, 7;", 7},
      {"createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 w, 0.5;\n"
       "st.global.L2::cache_hint.b32 [o], 5, w; ld.global.L2::cache_hint.b32 d, [o], w;",
       5},
      {"prefetch.global.L2 [o]; prefetch.global.L1 [o]; prefetchu.L1 [o]; discard.global.L2 [o], "
       "128;\n"
       "applypriority.global.L2::evict_normal [o], 128; prefetch.global.L2::evict_last [o];\n"
       "mov.b64 w, 64; prefetch.global.L2 [w]; mov.b32 d, 1;",
       1},
      {"fence.mbarrier_init.release.cluster; fence.proxy.async.shared::cta; fence.proxy.alias;\n"
       "fence.proxy.tensormap::generic.release.gpu; fence.acq_rel.cluster; mov.b32 d, 3;",
       3},
      {"mbarrier.init.shared.b64 [s], 3; mbarrier.arrive_drop.shared.b64 w, [s];\n"
       "mbarrier.arrive.noComplete.shared.b64 x, [s], 1; mbarrier.pending_count.b64 d, x;",
       2},
      {"st.shared.b32 [s], 9; cp.async.ca.shared.global [s], [o], 4, 0; cp.async.commit_group;\n"
       "cp.async.wait_group 0; ld.shared.b32 d, [s]; add.u32 d, d, 1;",
       1},
      {"st.shared.b32 [s], 9; setp.eq.u32 p, d, 0; cp.async.ca.shared.global [s], [o], 4, p;\n"
       "cp.async.wait_all; ld.shared.b32 d, [s]; add.u32 d, d, 1;",
       1},
  };
  for (const auto& row : rows) {
    INFO(row.body);
    Device device(one_thread(row.body));
    const auto out = device.buffer(std::vector<std::uint32_t>(64));
    device.run("k", exec::grid_of(1, 1), out);
    CHECK(device.read<std::uint32_t>(out, 1)[0] == row.value);
  }
}

// An H200: an illegal instruction without clusters; with __cluster_dims__(1, 1, 1) both work.
TEST_CASE("st.async and red.async need a launch in clusters, of one block at least") {
  for (const std::string what : {"st.async.weak", "red.async.relaxed.cluster"}) {
    CAPTURE(what);
    const std::string type = what == "st.async.weak" ? ".b32" : ".add.u32";
    Device device(one_thread(
        "mbarrier.init.shared.b64 [s], 1; mbarrier.arrive.expect_tx.shared.b64 w, [s], 4;\n"
        "st.shared.b32 [s+8], 1; mov.b32 a, s; mov.b32 b, a; add.u32 b, b, 8;\n" +
        what + ".shared::cluster.mbarrier::complete_tx::bytes" + type +
        " [b], 7, [a];\n"
        "again: mbarrier.try_wait.shared.b64 p, [s], w; @!p bra again; ld.shared.b32 d, [s+8];"));
    const auto out = device.buffer(std::vector<std::uint32_t>(1));
    exec::Grid grid = exec::grid_of(1, 1);
    const auto alone = device.launch("k", grid, out);
    REQUIRE(!alone);
    CHECK(alone.error().message.find("the launch has no clusters (__cluster_dims__(1, 1, 1)") !=
          std::string::npos);
    CHECK(alone.error().line == 11);
    grid.cluster = {1, 1, 1};
    device.run("k", grid, out);
    CHECK(device.read<std::uint32_t>(out, 1)[0] == (what == "st.async.weak" ? 7u : 8u));
  }
}
