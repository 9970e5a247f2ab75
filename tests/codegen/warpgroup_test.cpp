// The products of a warpgroup, from the rule to machine code: codegen/ir/warpgroup.h.
#include "codegen/ir/warpgroup.h"

#include <algorithm>
#include <string>

#include "codegen/compile/compile.h"
#include "codegen/proof/timed_region.h"
#include "codegen/proof/timed_region_body.h"
#include "operation_support.h"
#include "tests/left_out.h"

namespace gpx::codegen::test {
namespace {

using Lines = std::vector<std::string>;
using Verdict = RegionReport::Verdict;

Kernel with_data(Kernel kernel, OperandData data) {
  kernel.timed[0].data = data;
  kernel.name += std::string("_") + std::string(to_string(data));
  return kernel;
}

TEST_CASE("a chain is a fence, products that add to the same sum, one group and its wait") {
  const Expansion made = expand(*find_operation("wgmma.m64n8k16.f32.f16.ss"), 2, 1, "op0_");
  const std::string product =
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {op0_r0_0, op0_r0_1, op0_r0_2, "
      "op0_r0_3}, op0_da, op0_db, 1, 1, 1, 0, 0;";
  CHECK(made.lines == Lines{"wgmma.fence.sync.aligned;", product, product,
                            "wgmma.commit_group.sync.aligned;",
                            "wgmma.wait_group.sync.aligned 0;"});
  CHECK(made.words.size() == 4);
}

TEST_CASE("streams have sums of their own, and a waiting product ends before the next one") {
  const Expansion streams = expand(*find_operation("wgmma.m64n8k32.s32.s8.rs"), 2, 2, "a");
  CHECK(streams.lines[1].find("{ar0_0, ar0_1, ar0_2, ar0_3}, {aa0, aa1, aa2, aa3}, adb, 1;") !=
        std::string::npos);
  CHECK(streams.lines[2].find("{ar1_0,") != std::string::npos);
  CHECK(streams.words.size() == 8);
  const Expansion waits = expand(*find_operation("wgmma.m64n8k16.f32.f16.ss.wait"), 2, 1, "a");
  CHECK(std::ranges::count(waits.lines, "wgmma.wait_group.sync.aligned 0;") == 2);
}

TEST_CASE("of every type and form the machine code is the chain that was asked for") {
  GPX_NEEDS_NVRTC();
  std::vector<Kernel> kernels;
  for (const WarpgroupProduct& each : warpgroup_products())
    if (each.n == 8 || (each.n == 256 && each.types->sum == "f32" && each.types->factor == "f16"))
      kernels.push_back(operating(each.name, 4, 1));
  const Kernel plain = operating("wgmma.m64n64k16.f32.f16.ss", 8, 2);
  for (const OperandData data : {OperandData::zeros, OperandData::random})
    kernels.push_back(with_data(plain, data));
  for (const char* name : {"mma.m16n8k16.f32.f16", "mma.m8n8k4.f64", "mma.m16n8k32.s32.s8"})
    for (const OperandData data : {OperandData::zeros, OperandData::random})
      kernels.push_back(with_data(operating(name, 8, 1), data));
  CompileOptions options;
  options.cache = ArtifactCache("");
  const auto made = compile(kernels, {Target::Form::cubin, 90}, options, nullptr);
  if (!made) FAIL(render(made.error()));
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    CAPTURE(kernels[i].name);
    const bool specific = !warpgroup_steps(kernels[i]).empty();
    CHECK(made->at(i).target.specific == specific);
    CHECK((made->at(i).ptx.find(".target sm_90a") != std::string::npos) == specific);
    const RegionReport report = check_timed_region(kernels[i], made->at(i));
    CAPTURE(report.listing);
    INFO("reason: ", report.reason);
    CHECK(report.verdict == Verdict::verified);
  }
}

TEST_CASE("targets without a warpgroup's products refuse them at their line") {
  const Source source("ops.gpx", "threads 128\n  < wgmma.m64n8k16.f32.f16.ss x 8 chain >\n");
  Kernel kernel = operating("wgmma.m64n8k16.f32.f16.ss", 8, 1);
  kernel.timed[0].line = 2;
  CompileOptions options;
  options.source = &source;
  options.cache = ArtifactCache("");
  const auto refused = [&](const Target& target) {
    const auto made = compile(std::span(&kernel, 1), target, options, nullptr);
    REQUIRE_FALSE(made.has_value());
    return render(made.error());
  };
  CHECK(refused({Target::Form::ptx, 80})
            .find("ops.gpx:2:5: error: wgmma.m64n8k16.f32.f16.ss needs "
                  "compute capability 9.0") != std::string::npos);
  CHECK(refused({Target::Form::ptx, 100}).find("which no later one has") != std::string::npos);
  CHECK(refused({Target::Form::ptx, 90, {"wgmma"}}).find("needs the unit wgmma") !=
        std::string::npos);
}

constexpr const char* kListing = "wgmma_m64n16k16_x4.sm_90a.sass";

std::string with_line_behind(std::string listing, const std::string& line,
                             const std::string& added) {
  const std::size_t at = listing.find(line);
  REQUIRE(at != std::string::npos);
  return listing.insert(listing.find('\n', at) + 1, "        /*0ff0*/    " + added + " ;\n");
}

TEST_CASE("products that an assembler serialized are no chain") {
  const Kernel kernel = operating("wgmma.m64n16k16.f32.f16.ss", 4, 1);
  const std::string listing = read_text(golden_path(kListing));
  const RegionReport whole = check_sass_body(kernel, listing);
  INFO("reason: ", whole.reason);
  CHECK(whole.verdict == Verdict::verified);
  const char* product = "HGMMA.64x16x16.F32";
  for (const char* added : {"WARPGROUP.DEPBAR.LE gsb0, 0x0", "WARPGROUP.ARRIVE"}) {
    const RegionReport report = check_sass_body(kernel, with_line_behind(listing, product, added));
    CHECK(report.verdict == Verdict::refused);
    CHECK(report.reason.find("the assembler serialized the products") != std::string::npos);
  }
  CHECK(check_sass_body(operating("wgmma.m64n16k16.f32.f16.ss", 3, 1), listing).verdict ==
        Verdict::refused);
  CHECK(check_sass_body(operating("wgmma.m64n16k16.f32.f16.ss", 4, 2), listing).verdict ==
        Verdict::refused);
  CHECK(check_sass_body(operating("wgmma.m64n16k16.f32.f16.ss.wait", 4, 1), listing).verdict ==
        Verdict::refused);
}

}  // namespace
}  // namespace gpx::codegen::test
