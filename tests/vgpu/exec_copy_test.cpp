// Asynchronous copies and mbarriers: what the virtual GPU executes, and what it refuses.
#include <cstring>

#include "exec_support.h"
#include "runtime/device/vgpu/exec/tensor_map.h"

using namespace gpx::vgpu;
using namespace gpx::vgpu::exec;

namespace {

/// A kernel `k(out, data)` of one block; `o` and `d` are the addresses of this thread's words.
std::string kernel(const std::string& body) {
  return ".version 9.0\n.target sm_90\n.address_size 64\n"
         ".visible .entry k(.param .u64 out, .param .u64 data) {\n"
         ".reg .pred p, q; .reg .b32 t, a, b, s, f; .reg .b64 o, d, w, x;\n"
         ".shared .align 16 .b32 own[64]; .shared .align 8 .b64 full;\n"
         "ld.param.u64 o, [out]; ld.param.u64 d, [data]; mov.u64 w, d; mov.u64 x, o;\n"
         "mov.u32 t, %tid.x; mad.wide.u32 o, t, 4, o; mad.wide.u32 d, t, 4, d;\n"
         "mov.u32 s, own; mad.lo.u32 s, t, 4, s; mov.u32 f, full; mov.u32 a, 0;\n"
         "setp.eq.u32 p, t, 0; @p mbarrier.init.shared::cta.b64 [f], 1;\n"
         "fence.proxy.async; bar.sync 0;\n" +
         body + "\nst.global.u32 [o], a; ret;\n}\n";
}

std::vector<std::uint32_t> numbers(std::uint32_t count) {
  std::vector<std::uint32_t> made(count);
  for (std::uint32_t i = 0; i < count; ++i) made[i] = 1000 + i;
  return made;
}

std::vector<std::uint32_t> run(const std::string& body, Model model) {
  Device device(kernel(body));
  device.model = model;
  auto out = device.buffer(std::vector<std::uint32_t>(64)), data = device.buffer(numbers(64));
  device.run("k", grid_of(1, 64), out, data);
  return device.read<std::uint32_t>(out, 64);
}

std::string trap_of(const std::string& body) {
  Device device(kernel(body));
  auto out = device.buffer(std::vector<std::uint32_t>(64)), data = device.buffer(numbers(64));
  auto report = device.launch("k", grid_of(1, 64), out, data);
  return report ? "" : report.error().message;
}

const char* kWait = "again: mbarrier.try_wait.parity.shared::cta.b64 q, [f], 0; @!q bra again;\n";

}  // namespace

TEST_CASE("a copy of each thread brings its bytes") {
  for (const Model model : kModels) {
    const auto out =
        run("cp.async.ca.shared.global [s], [d], 4; cp.async.wait_all; bar.sync 0;\n"
            "xor.b32 b, t, 1; mov.u32 s, own; mad.lo.u32 s, b, 4, s; ld.shared.u32 a, [s];",
            model);
    for (std::uint32_t t = 0; t < 64; ++t) CHECK(out[t] == 1000 + (t ^ 1));
  }
}

TEST_CASE("a bulk load ends the phase of its mbarrier, and all threads see its bytes") {
  for (const Model model : kModels) {
    const auto out =
        run(std::string(
                "@p mbarrier.arrive.expect_tx.shared::cta.b64 _, [f], 256;\n"
                "mov.u32 b, own;\n"
                "@p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [b], [w], "
                "256, [f];\n") +
                kWait + "ld.shared.u32 a, [s];",
            model);
    for (std::uint32_t t = 0; t < 64; ++t) CHECK(out[t] == 1000 + t);
  }
}

namespace {

/// Words 0 ... of the box that the coordinates name, of a tensor of 8 x 4 words (1000, 1001, ...).
std::vector<std::uint32_t> box_at(const std::string& coordinates) {
  Device device(kernel(
      "@p mbarrier.arrive.expect_tx.shared::cta.b64 _, [f], 32;\n"
      "mov.u32 b, own;\n"
      "@p cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [b], "
      "[w, {" +
      coordinates + "}], [f];\n" + kWait + "ld.shared.u32 a, [s];"));
  auto out = device.buffer(std::vector<std::uint32_t>(64)), tensor = device.buffer(numbers(32));
  const gpx::codegen::TensorMap map{0, 4, {8, 4}, {4, 2}};
  const TensorWords words = tensor_words(map, tensor);
  std::vector<std::uint32_t> bytes(32);
  std::memcpy(bytes.data(), &words, sizeof words);
  auto described = device.buffer(bytes);
  device.run("k", grid_of(1, 64), out, described);
  auto all = device.read<std::uint32_t>(out, 64);
  all.resize(8);
  return all;
}

}  // namespace

TEST_CASE("a box of a tensor comes row by row; outside of the tensor it is 0") {
  using Words = std::vector<std::uint32_t>;
  CHECK(box_at("0, 0") == Words{1000, 1001, 1002, 1003, 1008, 1009, 1010, 1011});
  CHECK(box_at("4, 2") == Words{1020, 1021, 1022, 1023, 1028, 1029, 1030, 1031});
  CHECK(box_at("6, 3") == Words{1030, 1031, 0, 0, 0, 0, 0, 0});
  CHECK(box_at("-2, -1") == Words{0, 0, 0, 0, 0, 0, 1000, 1001});
}

TEST_CASE("what is no map of a tensor of so many dimensions is refused") {
  const std::string copy =
      "mov.u32 b, own; @p cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx"
      "::bytes [b], [w, {0, 0, 0}], [f];\n";
  CHECK(trap_of(copy).find("is no map of a tensor of 3 dimensions") != std::string::npos);
}

TEST_CASE("a phase is over when all announced bytes and arrivals have come") {
  for (const Model model : kModels) {
    // Half of the bytes: not over. Then the other half.
    const auto out = run(
        "mov.u32 b, own;\n"
        "@p mbarrier.arrive.expect_tx.shared::cta.b64 _, [f], 32;\n"
        "@p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [b], [w], 16, [f];\n"
        "bar.sync 0; mbarrier.test_wait.parity.shared::cta.b64 q, [f], 0; selp.u32 a, 1, 0, q;\n"
        "bar.sync 0;\n"
        "@p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [b+16], [w+16], 16, "
        "[f];\n"
        "bar.sync 0; mbarrier.test_wait.parity.shared::cta.b64 q, [f], 0; @q add.u32 a, a, 2;",
        model);
    for (std::uint32_t t = 0; t < 64; ++t) CHECK(out[t] == 2);
  }
}

TEST_CASE("a state tells of the phase that it was given in") {
  for (const Model model : kModels) {
    const auto out =
        run("mbarrier.test_wait.parity.shared::cta.b64 q, [f], 1; selp.u32 a, 1, 0, q;\n"
            "@p mbarrier.arrive.shared::cta.b64 w, [f];\n"
            "@p mbarrier.test_wait.shared::cta.b64 q, [f], w; @q add.u32 a, a, 2;",
            model);
    CHECK(out[0] == 3);
    CHECK(out[1] == 3);  // The phase before the first counts as over, and q is true still.
  }
}

TEST_CASE("a bulk store writes what shared memory holds") {
  for (const Model model : kModels) {
    const auto out =
        run("st.shared.u32 [s], t; fence.proxy.async; bar.sync 0; mov.u32 b, own;\n"
            "@p cp.async.bulk.global.shared::cta.bulk_group [x], [b], 256;\n"
            "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; bar.sync 0;\n"
            "ld.global.u32 a, [o]; add.u32 a, a, 7;",
            model);
    for (std::uint32_t t = 0; t < 64; ++t) CHECK(out[t] == t + 7);
  }
}

TEST_CASE("what a GPU does not do with copies is a trap") {
  const auto has = [](const std::string& text, const char* part) {
    CAPTURE(text);
    return text.find(part) != std::string::npos;
  };
  CHECK(has(trap_of("add.s64 d, d, 2; cp.async.ca.shared.global [s], [d], 4;"), "multiple of 4"));
  CHECK(has(trap_of("mov.u32 b, own;\n@p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx"
                    "::bytes [b], [w], 24, [f];"),
            "must be a multiple of 16"));
  CHECK(has(
      trap_of("mov.u32 b, own;\n@p cp.async.bulk.global.shared::cta.bulk_group [x+8], [b], 16;"),
      "not a multiple of 16"));
  CHECK(has(trap_of("@p mbarrier.init.shared::cta.b64 [f], 0;"), "1 to 1048575"));
  CHECK(has(trap_of("cp.async.ca.shared.global [s+4096], [d], 4;"), "out of range"));
}
