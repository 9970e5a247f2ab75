// Independent thread scheduling: groups of lanes split, take turns, meet and wait.
#include "exec_support.h"
#include "runtime/device/vgpu/exec/context.h"

using namespace gpx::vgpu;
using namespace gpx::vgpu::exec;

namespace {

/// A kernel `k(out)`; `o` is the address of this thread's 32-bit slot, `t` its index.
std::string kernel(const std::string& body) {
  return ".version 9.0\n.target sm_75\n.address_size 64\n"
         ".visible .entry k(.param .u64 out) {\n"
         ".reg .pred p, q; .reg .b32 t, a, b, c; .reg .b64 o, w; .shared .u32 s[2];\n"
         "ld.param.u64 o, [out]; mov.u32 t, %tid.x; mad.wide.u32 o, t, 4, o; mov.u32 a, 0;\n" +
         body + "\nst.global.u32 [o], a; ret;\n}\n";
}

tl::expected<std::vector<std::uint32_t>, Trap> run(const std::string& body, std::uint32_t threads,
                                                   std::uint32_t turn) {
  Device device(kernel(body));
  device.model = Model::independent;
  device.turn = turn;
  device.limits.warp_instructions = 100000;
  auto out = device.buffer(std::vector<std::uint32_t>(threads));
  auto report = device.launch("k", grid_of(1, threads), out);
  if (!report) return tl::unexpected(report.error());
  return device.read<std::uint32_t>(out, threads);
}

}  // namespace

TEST_CASE("groups that go the same way go together behind the meeting point, for any turn") {
  for (const std::uint32_t turn : {1u, 2u, 7u, 64u, 1000u}) {
    CAPTURE(turn);
    const auto out =
        run("mov.u32 b, t;\nloop: setp.eq.u32 p, b, 0; @p bra done;\n"
            "add.u32 a, a, b; sub.u32 b, b, 1; bra loop;\n"
            "done: bar.warp.sync -1; activemask.b32 c; setp.ne.u32 q, c, -1;\n"
            "@q add.u32 a, a, 1000;",
            32, turn);
    REQUIRE(out);
    for (std::uint32_t t = 0; t < 32; ++t) CHECK((*out)[t] == t * (t + 1) / 2);
  }
}

TEST_CASE("a vote waits for the lanes of its mask, wherever they are") {
  const auto out =
      run("setp.lt.u32 p, t, 3; @p bra x; add.u32 b, b, 1; add.u32 b, b, 1;\n"
          "x: setp.lt.u32 q, t, 20; vote.sync.ballot.b32 a, q, -1;",
          32, 4);
  REQUIRE(out);
  for (const auto v : *out) CHECK(v == 0xfffffu);
}

TEST_CASE("a group in a spin lets the one that it waits for go on") {
  for (const std::uint32_t turn : {1u, 5u, 64u}) {
    CAPTURE(turn);
    const auto out =
        run("setp.ge.u32 p, t, 16; @p bra wait; mov.u32 b, 7; st.volatile.shared.u32 [s], b;\n"
            "mov.u32 a, 1; bra end;\n"
            "wait: ld.volatile.shared.u32 a, [s]; setp.eq.u32 q, a, 0; @q bra wait;\nend:",
            32, turn);
    REQUIRE(out);
    for (std::uint32_t t = 0; t < 32; ++t) CHECK((*out)[t] == (t < 16 ? 1 : 7));
  }
}

TEST_CASE("a barrier counts the threads that arrive, and those that have exited no more") {
  const auto out =
      run("setp.ge.u32 p, t, 60; @p exit; setp.lt.u32 p, t, 5; @p bra x;\n"
          "st.shared.u32 [s], 3; barrier.sync 0; ld.shared.u32 a, [s+4]; bra j;\n"
          "x: st.shared.u32 [s+4], 4; barrier.sync 0; ld.shared.u32 a, [s];\nj:",
          64, 16);
  REQUIRE(out);
  for (std::uint32_t t = 0; t < 60; ++t) CHECK((*out)[t] == (t < 5 ? 3 : 4));
}

TEST_CASE("a barrier that half a warp never comes to is a deadlock of the other half") {
  const auto out = run("setp.lt.u32 p, t, 16; @p bra x; barrier.sync 0, 64;\nx:", 32, 16);
  REQUIRE_FALSE(out);
  CHECK(out.error().message.starts_with("deadlock: warp 0"));
}

TEST_CASE("a meeting point is passed by a group at a time where the others are kept") {
  // Lanes 1 to 31 spin for lane 0, which has left the loop (Wong 2010, Listing 4).
  const auto out =
      run("l: ld.volatile.shared.u32 b, [s]; setp.ne.u32 p, b, t; @p bra l;\n"
          "add.u32 a, b, 1; st.volatile.shared.u32 [s], a;",
          32, 64);
  REQUIRE(out);
  for (std::uint32_t t = 0; t < 32; ++t) CHECK((*out)[t] == t + 1);
}
