// Every form of instruction in ptx/instructions.txt, over 4096 operands each, against what an H100
// computed (ptx/instructions.h100, made by ptx/record.cpp): the same bits.
#include <algorithm>

#include "exec_support.h"
#include "ptx/exec_cases.h"

using namespace gpx::vgpu;
using namespace gpx::vgpu::exec;

TEST_CASE("every instruction gives the bits that an H100 gives") {
  auto list = cases::read(GPX_TESTS_DIR "/vgpu/ptx/instructions.txt");
  std::map<std::string, std::string> recorded;  // by the line of instructions.txt
  std::istringstream record(read_text(GPX_TESTS_DIR "/vgpu/ptx/instructions.h100"));
  for (std::string line; std::getline(record, line);) {
    if (line.size() > 17 && line[0] != '#') recorded[line.substr(17)] = line.substr(0, 16);
  }
  std::string text = cases::header();
  for (std::size_t i = 0; i < list.size(); ++i) text += cases::kernel(list[i], i);
  Device device(text);
  auto in = device.buffer(std::vector<std::uint64_t>(3 * cases::kTuples));
  auto out = device.buffer(std::vector<std::uint64_t>(cases::kTuples));
  REQUIRE(list.size() > 900);
  for (std::size_t i = 0; i < list.size(); ++i) {
    auto operands = cases::operands(list[i]);
    device.memory.write(in, operands.data(), static_cast<unsigned>(operands.size() * 8));
    INFO(list[i].line);
    device.run("case_" + std::to_string(i), grid_of(cases::kBlocks, cases::kThreads), in, out);
    std::uint64_t digest = cases::digest(device.read<std::uint64_t>(out, cases::kTuples));
    CHECK(fmt::format("{:016x}", digest) == recorded[list[i].line]);
  }
}

namespace {

/// Runs `text` on one thread with a and b as 32-bit (or with .f64, 64-bit) operands.
std::uint64_t value(const std::string& text, std::uint64_t a, std::uint64_t b, bool wide) {
  cases::Case c{{wide ? "b64" : "b32", wide ? "b64" : "b32"}, wide ? "b64" : "b32", text, text};
  Device device(cases::header() + cases::kernel(c, 0));
  auto in = device.buffer(std::vector<std::uint64_t>{a, b, 0});
  auto out = device.buffer(std::vector<std::uint64_t>(1));
  device.run("case_0", grid_of(1, 1), in, out);
  return device.read<std::uint64_t>(out, 1)[0];
}

}  // namespace

TEST_CASE("approximate functions lie within PTX's error bounds of values from an H100") {
  struct Row {
    std::string text;
    std::uint32_t a, b, hardware;
    std::int64_t ulps;
  };
  const Row rows[] = {
      {"rcp.approx.f32 d, a;", 0x45334480, 0, 0x39b6c9c9, 1},
      {"rcp.approx.f32 d, a;", 0x80000000, 0, 0xff800000, 0},
      {"rsqrt.approx.f32 d, a;", 0x4c27c4fc, 0, 0x391e1d7a, 2},
      {"sqrt.approx.f32 d, a;", 0x497cc51d, 0, 0x447e613e, 2},
      {"lg2.approx.f32 d, a;", 0, 0, 0xff800000, 0},
      {"ex2.approx.f32 d, a;", 0xc2741c00, 0, 0x20fb3192, 2},
      {"tanh.approx.f32 d, a;", 0xbf800000, 0, 0xbf42f848, 8192},
      {"div.approx.f32 d, a, b;", 0x456088e0, 0x4ce1fa54, 0x37fe5d75, 2},
      {"div.full.f32 d, a, b;", 0x424d4400, 0x41623000, 0x40685210, 2},
      // A divisor above 2^126 gives 0, as PTX documents.
      {"div.approx.f32 d, a, b;", 0x7f000000, 0x7f000001, 0, 0},
  };
  for (const Row& row : rows) {
    INFO(row.text);
    auto have = static_cast<std::int32_t>(value(row.text, row.a, row.b, false));
    std::int64_t difference = std::int64_t{have} - static_cast<std::int32_t>(row.hardware);
    CHECK(difference <= row.ulps);
    CHECK(difference >= -row.ulps);
  }
}

TEST_CASE("corner cases have the values that PTX defines") {
  struct Row {
    std::string text;
    std::uint64_t a, b, expected;
    bool wide = false;
  };
  const Row rows[] = {
      {"div.s32 d, a, b;", 0x80000000, 0xffffffff, 0x80000000},
      {"rem.s32 d, a, b;", 0x80000000, 0xffffffff, 0},
      {"div.u32 d, a, b;", 5, 0, 0xffffffff},
      {"add.sat.s32 d, a, b;", 0x7fffffff, 1, 0x7fffffff},
      {"abs.s32 d, a;", 0x80000000, 0, 0x80000000},
      {"mul.hi.s32 d, a, b;", 0xffffffff, 2, 0xffffffff},
      {"mul.hi.u32 d, a, b;", 0xffffffff, 2, 1},
      {"shl.b32 d, a, b;", 1, 32, 0},
      {"shl.b32 d, a, b;", 1, 31, 0x80000000},
      {"shr.u32 d, a, b;", 0x80000000, 40, 0},
      {"shr.s32 d, a, b;", 0x80000000, 40, 0xffffffff},
      {"shf.l.clamp.b32 d, a, b, 33;", 0x12345678, 9, 0x12345678},
      {"shf.l.wrap.b32 d, a, b, 33;", 0x80000000, 1, 3},
      {"bfe.s32 d, a, 4, 8;", 0xf80, 0, 0xfffffff8},
      {"bfe.u32 d, a, 28, 8;", 0xf0000000, 0, 0xf},
      {"bfi.b32 d, a, b, 8, 8;", 0xab, 0x11223344, 0x1122ab44},
      {"bfind.u32 d, a;", 0, 0, 0xffffffff},
      {"bfind.s32 d, a;", 0xfffffff0, 0, 3},
      {"clz.b32 d, a;", 0, 0, 32},
      {"brev.b32 d, a;", 1, 0, 0x80000000},
      {"prmt.b32 d, a, b, 0x8654;", 0x80, 0x44332211, 0xff332211},
      {"lop3.b32 d, a, b, 0xff00ff00, 0xca;", 0xffff0000, 0x12345678, 0x1234ff00},
      {"sad.u32 d, a, b, 1;", 3, 10, 8},
      {"add.cc.u32 t0, a, b; addc.u32 d, 0, 0;", 0xffffffff, 1, 1},
      {"sub.cc.u32 t0, a, b; subc.u32 d, 0, 0;", 0, 1, 0xffffffff},
      {"sub.cc.u32 t0, a, b; addc.u32 d, 0, 0;", 3, 1, 1},
      {"sub.cc.u32 t0, a, b; addc.u32 d, 0, 0;", 0, 1, 0},
      {"add.cc.u32 t0, a, b; subc.u32 d, 0, 0;", 0xffffffff, 1, 0},
      {"add.cc.u32 t0, a, b; subc.u32 d, 0, 0;", 1, 1, 0xffffffff},
      {"add.f32 d, a, b;", 0x7f800000, 0xff800000, 0x7fffffff},
      {"add.f32 d, a, b;", 0x80000000, 0x80000000, 0x80000000},
      {"add.f32 d, a, b;", 1, 1, 2},
      {"add.ftz.f32 d, a, b;", 1, 1, 0},
      {"min.f32 d, a, b;", 0, 0x80000000, 0x80000000},
      {"max.f32 d, a, b;", 0x7fc00000, 0xbf800000, 0xbf800000},
      {"max.NaN.f32 d, a, b;", 0x7fc00000, 0xbf800000, 0x7fffffff},
      {"mul.sat.f32 d, a, b;", 0x7fc00000, 0, 0},
      {"sqrt.rn.f32 d, a;", 0x80000000, 0, 0x80000000},
      {"rcp.rn.f32 d, a;", 0x40400000, 0, 0x3eaaaaab},
      {"rcp.rz.f32 d, a;", 0x40400000, 0, 0x3eaaaaaa},
      {"cvt.rzi.s32.f32 d, a;", 0x7fc00000, 0, 0},
      {"cvt.rzi.s32.f32 d, a;", 0x4f800000, 0, 0x7fffffff},
      {"cvt.rzi.u32.f32 d, a;", 0xbf800000, 0, 0},
      {"cvt.rni.s32.f32 d, a;", 0x40200000, 0, 2},
      {"cvt.sat.s8.s32 d, a;", 1000, 0, 127},
      {"cvt.s8.s32 d, a;", 0x80, 0, 0xffffff80},
      {"setp.ne.f32 p, a, b; selp.b32 d, 1, 0, p;", 0x7fc00000, 0, 0},
      {"setp.neu.f32 p, a, b; selp.b32 d, 1, 0, p;", 0x7fc00000, 0, 1},
      {"cvt.rzi.s64.f64 d, a;", 0x7ff8000000000000, 0, 0x8000000000000000, true},
      {"div.s64 d, a, b;", 0x8000000000000000, ~0ull, 0x8000000000000000, true},
      {"mul.hi.u64 d, a, b;", ~0ull, ~0ull, ~1ull, true},
      {"add.f64 d, a, b;", 0x7ff0000000000000, 0xfff0000000000000, 0xfff8000000000000, true},
      {"mov.b64 {t0, t1}, a; mov.b64 d, {t1, t0};", 0x1122334455667788, 0, 0x5566778811223344,
       true},
  };
  for (const Row& row : rows) {
    INFO(row.text);
    CHECK(value(row.text, row.a, row.b, row.wide) == row.expected);
  }
}

TEST_CASE("a lane's value does not depend on which other lanes execute") {
  // Each instruction once for all threads, once under a guard that lets a third of the lanes pass.
  auto list = cases::read(GPX_TESTS_DIR "/vgpu/ptx/instructions.txt");
  std::string text = cases::header();
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < list.size(); ++i) {
    // One instruction without block, label or exchange with other lanes.
    const std::string& t = list[i].text;
    bool single = std::count(t.begin(), t.end(), ';') == 1 && t.find('{') == std::string::npos;
    bool exchange = t.find(".sync") != std::string::npos || t.find("bar.") != std::string::npos;
    if (!single || exchange) continue;
    chosen.push_back(i);
    cases::Case guarded = list[i];
    guarded.text = (cases::bits_of(list[i].out) == 64   ? "mov.b64 d, 0;"
                    : cases::bits_of(list[i].out) == 32 ? "mov.b32 d, 0;"
                                                        : "mov.b16 d, 0;");
    guarded.text += " mov.u32 t0, %tid.x; rem.u32 t1, t0, 3; setp.eq.u32 p, t1, 0; @p " + t;
    text += cases::kernel(list[i], i) + cases::kernel(guarded, i + 100000);
  }
  REQUIRE(chosen.size() > 500);
  Device device(text);
  auto in = device.buffer(std::vector<std::uint64_t>(3 * cases::kTuples));
  auto out = device.buffer(std::vector<std::uint64_t>(cases::kTuples));
  for (std::size_t i : chosen) {
    INFO(list[i].text);
    auto operands = cases::operands(list[i]);
    device.memory.write(in, operands.data(), static_cast<unsigned>(operands.size() * 8));
    device.run("case_" + std::to_string(i), grid_of(1, 64), in, out);
    auto full = device.read<std::uint64_t>(out, 64);
    device.run("case_" + std::to_string(i + 100000), grid_of(1, 64), in, out);
    auto partial = device.read<std::uint64_t>(out, 64);
    for (std::size_t t = 0; t < 64; ++t) CHECK(partial[t] == (t % 3 == 0 ? full[t] : 0));
  }
}

// By the PTX ISA: rounded to nearest even, at most the largest number, one NaN.
TEST_CASE("numbers of 8 bits are made from single precision, and halves from them") {
  const auto packed = [](const std::string& type, std::uint32_t high, std::uint32_t low) {
    return value("{ .reg .b16 h; cvt.rn.satfinite." + type + ".f32 h, a, b; cvt.u32.u16 d, h; }",
                 high, low, false);
  };
  const auto halves = [](const std::string& type, std::uint32_t bits) {
    return value("{ .reg .b16 h; cvt.u16.u32 h, a; cvt.rn.f16x2." + type + " d, h; }", bits, 0,
                 false);
  };
  struct Row {
    std::uint32_t single;
    std::uint8_t e4m3, e5m2;
  };
  const Row rows[] = {
      {0x00000000, 0x00, 0x00}, {0x3f800000, 0x38, 0x3c}, {0x3f880000, 0x38, 0x3c},  // 1.0625
      {0x3f980000, 0x3a, 0x3d},                                                      // 1.1875
      {0x3fa00000, 0x3a, 0x3d},                                                      // 1.25
      {0x43e00000, 0x7e, 0x5f}, {0x43e80000, 0x7e, 0x5f},                            // 448, 464
      {0xc7600000, 0xfe, 0xfb},                                                      // -57344
      {0x7f800000, 0x7e, 0x7b}, {0xff800000, 0xfe, 0xfb}, {0x7fc00001, 0x7f, 0x7f},
      {0xffc00000, 0x7f, 0x7f}, {0x3b000000, 0x01, 0x18},  // 2^-9
      {0x3a800000, 0x00, 0x14},                            // 2^-10, a tie
      {0x37400000, 0x00, 0x01},                            // 1.5 * 2^-17
      {0x38400000, 0x00, 0x03}, {0xb7000000, 0x80, 0x80}};
  for (const Row& row : rows) {
    CAPTURE(row.single);
    CHECK(packed("e4m3x2", row.single, 0x3f800000) == (row.e4m3 << 8 | 0x38u));
    CHECK(packed("e5m2x2", 0x3f800000, row.single) == (0x3c00u | row.e5m2));
  }
  CHECK(halves("e4m3x2", 0x7f38) == 0x7fff3c00);
  CHECK(halves("e4m3x2", 0x8101) == 0x98001800);
  CHECK(halves("e4m3x2", 0x7e08) == 0x5f002400);
  CHECK(halves("e5m2x2", 0x7c3c) == 0x7c003c00);
  CHECK(halves("e5m2x2", 0xfd81) == 0x7fff8100);
  const std::string there_and_back =
      "{ .reg .b16 h; cvt.rn.satfinite.e4m3x2.f16x2 h, a; cvt.rn.f16x2.e4m3x2 d, h; }";
  CHECK(value(there_and_back, 0x3c003e20, 0, false) == 0x3c003e00);
  CHECK(value(there_and_back, 0x7c00fc00, 0, false) == 0x5f00df00);
}

TEST_CASE("the n-th one of a mask is found from a place on") {
  struct Row {
    std::uint32_t mask, base;
    int n;
    std::uint32_t found;
  };
  const Row rows[] = {{0x16, 0, 1, 1},   {0x16, 0, 2, 2},    {0x16, 0, 3, 4},
                      {0x16, 0, 4, ~0u}, {0x16, 4, -2, 2},   {0x16, 1, 0, 1},
                      {0x16, 0, 0, ~0u}, {0x16, 40, 1, ~0u}, {0x80000000, 31, 1, 31},
                      {0, 0, 1, ~0u}};
  for (const Row& row : rows) {
    CAPTURE(row.mask);
    CAPTURE(row.n);
    CHECK(value(fmt::format("fns.b32 d, a, b, {};", row.n), row.mask, row.base, false) ==
          row.found);
  }
}
