// Lanes that come to one place apart: in calls, behind early returns, with member masks of their
// own.
#include "exec_support.h"

using namespace gpx::vgpu;
using namespace gpx::vgpu::exec;

namespace {

/// A kernel `k(out)`; `o` is the address of this thread's 32-bit slot, `t` its index; `a` is
/// stored.
std::string kernel(const std::string& body, const std::string& before = "") {
  return ".version 9.0\n.target sm_80\n.address_size 64\n" + before +
         ".visible .entry k(.param .u64 out) {\n"
         ".reg .pred p, q; .reg .b32 t, a, b, c, m; .reg .b64 o, w; .reg .f32 v;\n"
         ".shared .align 4 .b8 s[256];\n"
         "ld.param.u64 o, [out]; mov.u32 t, %tid.x; mad.wide.u32 o, t, 4, o; mov.u32 a, 0;\n" +
         body + "\nst.global.u32 [o], a; ret;\n}\n";
}

struct Ran {
  std::vector<std::uint32_t> out;
  std::uint64_t instructions = 0;
  std::string trap;  ///< "LINE: message"
  bool deadlock = false;
};

Ran run(const std::string& text, Model model, std::uint32_t turn = 64, std::uint32_t threads = 32,
        std::vector<std::uint32_t> slots = {}) {
  Device device(text);
  device.model = model;
  device.turn = turn;
  device.limits.warp_instructions = 100000;
  slots.resize(threads);
  auto out = device.buffer(slots);
  auto report = device.launch("k", grid_of(1, threads), out);
  if (!report)
    return {{},
            0,
            fmt::format("{}: {}", report.error().line, report.error().message),
            report.error().deadlock};
  return {device.read<std::uint32_t>(out, threads), report->warp_instructions, "", false};
}

/// f(lane) for all lanes, on both models and for several turns.
template <class F>
void check_lanes(const std::string& text, F expected) {
  for (const Model model : kModels) {
    for (const std::uint32_t turn : {1u, 5u, 64u}) {
      CAPTURE(model == Model::stack);
      CAPTURE(turn);
      const Ran ran = run(text, model, turn);
      REQUIRE(ran.trap == "");
      for (std::uint32_t t = 0; t < 32; ++t) CHECK(ran.out[t] == expected(t));
    }
  }
}

/// Odd lanes may leave by `out`, which none of them takes; all meet at `join`.
std::string with_way_out(const std::string& out, const std::string& before = "") {
  return kernel(
      "and.b32 b, t, 1; setp.eq.u32 p, b, 0; @p bra join;\n"
      "ld.global.u32 c, [o]; setp.eq.u32 q, c, 12345; @q bra out;\n"
      "mov.u32 b, 0;\nl: add.u32 b, b, 1; setp.lt.u32 q, b, 8; @q bra l;\n"
      "join: activemask.b32 a; bra end;\nout: " +
          out + "\nend:",
      before);
}

}  // namespace

TEST_CASE("call_zeroes_other_lanes: a call touches only the lanes that call") {
  // `kept` is written on the only path that reads it: a call makes it 0 before.
  const std::string f =
      ".func (.param .b32 r) f(.param .b32 x) {\n.reg .b32 n, k, kept, i; .reg .pred p, q;\n"
      "ld.param.b32 k, [x]; mov.u32 n, 0; setp.gt.s32 p, k, 0; @p mov.u32 kept, k;\n"
      "mov.u32 i, 0;\nl: add.u32 n, n, 1; add.u32 i, i, 1; setp.lt.u32 q, i, 200; @q bra l;\n"
      "@p add.u32 n, n, kept; st.param.b32 [r], n; ret; }\n";
  const std::string call =
      "{ .param .b32 x, y; st.param.b32 [x], b; call (y), f, (x); ld.param.b32 a, [y]; }\n";
  check_lanes(kernel("setp.lt.u32 p, t, 16; @p bra early; mov.u32 b, 0;\n"
                     "l: add.u32 b, b, 1; setp.lt.u32 q, b, 40; @q bra l;\nmov.u32 b, 6;\n" +
                         call + "bra j;\nearly: mov.u32 b, 5;\n" + call + "j:",
                     f),
              [](std::uint32_t t) { return t < 16 ? 205u : 206u; });
  // A call under a guard, with a branch inside: the others go on behind it.
  const std::string g =
      ".func g(.param .b64 in) {\n.reg .b32 v, i; .reg .b64 x; .reg .pred p;\nld.param.b64 x, "
      "[in];\n"
      "mov.u32 i, %tid.x; setp.lt.u32 p, i, 4; mov.u32 v, 1; @p bra e; mov.u32 v, 2;\n"
      "e: st.global.u32 [x], v; ret; }\n";
  check_lanes(
      kernel("setp.lt.u32 p, t, 8; { .param .b64 x; st.param.b64 [x], o;\n@p call g, (x); }\n"
             "ld.global.u32 a, [o]; add.u32 a, a, 10;",
             g),
      [](std::uint32_t t) { return t < 4   ? 11u
                                   : t < 8 ? 12u
                                           : 10u; });
}

TEST_CASE("bar.red writes its result to the lanes that executed it alone") {
  const Ran ran = run(kernel("mov.u32 a, 99; setp.lt.u32 p, t, 8; setp.lt.u32 q, t, 3; @!p bra j;\n"
                             "bar.red.popc.u32 a, 0, q;\nj: add.u32 a, a, 1;"),
                      Model::stack);
  REQUIRE(ran.trap == "");
  for (std::uint32_t t = 0; t < 32; ++t) CHECK(ran.out[t] == (t < 8 ? 4 : 100));
}

TEST_CASE("early_return_reconverge: ways out that no lane takes part none and cost nothing") {
  const std::string never = ".func never() { trap; }\n";
  for (const Model model : kModels) {
    CAPTURE(model == Model::stack);
    const Ran plain = run(with_way_out("ret;"), model);
    REQUIRE(plain.trap == "");
    for (const std::uint32_t a : plain.out) CHECK(a == 0xffffffff);
    for (const char* out : {"st.global.u32 [o], 7; ret;", "st.global.u32 [o], 7; exit;", "trap;",
                            "st.global.u32 [o], 7; trap;", "forever: bra forever;", "brkpt; exit;",
                            "setp.lt.u32 q, t, 9; @q bra x; st.global.u32 [o], 7; ret;\nx: "
                            "st.global.u32 [o], 8; ret;",
                            "setp.lt.u32 q, t, 9; @q bra x; st.global.u32 [o], 7; ret;\nx: trap;",
                            "call never; exit;",
                            "mov.u32 b, 0;\nx: add.u32 b, b, 1; setp.lt.u32 q, b, 9; @q bra x;\n"
                            "st.global.u32 [o], b; ret;"}) {
      CAPTURE(std::string(out));
      const Ran ran = run(with_way_out(out, never), model);
      CHECK(ran.trap == "");
      CHECK(ran.out == plain.out);
      CHECK(ran.instructions == plain.instructions);
    }
  }
}

TEST_CASE("early_return_reconverge: who leaves is gone, the others go on together") {
  std::vector<std::uint32_t> slots(32);
  slots[5] = slots[21] = 12345;
  const Ran ran = run(with_way_out("st.global.u32 [o], 7; ret;"), Model::stack, 64, 32, slots);
  REQUIRE(ran.trap == "");
  for (std::uint32_t t = 0; t < 32; ++t) CHECK(ran.out[t] == (t == 5 || t == 21 ? 7 : 0xffdfffdf));
}

TEST_CASE("early_return_reconverge: returns in loops, from functions and before barriers") {
  // A loop whose lanes may return, then a word from the neighbour.
  check_lanes(
      kernel("mov.u32 b, 0;\nl: ld.global.u32 c, [o]; setp.eq.u32 q, c, 12345; @q bra out;\n"
             "add.u32 b, b, 1; setp.le.u32 p, b, t; @p bra l;\n"
             "shfl.sync.bfly.b32 a, b, 1, 31, -1; bra end;\n"
             "out: st.global.u32 [o], 7; ret;\nend:"),
      [](std::uint32_t t) { return (t ^ 1) + 1; });
  // A function's value comes from one place behind all of its ways.
  const std::string f =
      ".func (.param .b32 r) f(.param .b32 in) {\n.reg .b32 x, v, i; .reg .pred p, q;\n"
      "ld.param.b32 x, [in]; and.b32 i, x, 1; setp.eq.u32 p, i, 0; @p bra rest;\nmov.u32 v, 7;\n"
      "setp.gt.u32 q, x, 1000; @q bra end;\n"
      "mov.u32 i, 0;\nl: add.u32 i, i, 1; setp.lt.u32 q, i, 8; @q bra l;\n"
      "rest: shfl.sync.bfly.b32 v, x, 1, 31, -1;\nend: st.param.b32 [r], v; ret; }\n";
  check_lanes(kernel("{ .param .b32 x, y; st.param.b32 [x], t; call (y), f, (x);\n"
                     "ld.param.b32 a, [y]; }",
                     f),
              [](std::uint32_t t) { return t ^ 1; });
  // The same inlined: a barrier stands before the place that all ways lead to.
  check_lanes(kernel("and.b32 b, t, 1; setp.eq.u32 p, b, 0; mov.u32 m, s; mad.lo.u32 m, t, 4, m;\n"
                     "@p bra rest;\nmov.u32 a, 7; setp.gt.u32 q, t, 1000; @q bra end;\n"
                     "mov.u32 b, 0;\nl: add.u32 b, b, 1; setp.lt.u32 q, b, 8; @q bra l;\n"
                     "rest: st.shared.u32 [m], t; bar.sync 0; xor.b32 b, t, 1; mov.u32 m, s;\n"
                     "mad.lo.u32 m, b, 4, m; ld.shared.u32 a, [m];\nend: add.u32 a, a, 1;"),
              [](std::uint32_t t) { return (t ^ 1) + 1; });
}

// Two of four ways share a piece of code that may return. Only what stands before the barrier is on
// all of them.
TEST_CASE("early_return_reconverge: lanes that go around a way out come to the barrier together") {
  check_lanes(kernel("mov.u32 m, s; mad.lo.u32 m, t, 4, m; and.b32 b, t, 3;\n"
                     "ld.global.u32 c, [o]; setp.gt.u32 p, b, 1; @p bra high;\n"
                     "setp.eq.u32 q, b, 0; @q bra meet;\nbra tail;\n"
                     "high: setp.eq.u32 q, b, 3; @q bra meet;\n"
                     "tail: add.u32 b, b, 1; setp.ne.u32 q, c, 12345; @q bra meet;\n"
                     "st.global.u32 [o], b; ret;\n"
                     "meet: st.shared.u32 [m], t; bar.sync 0; xor.b32 b, t, 1; mov.u32 m, s;\n"
                     "mad.lo.u32 m, b, 4, m; ld.shared.u32 a, [m];"),
              [](std::uint32_t t) { return t ^ 1; });
}

TEST_CASE("atomic_generic_shared: sums flush subnormals where they hit global memory") {
  const auto text = [](const std::string& sum) {
    return kernel(
        "mov.u64 w, s; cvta.shared.u64 w, w; st.u32 [w], 0; mov.f32 v, 0f00000001;\n"
        "setp.eq.u32 p, t, 0; " +
        sum + "\nld.u32 a, [w];");
  };
  for (const char* sum : {"@p atom.add.f32 v, [w], v;", "@p red.add.f32 [w], v;",
                          "@p atom.shared.add.f32 v, [s], v;", "@p red.shared.add.f32 [s], v;"}) {
    CAPTURE(std::string(sum));
    for (const std::uint32_t a : run(text(sum), Model::stack).out) CHECK(a == 1);
  }
  for (const char* sum :
       {"mov.u64 w, o; atom.add.f32 v, [w], v;", "mov.u64 w, o; red.add.f32 [w], v;",
        "mov.u64 w, o; red.global.add.f32 [w], v;"}) {
    CAPTURE(std::string(sum));
    for (const std::uint32_t a : run(text(sum), Model::stack).out) CHECK(a == 0);
  }
}

TEST_CASE(
    "mask_by_lane, partition_masks: the lanes of each member mask exchange among themselves") {
  const auto peers = [](std::uint32_t t) {
    std::uint32_t mask = 0;
    for (std::uint32_t i = 0; i < 32; ++i) mask |= i % 5 == t % 5 ? 1u << i : 0;
    return mask;
  };
  const std::string match = "rem.u32 b, t, 5; match.any.sync.b32 m, b, -1;\n";
  check_lanes(kernel(match + "mov.u32 a, m;"), peers);
  check_lanes(kernel(match + "brev.b32 c, m; clz.b32 c, c; shfl.sync.idx.b32 a, t, c, 31, m;"),
              [](std::uint32_t t) { return t % 5; });
  check_lanes(kernel(match + "setp.gt.u32 p, t, 9; vote.sync.ballot.b32 a, p, m;"),
              [&](std::uint32_t t) { return peers(t) & ~0x3ffu; });
  check_lanes(
      kernel(match + "setp.ne.u32 p, t, 7; vote.sync.all.pred q, p, m; selp.u32 a, 1, 0, q;"),
      [](std::uint32_t t) { return t % 5 == 2 ? 0u : 1u; });
  check_lanes(kernel(match + "redux.sync.max.u32 a, t, m;"),
              [](std::uint32_t t) { return t % 5 < 2 ? 30 + t % 5 : 25 + t % 5; });
  check_lanes(kernel(match + "shr.u32 c, t, 4; match.any.sync.b32 a, c, m;"),
              [&](std::uint32_t t) { return peers(t) & (t < 16 ? 0xffffu : 0xffff0000u); });
  check_lanes(kernel(match + "bar.warp.sync m; match.all.sync.b32 a|p, b, m;"), peers);
}

TEST_CASE("cg_tile: tiles exchange words, also those whose lanes come apart") {
  const std::string tile = "and.b32 b, t, 24; mov.u32 m, 255; shl.b32 m, m, b;\n";
  const std::string down = "shfl.sync.down.b32 a, t, 1, 6175, m;";  // a width of 8
  const auto expected = [](std::uint32_t t) { return t % 8 == 7 ? t : t + 1; };
  check_lanes(kernel(tile + down), expected);
  check_lanes(
      kernel(tile + "mov.u32 c, 0;\nl: add.u32 c, c, 1; setp.le.u32 p, c, t; @p bra l;\n" + down),
      expected);
  check_lanes(kernel(tile +
                     "setp.lt.u32 p, t, 8; @p bra x; mov.u32 c, 3; bra y;\n"
                     "x: mov.u32 c, 0;\nl: add.u32 c, c, 1; setp.lt.u32 q, c, 90; @q bra l;\ny: " +
                     down),
              expected);
  check_lanes(
      kernel(tile + "setp.lt.u32 p, t, 8; @!p bra y;\n" + down + "\nbra z;\ny: mov.u32 a, 50;\nz:"),
      [&](std::uint32_t t) { return t < 8 ? expected(t) : 50; });
}

TEST_CASE("bar.warp.sync meets at several places where groups take turns") {
  const Ran ran =
      run(kernel("setp.lt.u32 p, t, 9; mov.u32 m, s; mad.lo.u32 m, t, 4, m; @p bra x;\n"
                 "st.shared.u32 [m], t; bar.warp.sync -1; ld.shared.u32 a, [s]; bra j;\n"
                 "x: add.u32 b, t, 40; st.shared.u32 [m], b; bar.warp.sync -1;\n"
                 "ld.shared.u32 a, [s+124];\nj:"),
          Model::independent, 3);
  REQUIRE(ran.trap == "");
  for (std::uint32_t t = 0; t < 32; ++t) CHECK(ran.out[t] == (t < 9 ? 31 : 40));
}

TEST_CASE(
    "lanes that never come to an instruction of their member mask are reported, with its line") {
  const std::string apart =
      "setp.lt.u32 p, t, 16; @p bra x;\nvote.sync.ballot.b32 a, p, -1; bra j;\n"
      "x: vote.sync.any.pred q, p, -1;\nj:";
  for (const std::uint32_t turn : {1u, 64u}) {
    const Ran ran = run(kernel(apart), Model::independent, turn);
    CHECK(ran.deadlock);
    CHECK(ran.trap.find("deadlock: the instruction waits for lanes 0x") != std::string::npos);
    CHECK((ran.trap.starts_with("9: ") || ran.trap.starts_with("10: ")));
  }
  CHECK(run(kernel("setp.lt.u32 p, t, 16; selp.u32 m, 0xffff, -1, p;\n"
                   "vote.sync.ballot.b32 a, p, m;"),
            Model::stack)
            .trap ==
        "9: lanes 0xffff of the member mask 0xffffffff execute the instruction with another mask");
  // A barrier of the block that waits for the lanes that wait for those at it.
  const Ran ran = run(kernel("setp.lt.u32 p, t, 16; @p bra x;\nbarrier.sync 0; bra j;\n"
                             "x: vote.sync.any.pred q, p, -1;\nj:"),
                      Model::independent, 4);
  CHECK(ran.trap.find("deadlock") != std::string::npos);
}

TEST_CASE("negative_shared_index: an index before the array is shown as it was computed") {
  CHECK(run(kernel("mov.u32 m, s; mov.u64 w, -4; ld.shared.u32 a, [w];"), Model::stack).trap ==
        "8: shared address -4 is out of range: there are 256 bytes");
  CHECK(run(kernel("mov.u32 m, s; mov.u32 b, -4; st.shared.u32 [b], a;"), Model::stack).trap ==
        "8: shared address -4 is out of range: there are 256 bytes");
  CHECK(
      run(kernel("mov.u32 m, s; mov.u32 b, 33554432; st.shared.u32 [b], a;"), Model::stack).trap ==
      "8: shared address 0x2000000 is out of range: there are 256 bytes");
  CHECK(run(kernel(".local .b32 l[4]; mov.u32 b, -8; ld.local.u32 a, [b];"), Model::stack).trap ==
        "8: local address -8 is out of range: a thread has 16 bytes");
}
