// Addresses as initial values, and calls by address, in PTX by hand.
#include "exec_support.h"

using namespace gpx;
using namespace gpx::vgpu;

namespace {

const std::string kHead = ".version 9.0\n.target sm_75\n.address_size 64\n";

TEST_CASE("address_initialisers: whole, with offsets, of both spaces and of functions") {
  exec::Device device(kHead + R"(
.global .align 4 .u32 cells[4] = {10, 20, 30, 40};
.const .align 4 .u32 fixed[2] = {7, 8};
.func f() ;
.global .align 8 .u64 whole[5] = {generic(cells)+4, generic(cells+8), cells, 3, generic(fixed)+4};
.const .align 8 .u64 table[2] = {generic(cells), f};
.global .align 4 .u32 zeros[3];
.func f() { ret; }
.visible .entry k(.param .u64 out) {
  .reg .b64 o, p, q; .reg .b32 r;
  ld.param.u64 o, [out];
  ld.global.u64 p, [whole]; ld.u32 r, [p]; st.global.u32 [o], r;
  ld.global.u64 p, [whole+8]; ld.u32 r, [p]; st.global.u32 [o+4], r;
  ld.global.u64 p, [whole+16]; ld.global.u32 r, [p]; st.global.u32 [o+8], r;
  ld.global.u32 r, [whole+24]; st.global.u32 [o+12], r;
  ld.global.u64 p, [whole+32]; ld.u32 r, [p]; st.global.u32 [o+16], r;
  ld.const.u64 p, [table]; ld.u32 r, [p+8]; st.global.u32 [o+20], r;
  ld.const.u64 p, [table+8]; mov.u64 q, f; sub.u64 p, p, q; st.global.u32 [o+24], p;
  ld.global.u32 r, [zeros+8]; st.global.u32 [o+28], r;
  ret;
}
)");
  const auto out = device.buffer(std::vector<std::uint32_t>(8, 99));
  device.run("k", exec::grid_of(1, 1), out);
  CHECK(device.read<std::uint32_t>(out, 8) ==
        std::vector<std::uint32_t>{20, 30, 10, 3, 8, 30, 0, 0});
}

TEST_CASE("address_initialisers: bytes of an address make the address") {
  exec::Device device(kHead + R"(
.global .align 4 .u32 cells[4] = {10, 20, 30, 40};
.global .align 8 .b8 bytes[8] = {0xFF(generic(cells)+12), 0xFF00(generic(cells)+12),
  0xFF0000(generic(cells)+12), 0xFF000000(generic(cells)+12), 0xFF00000000(generic(cells)+12),
  0xFF0000000000(generic(cells)+12), 0xFF000000000000(generic(cells)+12),
  0xFF00000000000000(generic(cells)+12)};
.visible .entry k(.param .u64 out) {
  .reg .b64 o, p; .reg .b32 r;
  ld.param.u64 o, [out];
  ld.global.u64 p, [bytes]; ld.u32 r, [p]; st.global.u32 [o], r; ret;
}
)");
  const auto out = device.buffer(std::vector<std::uint32_t>(1, 0));
  device.run("k", exec::grid_of(1, 1), out);
  CHECK(device.read<std::uint32_t>(out, 1).front() == 40);
}

TEST_CASE("variables without initial values are zeros, whatever their memory held before") {
  const std::string text = kHead + R"(
.global .align 4 .u32 counter;
.visible .entry k(.param .u64 out) {
  .reg .b64 o, a; .reg .b32 r;
  ld.param.u64 o, [out]; mov.u64 a, counter;
  atom.global.add.u32 r, [a], 1; st.global.u32 [o], r; ret;
}
)";
  for (int turn = 0; turn < 4; ++turn) {
    exec::Device device(text);
    const auto out = device.buffer(std::vector<std::uint32_t>(1, 99));
    device.run("k", exec::grid_of(1, 1), out);
    CHECK(device.read<std::uint32_t>(out, 1).front() == 0);
    // What the next one's pages may be made of.
    device.buffer(std::vector<std::uint8_t>(64 << 10, 0xa5));
  }
}

const std::string kCalls = kHead + R"(
.func (.param .b32 r) add(.param .b32 a) {
  .reg .b32 x; ld.param.u32 x, [a]; add.u32 x, x, 100; st.param.b32 [r], x; ret; }
.func (.param .b32 r) mul(.param .b32 a) {
  .reg .b32 x; ld.param.u32 x, [a]; mul.lo.u32 x, x, 3; st.param.b32 [r], x; ret; }
.func nothing() { ret; }
.global .align 8 .u64 table[3] = {add, mul, nothing};
.visible .entry k(.param .u64 out, .param .u32 modulus) {
  .reg .b64 o, f, a; .reg .b32 t, i, m, x; .reg .pred p;
  ld.param.u64 o, [out]; ld.param.u32 m, [modulus];
  mov.u32 t, %tid.x; rem.u32 i, t, m;
  mul.wide.u32 a, i, 8; mov.u64 f, table; add.u64 f, f, a; ld.global.u64 f, [f];
  setp.lt.u32 p, t, 30;
  mov.u32 x, 1;
  {
  .param .b32 in; st.param.b32 [in], t;
  .param .b32 back;
  prototype : .callprototype (.param .b32 _) _ (.param .b32 _);
  @p call (back), f, (in), prototype;
  @p ld.param.b32 x, [back];
  }
  mul.wide.u32 a, t, 4; add.u64 o, o, a; st.global.u32 [o], x; ret;
}
)";

TEST_CASE("lanes of a warp call different functions by address, others none") {
  for (const exec::Model model : exec::kModels)
    for (const std::uint32_t turn : {1u, 3u, 16u}) {
      exec::Device device(kCalls);
      device.model = model;
      device.turn = turn;
      const auto out = device.buffer(std::vector<std::uint32_t>(32, 0));
      device.run("k", exec::grid_of(1, 32), out, std::uint32_t{2});
      std::vector<std::uint32_t> expected;
      for (std::uint32_t t = 0; t < 32; ++t)
        expected.push_back(t >= 30 ? 1 : t % 2 == 0 ? t + 100 : 3 * t);
      CHECK(device.read<std::uint32_t>(out, 32) == expected);
    }
}

TEST_CASE("a call by an address that no such function has is a fault") {
  exec::Device device(kCalls);
  const auto out = device.buffer(std::vector<std::uint32_t>(32, 0));
  const auto other = device.launch("k", exec::grid_of(1, 32), out, std::uint32_t{3});
  REQUIRE_FALSE(other);
  CHECK(other.error().message == "a call of a function that takes or returns something else");
}

TEST_CASE("an alias is called as the function that it names") {
  exec::Device device(kHead + R"(
.func (.param .b32 r) one() { st.param.b32 [r], 1; ret; }
.func (.param .b32 r) other() ;
.alias other, one;
.visible .entry k(.param .u64 out) {
  .reg .b64 o; .reg .b32 x;
  ld.param.u64 o, [out];
  { .param .b32 back; call (back), other; ld.param.b32 x, [back]; }
  st.global.u32 [o], x; ret;
}
)");
  const auto out = device.buffer(std::vector<std::uint32_t>(1, 0));
  device.run("k", exec::grid_of(1, 1), out);
  CHECK(device.read<std::uint32_t>(out, 1).front() == 1);
}

TEST_CASE("what is not supported fails where it is executed, and nowhere else") {
  const std::string text = kHead + R"(
.global .texref never;
.func broken() { .reg .b32 x; frobnicate.u32 x, x; ret; }
.visible .entry other(.param .u64 out) { .reg .b32 x; warble.sync x; ret; }
.visible .entry k(.param .u64 out, .param .u32 n) {
  .reg .b64 o; .reg .b32 x; .reg .pred p;
  ld.param.u64 o, [out]; ld.param.u32 x, [n];
  setp.eq.u32 p, x, 1;
  @p frobnicate.v2 {x, x}, [o];
  setp.eq.u32 p, x, 2;
  @p call broken;
  st.global.u32 [o], x; ret;
}
)";
  CHECK_FALSE(ptx::parse("k.ptx", text));
  auto module = ptx::parse_entry("k", text);
  if (!module) FAIL(render(module.error()));
  const auto launch = [&](std::uint32_t n) {
    exec::GlobalMemory memory;
    std::vector<std::uint8_t> parameters(12);
    const std::uint64_t out = memory.allocate(4, nullptr);
    std::memcpy(parameters.data(), &out, 8);
    std::memcpy(parameters.data() + 8, &n, 4);
    const exec::Grid grid = exec::grid_of(1, 32);
    exec::Executor executor(*module, *module->find("k"), grid, parameters, memory);
    const auto report = exec::run(executor);
    return report ? std::string("runs")
                  : fmt::format("{}: {}", report.error().line, report.error().message);
  };
  CHECK(launch(0) == "runs");
  CHECK(launch(1) == "12: instruction 'frobnicate.v2' is not supported by the virtual GPU");
  CHECK(launch(2) == "6: instruction 'frobnicate.u32' is not supported by the virtual GPU");
  CHECK_FALSE(ptx::parse_entry("absent", text));
}

}  // namespace
