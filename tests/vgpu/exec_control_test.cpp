// Control flow of warps and blocks: divergence, calls, barriers, and what traps.
#include "exec_support.h"

using namespace gpx::vgpu;
using namespace gpx::vgpu::exec;
namespace ptx = gpx::ptx;

namespace {

/// A kernel `k(out)`; `o` is the address of this thread's 32-bit slot, `t` its index.
std::string kernel(const std::string& body, const std::string& before = "") {
  return ".version 9.0\n.target sm_75\n.address_size 64\n" + before +
         ".visible .entry k(.param .u64 out) {\n"
         ".reg .pred p, q; .reg .b32 t, a, b, c; .reg .b64 o, w;\n"
         "ld.param.u64 o, [out]; mov.u32 t, %tid.x; mad.wide.u32 o, t, 4, o; mov.u32 a, 0;\n" +
         body + "\nst.global.u32 [o], a; ret;\n}\n";
}

std::vector<std::uint32_t> run(const std::string& text, std::uint32_t threads) {
  Device device(text);
  auto out = device.buffer(std::vector<std::uint32_t>(threads));
  device.run("k", grid_of(1, threads), out);
  return device.read<std::uint32_t>(out, threads);
}

/// "LINE: message" of the trap.
std::string trap_of(const std::string& text, std::uint32_t threads = 32) {
  Device device(text);
  device.limits.warp_instructions = 100000;
  auto out = device.buffer(std::vector<std::uint32_t>(threads));
  auto report = device.launch("k", grid_of(1, threads), out);
  return report ? "" : fmt::format("{}: {}", report.error().line, report.error().message);
}

}  // namespace

TEST_CASE("the taken path runs first") {
  // Each path takes a ticket: lanes that branch get the first one.
  auto out = run(kernel(".shared .u32 s; st.shared.u32 [s], 0; setp.lt.u32 p, t, 10;\n"
                        "@p bra taken;\n"
                        "ld.shared.u32 a, [s]; add.u32 b, a, 1; st.shared.u32 [s], b; bra join;\n"
                        "taken: ld.shared.u32 a, [s]; add.u32 b, a, 1; st.shared.u32 [s], b;\n"
                        "join: add.u32 a, a, 100;"),
                 32);
  for (std::uint32_t t = 0; t < 32; ++t) CHECK(out[t] == (t < 10 ? 100 : 101));
}

TEST_CASE("lanes of a loop with different trip counts meet behind it") {
  auto out = run(kernel("mov.u32 b, t;\nloop: setp.eq.u32 p, b, 0; @p bra done;\n"
                        "add.u32 a, a, b; sub.u32 b, b, 1; bra loop;\n"
                        "done: activemask.b32 c; setp.ne.u32 q, c, -1; @q add.u32 a, a, 1000;"),
                 32);
  for (std::uint32_t t = 0; t < 32; ++t) CHECK(out[t] == t * (t + 1) / 2);
}

TEST_CASE("lanes that leave under a guard are gone, the others go on together") {
  auto out = run(kernel("mov.u32 a, 5; and.b32 b, t, 1; setp.eq.u32 p, b, 1;\n"
                        "@p st.global.u32 [o], 9; @p exit; activemask.b32 a;"),
                 32);
  for (std::uint32_t t = 0; t < 32; ++t) CHECK(out[t] == (t & 1 ? 9 : 0x55555555u));
}

TEST_CASE("a jump table sends each lane to its own target") {
  auto out = run(kernel("and.b32 b, t, 3; ts: .branchtargets x0, x1, x0, x2;\nbrx.idx b, ts;\n"
                        "x0: add.u32 a, a, 10; bra j; x1: add.u32 a, a, 20; bra j;\n"
                        "x2: add.u32 a, a, 30;\nj: activemask.b32 c; setp.ne.u32 p, c, -1;\n"
                        "@p add.u32 a, a, 1000;"),
                 32);
  constexpr std::uint32_t kExpected[] = {10, 20, 10, 30};
  for (std::uint32_t t = 0; t < 32; ++t) CHECK(out[t] == kExpected[t & 3]);
}

TEST_CASE("a register that is read before any write is 0, in every launch") {
  std::string text = kernel("add.u32 a, c, 1; mov.u32 c, 77;");
  Device device(text);
  auto out = device.buffer(std::vector<std::uint32_t>(32));
  const ptx::Function& entry = device.module.functions[0];
  std::vector<std::uint8_t> parameters(8);
  std::memcpy(parameters.data(), &out, 8);
  Executor executor(device.module, entry, grid_of(1, 32), parameters, device.memory);
  Block block;
  for (int launch = 0; launch < 2; ++launch) {
    executor.start(block, {0, 0, 0});
    while (!block.warps[0].exited()) REQUIRE(executor.step(block.warps[0], {}));
    for (auto v : device.read<std::uint32_t>(out, 32)) CHECK(v == 1);
  }
}

TEST_CASE("special registers describe the thread, the block and the machine") {
  Device device(
      kernel("mov.u32 a, %tid.y; mov.u32 b, %tid.z; mad.lo.u32 a, b, 10, a;\n"
             "mov.u32 b, %ctaid.y; mad.lo.u32 a, b, 100, a; mov.u32 b, %nwarpid;\n"
             "mad.lo.u32 a, b, 1000, a; mov.u32 b, %laneid; mov.u32 c, %warpid;\n"
             "mad.lo.u32 b, c, 32, b; mul.wide.u32 w, b, 4; ld.param.u64 o, [out];\n"
             "add.u64 o, o, w;"));
  auto out = device.buffer(std::vector<std::uint32_t>(48));
  device.run("k", Grid{{1, 2, 1}, {4, 3, 4}, 0}, out);
  auto values = device.read<std::uint32_t>(out, 48);
  for (std::uint32_t i = 0; i < 48; ++i) {
    CHECK(values[i] == i / 4 % 3 + i / 12 * 10 + 100 + 2000);
  }
}

TEST_CASE("each step tells what it did") {
  Device device(
      kernel("setp.lt.u32 p, t, 4; @p ld.global.u32 a, [o];\n@p bra x; bar.sync 1, 32;\n"
             "x: red.global.add.u32 [o], 1;"));
  auto out = device.buffer(std::vector<std::uint32_t>(32));
  std::vector<std::uint8_t> parameters(8);
  std::memcpy(parameters.data(), &out, 8);
  Executor executor(device.module, device.module.functions[0], grid_of(1, 32), parameters,
                    device.memory);
  Block block;
  executor.start(block, {0, 0, 0});
  Warp& warp = block.warps[0];
  auto until = [&](std::string_view name) {
    while (executor.next(warp).name != name) REQUIRE(executor.step(warp, {}));
    const Effect* effect = executor.step(warp, {});
    REQUIRE(effect);
    return *effect;
  };
  until("setp");
  Effect load = until("ld");
  CHECK(load.active == 0xf);
  CHECK(load.space == ptx::Space::global);
  CHECK(load.is_load);
  CHECK_FALSE(load.is_store);
  CHECK(load.bytes == 4);
  CHECK((*load.addresses)[3] == out + 12);
  CHECK(until("bra").diverged);
  Effect barrier = until("bar.sync");
  CHECK(barrier.barrier);
  CHECK(barrier.barrier_id == 1);
  CHECK(barrier.barrier_threads == 32);
  CHECK(warp.at_barrier);
  warp.at_barrier = false;
  Effect red = until("red.add");
  CHECK(red.active == kWarpSize * 0 + 0xffffffffu);
  CHECK(red.is_atomic);
  CHECK_FALSE(red.is_load);
  until("st");
  CHECK(until("ret").exited);
}

TEST_CASE("producers arrive, consumers wait: named barriers with thread counts") {
  auto out = run(kernel(".shared .align 4 .b8 s[128]; mov.u32 c, s; and.b32 b, t, 31;\n"
                        "mad.lo.u32 c, b, 4, c; setp.ge.u32 p, t, 32; @p bra produce;\n"
                        "bar.sync 3, 64; ld.shared.u32 a, [c]; bra j;\n"
                        "produce: mul.lo.u32 b, b, 7; st.shared.u32 [c], b; bar.arrive 3, 64;\nj:"),
                 64);
  for (std::uint32_t t = 0; t < 32; ++t) CHECK(out[t] == 7 * t);
}

TEST_CASE("a barrier in both halves of a warp does not wait for the other half") {
  // Wong 2010, Listing 5: barriers count warps.
  auto out = run(kernel(".shared .u32 s; st.shared.u32 [s], 0; setp.lt.u32 p, t, 16; @p bra x;\n"
                        "bar.sync 0; ld.shared.u32 a, [s]; bra j;\n"
                        "x: st.shared.u32 [s], 5; bar.sync 0; ld.shared.u32 a, [s];\nj:"),
                 32);
  for (auto v : out) CHECK(v == 5);
}

TEST_CASE("what cannot go on is a trap with the line of the instruction") {
  struct Row {
    std::string body, trap;
  };
  const Row rows[] = {
      {"trap;", "7: the kernel executed trap"},
      {"\nmov.u64 w, 64; ld.global.u32 a, [w];", "8: global address 0x40 is outside every buffer"},
      {"ld.global.u32 a, [o+128];", "7: global address 0x100000080 is outside every buffer"},
      {"ld.u32 a, [o+1024];", "7: generic address 0x100000400 is outside every buffer"},
      {"st.global.u32 [o+2], a;",
       "7: address 0x100000002 is not a multiple of the access' 4 bytes"},
      {".shared .b32 s[4]; mov.u32 b, s; ld.shared.u32 a, [b+16];",
       "7: shared address 0x10 is out of range: there are 16 bytes"},
      {".local .b32 l[4]; mov.u32 b, l; ld.local.u32 a, [b+16];",
       "7: local address 0x10 is out of range: a thread has 16 bytes"},
      {"vote.sync.ballot.b32 a, p, 3;",
       "7: lanes 0xfffffffc execute the instruction but are not in its member mask"},
      {"l: bra l;",
       "7: deadlock: the 1 warp that is not at a barrier repeats itself without any change, for "
       "ever"},
      {"bar.sync 0, 64;",
       "7: deadlock: warp 0 of block (0, 0, 0) waits at a barrier for warps that never come"},
      {"bar.sync 16;", "7: barrier 16 does not exist: there are 16"},
      {"bar.sync 0, 33;", "7: a barrier of 33 threads is not of whole warps"},
      {"ts: .branchtargets x, x; brx.idx t, ts;\nx:",
       "7: brx.idx: the index is past the list of targets"},
  };
  for (const Row& row : rows) {
    INFO(row.body);
    std::string trap = trap_of(kernel(row.body));
    CHECK(trap == row.trap);
  }
}

TEST_CASE("endless recursion overflows the stack of its thread") {
  std::string function =
      ".func f(.param .b32 x) { .reg .b32 r; .param .b32 y;\n"
      "ld.param.b32 r, [x]; st.param.b32 [y], r; call f, (y); ret; }\n";
  std::string trap = trap_of(kernel(".param .b32 v; st.param.b32 [v], t; call f, (v);", function));
  CHECK(trap == "5: the call of 'f' overflows the stack");
}
