// The text of a `ptx` statement: codegen/ir/inline_ptx.h.
#include "codegen/ir/inline_ptx.h"

#include <string>

#include "codegen/compile/compile.h"
#include "codegen/ir/operation.h"
#include "codegen/proof/timed_region.h"
#include "operation_support.h"
#include "tests/left_out.h"

namespace gpx::codegen::test {
namespace {

std::string read(std::string_view text, char source = 0) {
  const auto made = read_inline_ptx(text, source);
  if (!made) return fmt::format("{}: {}", text.substr(made.error().begin), made.error().message);
  return fmt::format("{}: {}", made->type, made->ptx);
}

TEST_CASE("operands get their types from the instructions, and the chain its source") {
  struct Row {
    const char* text;
    char source;
    const char* read;
  };
  const Row rows[] = {
      {"fma.rn.f32 %d, %a, %b, %c", 0, "f32: fma.rn.f32 {r}, {r}, {%b f32}, {%c f32};"},
      {"fma.rn.f32 %d, %a, %b, %c;", 'c', "f32: fma.rn.f32 {r}, {%a f32}, {%b f32}, {r};"},
      {"mad.wide.u32 %d, %a, %b, %c", 0, "u64: mad.wide.u32 {r}, {%a u32}, {%b u32}, {r};"},
      {"mul.f32 %t, %a, %b; add.f32 %d, %t, %c", 'a',
       "f32: mul.f32 {!t f32}, {r}, {%b f32}; add.f32 {r}, {!t f32}, {%c f32};"},
      {"setp.lt.u32 %p, %a, %b; selp.b32 %d, %a, %c, %p", 'c',
       "u32: setp.lt.u32 {!p pred}, {%a u32}, {%b u32}; selp.b32 {r}, {%a u32}, {r}, {!p pred};"},
      {"setp.lt.s32 %p, %a, %b; @%p add.s32 %d, %a, 1", 0,
       "s32: setp.lt.s32 {!p pred}, {r}, {%b s32}; @{!p pred} add.s32 {r}, {r}, 1;"},
      {"mov.b64 { %t, %u }, %a; mad.wide.u32 %d, %t, %u, %a", 0,
       "u64: mov.b64 {{!t u32}, {!u u32} }, {r}; mad.wide.u32 {r}, {!t u32}, {!u u32}, {r};"},
      {"add.f16 %d, %a, %b", 0, "f16: add.f16 {r}, {r}, {%b f16};"},
      {"lop3.b32 %d, %a, %b, %c, 0x96", 'b', "u32: lop3.b32 {r}, {%a u32}, {r}, {%c u32}, 0x96;"},
      {"selp.f32 %d, %a, %b, %p", 0, "f32: selp.f32 {r}, {r}, {%b f32}, {e};"},
  };
  for (const Row& row : rows) CHECK(read(row.text, row.source) == row.read);
}

TEST_CASE("a mistake has its place and its reason") {
  const std::pair<const char*, const char*> rows[] = {
      {"", "there is no instruction"},
      {"fma.rn.f33 %d, %a, %b, %c", "fma.rn.f33"},
      {"ld.global.u32 %d, [%a]", "[%a]: an address"},
      {"atom.add.u32 %d, %a, %b", "it reaches memory"},
      {"mov.u32 %d, %a; bra again", "bra again: 'bra' cannot stand here: it leads out"},
      {"mov.u32 %d, %a; exit", "it leads out of the region"},
      {"mov.u32 %d, %a; ret", "it leads out of the region"},
      {"call f", "it leads out of the region"},
      {"bar.sync 0", "it waits for other threads"},
      {"add.u32 %d, %a, %b // more", "'/' cannot stand in a 'ptx' statement"},
      {"cp.async.ca.shared.global %d, %a", "'cp.async.ca.shared.global' cannot stand here"},
      {"again: mov.u32 %d, %a", "a label"},
      {".reg .u32 %t; mov.u32 %d, %a", "no instruction"},
      {"mov.u32 %d, %clock", "%clock: '%clock' is no operand's name"},
      {"mov.u32 %d, memory", "memory: 'memory' is no operand's name"},
      {"add.u32 %t, %a, %b", "does not give %d"},
      {"setp.lt.u32 %d, %a, %b", "%d is a predicate"},
      {"add.u32 %d, %d, %a", "%d is read before it is written"},
      {"add.u32 %a, %a, 1; mov.u32 %d, %a", "%a is a source"},
      {"popc.b64 %d, %a", "no source has the type of %d"},
      {"cvt.rn.f32.s32 %d, %a", "no source has the type of %d"},
      {"add.u64 %t, %a, %b; add.u32 %d, %a, %t", "%a, %t: %a is u32 here and u64 before"},
      {"add.u32 %d, %a", "'add' takes 3 operands"},
      {"add.u32 %d, %a, %b, %c", "an operand too many"},
      {"add.u32 %d, %a, 1.5", "1.5"},
  };
  for (const auto& [text, what] : rows) {
    const auto& shown = text;
    CAPTURE(shown);
    const std::string found = read(text);
    CAPTURE(found);
    CHECK(found.find(what) != std::string::npos);
    CHECK_FALSE(read_inline_ptx(text, 0).has_value());
  }
  CHECK(read("add.u32 %d, %a, %b", 'c').find("there is no source %c") != std::string::npos);
  CHECK(read("mad.wide.u32 %d, %a, %b, %c", 'a').find("cannot run through %a") !=
        std::string::npos);
}

Kernel inlined(const std::string& text, const std::string& more) {
  return parse_kernel(
      fmt::format("kernel inlined {{ threads 128 param never : u64 setup {{ ready }} timed {{ "
                  "operate \"{}\" {} "
                  "@ 1 await @ 1 }} observe latency }}",
                  text, more));
}

TEST_CASE("the region's PTX holds exactly what the text says, execution after execution") {
  GPX_NEEDS_NVRTC();
  const char* texts[] = {"fma.rn.f32 %d, %a, %b, %c",
                         "mul.f32 %t, %a, %b; add.f32 %d, %t, %c",
                         "mad.wide.u32 %d, %a, %b, %c",
                         "add.f16 %d, %a, %b",
                         "add.u16 %d, %a, %b",
                         "mov.b64 {%t, %u}, %a; mad.wide.u32 %d, %t, %u, %a",
                         "setp.lt.s32 %p, %a, %b; @%p add.s32 %d, %a, 1",
                         "shfl.sync.bfly.b32 %d, %a, 1, 31, -1"};
  for (const char* text : texts) {
    CAPTURE(text);
    const Kernel kernel = inlined(text, "x 8 streams 2");
    CompileOptions options;
    options.cache = ArtifactCache("");
    for (const Target& target : {Target{Target::Form::ptx, 75}, Target{Target::Form::cubin, 80}}) {
      const auto made = compile(std::span(&kernel, 1), target, options, nullptr);
      if (!made) FAIL(render(made.error()));
      const RegionReport report = check_ptx(kernel, made->front().ptx);
      INFO("reason: ", report.reason);
      CHECK(report.verdict == RegionReport::Verdict::verified);
      CHECK(report.reason.find("8 executions") != std::string::npos);
      CHECK(check_ptx(inlined(text, "x 6 streams 2"), made->front().ptx).verdict ==
            RegionReport::Verdict::refused);
    }
  }
}

TEST_CASE("a kernel's text keeps the statement") {
  const Kernel kernel = inlined("fma.rn.f32 %d, %a, %b, %c", "source c x 8 streams 1");
  CHECK(to_string(kernel).find("operate \"fma.rn.f32 %d, %a, %b, %c\" source c x 8 streams 1") !=
        std::string::npos);
  CHECK(parse_kernel(to_string(kernel)) == kernel);
}

TEST_CASE("what the assembler refuses stands in the text") {
  GPX_NEEDS_NVRTC();
  const Source source("a.gpx", "threads 32\n  < ptx \"mov.b16 %t, %a; min.f16 %d, %t, %b\" x8 >\n");
  Kernel kernel = inlined("mov.b16 %t, %a; min.f16 %d, %t, %b", "x 8 streams 1");
  kernel.timed[0].line = 2;
  CompileOptions options;
  options.source = &source;
  options.cache = ArtifactCache("");
  const auto made = compile(std::span(&kernel, 1), {Target::Form::cubin, 75}, options, nullptr);
  REQUIRE_FALSE(made.has_value());
  const std::string text = render(made.error());
  CAPTURE(text);
  CHECK(text.find("a.gpx:2:26: error: the assembler for sm_75 refuses this") != std::string::npos);
  CHECK(text.find("^~~~~~~~~~~~~~~~~~") != std::string::npos);
}

}  // namespace
}  // namespace gpx::codegen::test
