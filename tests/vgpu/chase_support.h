// A pointer chase of one thread as hand-written PTX: the latency of each access, one after another.
#pragma once

#include "virtual_support.h"

namespace gpx::vgpu {

struct PtxChase {
  enum class Space { global, constant, texture };
  Space space = Space::global;
  std::string cache;                ///< ".cg": around L1
  std::uint64_t bytes = 0;          ///< Of the array.
  std::uint64_t stride = 0;         ///< Or...
  std::vector<std::uint64_t> list;  ///< ...the places, in order.
  std::uint32_t accesses = 0;       ///< Timed, at most 3000; 0: one pass.
  std::uint32_t before = 0;         ///< Untimed accesses before them; 0: two passes.
};

inline std::uint64_t places_of(const PtxChase& chase) {
  return chase.list.empty() ? (chase.bytes + chase.stride - 1) / chase.stride : chase.list.size();
}

inline std::string chase_ptx(const PtxChase& chase, std::uint32_t accesses) {
  std::string load, before;
  switch (chase.space) {
    case PtxChase::Space::global:
      load = "  ld.global" + chase.cache + ".u32 %r20, [%rd20];\n";
      break;
    case PtxChase::Space::constant:
      load = "  ld.const.u32 %r20, [%rd20];\n";
      before = fmt::format(".const .align 4 .b8 data[{}];\n", chase.bytes);
      break;
    case PtxChase::Space::texture:
      load = "  tex.1d.v4.u32.s32 {%r20, %r31, %r32, %r33}, [%rd2, {%r21}];\n";
      break;
  }
  const bool constant = chase.space == PtxChase::Space::constant;
  const std::string address =
      "  cvt.u64.u32 %rd20, %r20;\n  add.u64 %rd20, %rd20, %rd2;\n  shr.u32 %r21, %r20, 2;\n";
  const char* const scalars = constant ? "12" : "23";
  return probe_ptx(
      fmt::format("  .shared .align 4 .b8 kept[{}];\n", 4 * accesses) +
          (constant ? "  mov.u64 %rd2, data;\n" : "  ld.param.u64 %rd2, [p1];\n") +
          fmt::format("  ld.param.u64 %rd3, [p{}];\n  ld.param.u64 %rd4, [p{}];\n", scalars[0],
                      scalars[1]) +
          "  cvt.u32.u64 %r3, %rd3;\n  cvt.u32.u64 %r4, %rd4;\n  mov.u32 %r5, kept;\n" +
          fmt::format("  mov.u32 %r20, {};\n", chase.list.empty() ? 0 : chase.list[0]) +
          "BEFORE:\n" + address + load +
          "  sub.u32 %r3, %r3, 1;\n  setp.ne.u32 %p1, %r3, 0;\n  @%p1 bra BEFORE;\n"
          "TIMED:\n" +
          address + "  add.u32 %r22, %r21, %r20;\n  mov.u32 %r10, %clock;\n" + load +
          "  add.u32 %r22, %r20, 0;\n  mov.u32 %r11, %clock;\n"
          "  sub.u32 %r12, %r11, %r10;\n  st.shared.u32 [%r5], %r12;\n  add.u32 %r5, %r5, 4;\n"
          "  sub.u32 %r4, %r4, 1;\n  setp.ne.u32 %p1, %r4, 0;\n  @%p1 bra TIMED;\n" +
          fmt::format("  mov.u32 %r4, {};\n  mov.u32 %r5, kept;\n  mov.u64 %rd5, %rd1;\n",
                      accesses) +
          "OUT:\n  ld.shared.u32 %r12, [%r5];\n  cvt.u64.u32 %rd6, %r12;\n"
          "  st.global.u64 [%rd5], %rd6;\n  add.u32 %r5, %r5, 4;\n  add.u64 %rd5, %rd5, 8;\n"
          "  sub.u32 %r4, %r4, 1;\n  setp.ne.u32 %p1, %r4, 0;\n  @%p1 bra OUT;\n",
      constant ? 2 : 3, "", before);
}

/// Clocks of each access with the two clock reads around it.
inline std::vector<double> raw_latencies(Backend& gpu, const PtxChase& chase) {
  const auto places = static_cast<std::uint32_t>(places_of(chase));
  const std::uint32_t accesses = chase.accesses != 0 ? chase.accesses : places;
  REQUIRE(accesses <= 3000);
  Probe probe;
  codegen::Buffer data{"data", chase.bytes, false};
  data.place = chase.space == PtxChase::Space::constant  ? codegen::Buffer::Place::constant
               : chase.space == PtxChase::Space::texture ? codegen::Buffer::Place::texture
                                                         : codegen::Buffer::Place::global;
  data.has_contents = true;
  probe.program.buffers = {data};
  probe.program.records.keys = {{"access", {}}};
  probe.program.records.columns = {"latency"};
  codegen::Launch& launch = probe.launch();
  launch.record_extents = {accesses};
  launch.warmup = 0;
  launch.scalars = {chase.before != 0 ? chase.before : 2 * places, accesses};
  codegen::ChaseContents contents;
  contents.bytes = chase.bytes;
  contents.kind = chase.list.empty() ? Array::Layout::Kind::stride : Array::Layout::Kind::list;
  contents.args = chase.list.empty() ? std::vector<std::uint64_t>{chase.stride} : chase.list;
  launch.contents = {contents};
  const Repetition repetition = probe.run_or_fail(gpu, chase_ptx(chase, accesses));
  return {repetition.results.begin(), repetition.results.end()};
}

}  // namespace gpx::vgpu
