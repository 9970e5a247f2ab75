// The operation table and its expansion: codegen/ir/operation.h.
#include "codegen/ir/operation.h"

#include <algorithm>
#include <set>
#include <string>

#include "codegen/compile/compile.h"
#include "codegen/proof/timed_region.h"
#include "lang/operations.h"
#include "operation_support.h"
#include "tests/left_out.h"
#include "tests/thorough.h"

namespace gpx::codegen::test {
namespace {

TEST_CASE("the table holds what the papers name, each name once") {
  std::set<std::string_view> names;
  for (const OperationName& row : table_rows()) {
    CAPTURE(row.name);
    CHECK(names.insert(row.name).second);
    CHECK_FALSE(row.help.empty());
    CHECK(find_operation(row.name) != nullptr);
  }
  CHECK(names.size() >= 80);
  CHECK(find_operation("add.u33") == nullptr);
}

TEST_CASE("every row expands into declared registers alone") {
  for (const OperationName& name : table_rows()) {
    CAPTURE(name.name);
    const Expansion made = expand(*find_operation(name.name), 8, 4, "op0_");
    CHECK_FALSE(made.words.empty());
    CHECK(made.registers > 0);
    for (const std::string& line : made.lines) {
      CAPTURE(line);
      CHECK(line.back() == ';');
      CHECK(std::count(line.begin(), line.end(), '{') == std::count(line.begin(), line.end(), '}'));
      CHECK(line.find("{r") == std::string::npos);
      CHECK(line.find("{x") == std::string::npos);
    }
  }
}

TEST_CASE("executions take turns among the streams, the guards and the operands among executions") {
  const Expansion made = expand(*find_operation("add.u32"), 4, 2, "op3_");
  const std::vector<std::string> expected = {
      "@even add.u32 op3_r0, op3_r0, op3_x_even;", "@even add.u32 op3_r1, op3_r1, op3_x_even;",
      "@odd add.u32 op3_r0, op3_r0, op3_x_odd;", "@odd add.u32 op3_r1, op3_r1, op3_x_odd;"};
  CHECK(made.lines == expected);
  CHECK(made.words.size() == 2);
}

TEST_CASE("a chain runs through the source that is named") {
  const auto line = [](const char* name, char source) {
    const Operation* row = find_operation(name, source);
    REQUIRE(row != nullptr);
    return expand(*row, 1, 1, "").lines.back();
  };
  CHECK(line("fma.rn.f32", 'a') == "fma.rn.f32 r0, r0, x_even, y_even;");
  CHECK(line("fma.rn.f32", 'b') == "fma.rn.f32 r0, x_even, r0, y_even;");
  CHECK(line("fma.rn.f32", 'c') == "fma.rn.f32 r0, y_even, x_even, r0;");
  CHECK(line("mad.lo.u32", 'c') == "@even mad.lo.u32 r0, y_even, x_even, r0;");
  CHECK(line("mad.wide.u32", 'b') == "mad.wide.u32 r0, b_even, w0_0, x_even;");
  CHECK(line("div.u32", 'a') == "div.u32 r0, r0, x_even;");
  CHECK(line("prmt.b32", 'c') == "prmt.b32 r0, a_even, x_even, r0;");
  CHECK(find_operation("fma.rn.f32", 'd') == nullptr);
  CHECK(find_operation("selp.b32", 'c') == nullptr);
  CHECK(find_operation("nothing", 'a') == nullptr);
  CHECK(find_operation("fma.rn.f32", 0) == find_operation("fma.rn.f32"));
}

TEST_CASE("a sequence is several instructions, a vector several registers") {
  CHECK(expand(*find_operation("exp.approx.f32"), 3, 1, "a").lines.size() == 6);
  CHECK(expand(*find_operation("mma.m16n8k16.f32.f16"), 1, 1, "a").words.size() == 4);
  CHECK(expand(*find_operation("add.f64"), 1, 1, "a").words.size() == 2);
  CHECK(expand(*find_operation("bar.sync"), 2, 1, "a").lines ==
        std::vector<std::string>{"bar.sync 0;", "bar.sync 0;"});
}

/// A kernel of each row that the target has and the one before has not, and of each source of a
/// chain.
std::vector<Kernel> rows_for(int before, int sm) {
  std::vector<Kernel> kernels;
  for (const OperationName& name : table_rows()) {
    const int needs = find_operation(name.name)->sm;
    if (needs > sm || needs <= before) continue;
    const Kernel plain = operating(name.name, 4, 2);
    kernels.push_back(plain);
    for (const ChainSource& source : chain_sources(name.name)) {
      if (source.is_default) continue;
      kernels.push_back(plain);
      kernels.back().name += fmt::format("_{}", source.letter);
      kernels.back().timed[0].source = source.letter;
    }
  }
  return kernels;
}

// ptxas says of every row whether the table's `sm` is right: at the first target that has it; with
// -C Thorough at every later one, too.
TEST_CASE("every row compiles for the targets that have it, and its PTX is a chain" *
          doctest::test_suite(gpx::test::kSamples)) {
  GPX_NEEDS_NVRTC();
  int before = 0;
  for (const int sm : {75, 80, 90}) {
    const std::vector<Kernel> kernels = rows_for(before, sm);
    if (!gpx::test::thorough()) before = sm;
    CompileOptions options;
    options.cache = ArtifactCache("");
    const auto made = compile(kernels, {Target::Form::cubin, sm}, options, nullptr);
    CAPTURE(sm);
    if (!made) FAIL(render(made.error()));
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      const RegionReport report = check_ptx(kernels[i], made->at(i).ptx);
      CAPTURE(kernels[i].name);
      INFO("reason: ", report.reason);
      CHECK(report.verdict == RegionReport::Verdict::verified);
    }
  }
}

TEST_CASE("what NVRTC makes of matrices is proven") {
  GPX_NEEDS_NVRTC();
  for (const OperationName& row : table_rows())
    for (const int streams : {1, 4}) {
      const std::string_view name = row.name;
      if (!name.starts_with("mma.") && name.find("matrix") == name.npos) continue;
      CAPTURE(name);
      CAPTURE(streams);
      const Kernel kernel = operating(name, 8, streams);
      check_proven(kernel);
    }
}

TEST_CASE("an operation that a target lacks is an error at its name") {
  const Source source("ops.gpx", "threads 32\n  < mma.m16n8k16.f16 x 8 chain >\n");
  Kernel kernel = operating("mma.m16n8k16.f16", 8, 1);
  kernel.timed[0].line = 2;
  CompileOptions options;
  options.source = &source;
  options.cache = ArtifactCache("");
  // A virtual device may be older than what its kernels are compiled for.
  const std::pair<Target::Form, const char*> rows[] = {
      {Target::Form::ptx, "kernels for this virtual device are compiled for 7.5"},
      {Target::Form::cubin, "this device has 7.5"}};
  for (const auto& [form, has] : rows) {
    const auto made = compile(std::span(&kernel, 1), {form, 75}, options, nullptr);
    REQUIRE_FALSE(made.has_value());
    const std::string text = render(made.error());
    CAPTURE(text);
    CHECK(text.find(std::string("ops.gpx:2:5: error: mma.m16n8k16.f16 needs compute capability "
                                "8.0: ") +
                    has) != std::string::npos);
    CHECK(text.find("\n   |     ^~~~~~~~~~~~~~~~\n") != std::string::npos);
    CHECK(made.error().fault == Fault::input);
  }
  // An axis has the name.
  const Source axis("ops.gpx", "sweep op in [mma.m16n8k16.f16]\n  < op x 8 chain >\n");
  options.source = &axis;
  const auto made = compile(std::span(&kernel, 1), {Target::Form::ptx, 75}, options, nullptr);
  REQUIRE_FALSE(made.has_value());
  CHECK(render(made.error()).find("\n   |     ^~\n") != std::string::npos);
}

}  // namespace
}  // namespace gpx::codegen::test
