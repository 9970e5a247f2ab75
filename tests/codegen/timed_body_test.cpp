// The proof of bodies that operate and branch: codegen/proof/timed_region_body.h.
// The listings are `nvdisasm -c` of CUDA 13.0, of what gpx compiled.
#include <string>

#include "codegen/compile/compile.h"
#include "codegen/ir/operation.h"
#include "codegen/proof/chains.h"
#include "codegen/proof/timed_region_body.h"
#include "lang/operations.h"
#include "operation_support.h"

namespace gpx::codegen::test {
namespace {

using Verdict = RegionReport::Verdict;

std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  CAPTURE(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

void expect(const RegionReport& report, Verdict verdict, const char* reason) {
  CAPTURE(report.listing);
  CHECK(to_string(report.verdict) == to_string(verdict));
  INFO("reason: ", report.reason);
  CHECK(report.reason.find(reason) != std::string::npos);
}

std::string ptx_of(const Kernel& kernel) {
  CompileOptions options;
  options.cache = ArtifactCache("");
  const auto made = compile(std::span(&kernel, 1), {Target::Form::ptx, 75}, options, nullptr);
  if (!made) FAIL(render(made.error()));
  return made->front().ptx;
}

constexpr const char* kChains = "operations_x8.sm_90.sass";
constexpr const char* kStreams = "operations_x8_streams4.sm_90.sass";

TEST_CASE("the machine code of every operation is a chain of eight executions") {
  for (const OperationName& row : table_rows()) {
    const std::string name(row.name);
    CAPTURE(name);
    const std::string listing = section(kChains, name);
    // A row without opcodes is one whose machine code has not been recorded.
    CHECK(listing.empty() == (find_operation(name)->sass == kUnknownOpcodes));
    if (listing.empty()) continue;
    const RegionReport report = check_sass(operating(name, 8, 1), listing);
    INFO("reason: ", report.reason);
    // These call a subroutine, which no listing of the region shows.
    const bool calls = name == "div.rn.f32" || name == "div.rn.f64" || name == "sqrt.rn.f32";
    CHECK(to_string(report.verdict) == (calls ? "unverified" : "verified"));
    if (calls) CHECK(report.reason.find("branches of its own") != std::string::npos);
    // As many as were asked for: neither more nor fewer.
    if (calls) continue;
    CHECK(check_sass(operating(name, 7, 1), listing).verdict == Verdict::refused);
    CHECK(check_sass(operating(name, 9, 1), listing).verdict == Verdict::refused);
  }
}

TEST_CASE("an order between grids is no barrier of a block, and none the other") {
  const char* wait = "griddepcontrol.wait";
  const char* launch = "griddepcontrol.launch_dependents";
  for (const auto& [asked, listed] : {std::pair("bar.sync", wait), std::pair(wait, "bar.sync"),
                                      std::pair(wait, launch), std::pair(launch, wait)}) {
    CAPTURE(asked);
    CHECK(check_sass(operating(asked, 8, 1), section(kChains, listed)).verdict == Verdict::refused);
  }
}

TEST_CASE("four streams are four chains of two") {
  for (const OperationName& row : table_rows()) {
    const std::string name(row.name);
    const std::string listing = section(kStreams, name);
    if (listing.empty()) continue;
    CAPTURE(name);
    const RegionReport report = check_sass(operating(name, 8, 4), listing);
    INFO("reason: ", report.reason);
    // The assembler converts two streams at once.
    const bool merged = name == "cvt.f32.f16.f32";
    CHECK(to_string(report.verdict) == (merged ? "refused" : "verified"));
    if (name != "bar.sync")
      CHECK(check_sass(operating(name, 8, 1), listing).verdict == Verdict::refused);
  }
}

// In blocks that ptxas keeps apart; the jumps stand before the barrier, nothing is added behind.
TEST_CASE("a very long chain is one chain in several blocks") {
  const auto labels = [](const std::string& text) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find("\nlanding", at)) != std::string::npos; ++at) ++count;
    return count;
  };
  const struct {
    const char* operation;
    int count, streams;
    std::size_t landings;
  } rows[] = {{"add.u32", 2048, 1, 0},
              {"add.u32", 2049, 1, 4},
              {"add.u32", 4096, 1, 7},
              {"rcp.approx.f32", 4096, 1, 0},  // From one register to another.
              {"cvt.f32.f64.f32", 2048, 4, 7}};
  for (const auto& row : rows) {
    CAPTURE(row.operation);
    CAPTURE(row.count);
    const Kernel kernel = operating(row.operation, row.count, row.streams);
    const std::string ptx = ptx_of(kernel);
    CHECK(labels(ptx) == row.landings);
    const RegionReport report = check_ptx(kernel, ptx);
    expect(report, Verdict::verified, fmt::format("{} executions", row.count).c_str());
    CHECK(report.listing.find("bra") == std::string::npos);
    CHECK(check_ptx(operating(row.operation, row.count - row.streams, row.streams), ptx).verdict ==
          Verdict::refused);
  }
}

// Without its guards a chain of additions becomes half as many sums of three, a chain of ands one
// instruction, and a reciprocal of a reciprocal nothing.
TEST_CASE("what an assembler folds is refused") {
  const auto folded = [](const char* name) {
    return check_sass(operating(name, 8, 1), section("operations_folded.sm_90.sass", name));
  };
  expect(folded("add.u32"), Verdict::refused, "1 chain of 8 executions of add.u32");
  expect(folded("and.b32"), Verdict::refused, "found 1");
  expect(folded("rcp.approx.f32"), Verdict::refused, "found none");
  CHECK(folded("add.u32").listing.find("IADD3 R6, R0, R6, R7\n") != std::string::npos);
}

TEST_CASE("machine code that times something else is refused") {
  const std::string sound = section(kChains, "fma.rn.f32");
  const Kernel kernel = operating("fma.rn.f32", 8, 1);
  const auto insert = [&](const char* row, const char* before) {
    const std::size_t at = sound.rfind("\n/*", sound.find(before));
    return std::string(sound).insert(at, std::string("\n/*0000*/ ") + row + " ;");
  };
  const char* end = "ISETP";
  struct Row {
    std::string sass;
    Verdict verdict;
    const char* reason;
  };
  const Row rows[] = {
      {"", Verdict::refused, "there is none"},
      {sound, Verdict::verified, "fma.rn.f32 x 8 in 1 chain"},
      {insert("STL [R1], R0", end), Verdict::refused, "registers are spilled"},
      {insert("LDL R40, [R1]", end), Verdict::refused, "registers are spilled"},
      {insert("@P1 BRA `(.L_x_9)", end), Verdict::refused, "branches"},
      {insert("LDS R40, [R41]", end), Verdict::refused, "has no reason to be timed"},
      {insert("BAR.SYNC.DEFER_BLOCKING 0x0", end), Verdict::refused, "2 barriers instead of 1"},
      {insert("CS2R.32 R40, SR_CLOCKLO", end), Verdict::refused,
       "1 reads of the clock instead of 0"},
      {insert("MUFU.RCP R40, R41", "FFMA"), Verdict::unverified, "'MUFU.RCP R40, R41' among"},
      {insert("FFMA R40, R41, R42, R43", "FFMA"), Verdict::refused, "were not requested"},
      {with(sound, "FFMA", "FMUL"), Verdict::refused, "found"},
      {with(sound, "CS2R", "NOP"), Verdict::refused, "1 reads of the 64-bit clock"},
  };
  for (const Row& row : rows) expect(check_sass(kernel, row.sass), row.verdict, row.reason);
}

TEST_CASE("a chain in which an execution does not wait is refused") {
  const Kernel kernel = operating("popc.b32", 3, 1);
  const auto listing = [](const char* second, const char* stored) {
    return fmt::format(
        "/*00*/ BAR.SYNC 0x0 ;\n/*10*/ CS2R R2, SR_CLOCKLO ;\n/*20*/ POPC R4, R4 ;\n"
        "/*30*/ {} ;\n/*40*/ POPC R4, R5 ;\n/*50*/ ISETP.NE.U32.AND P0, PT, {}, UR4, PT ;\n"
        "/*60*/ @!P0 STG.E [R8.64], R4 ;\n/*70*/ BAR.SYNC 0x0 ;\n/*80*/ CS2R R6, SR_CLOCKLO ;\n",
        second, stored);
  };
  expect(check_sass(kernel, listing("POPC R5, R4", "R4")), Verdict::verified, "popc.b32 x 3");
  expect(check_sass(kernel, listing("POPC R5, R9", "R4")), Verdict::refused, "found 1");
  expect(check_sass(kernel, listing("POPC R5, R4", "R9")), Verdict::refused,
         "does not wait for every chain's end");
  expect(check_sass(kernel, listing("LOP3.LUT R5, R4, 0x1, RZ, 0xc0, !PT", "R4")), Verdict::refused,
         "stands between two executions");
}

// As ptxas of CUDA 13.0 spells them: of a chain through a factor it exchanges the two.
TEST_CASE("the source of a machine instruction that the chain runs through is looked at") {
  const auto listing = [](const std::string& sound, const char* from, const char* to) {
    std::string made = sound;
    for (std::size_t at = 0; (at = made.find(from, at)) != std::string::npos;)
      made.replace(at, std::string(from).size(), to);
    return made;
  };
  const std::string mixed = section(kChains, "fma.rn.f32");
  std::string first = listing(mixed, "FFMA R5, R7, R5, R10", "FFMA R5, R5, R7, R10");
  first = listing(first, "FFMA R6, R7, R5, R10", "FFMA R6, R5, R7, R10");
  const std::string third = listing(first, "R5, R7, R10 ;", "R7, R10, R5 ;");
  const auto through = [](const char* source) {
    return parse_kernel(fmt::format(
        "kernel fma {{ threads 128 param never : u64 setup {{ ready }} timed {{ operate fma.rn.f32 "
        "source {} x 8 streams 1 @ 1 await @ 1 }} observe latency }}",
        source));
  };
  expect(check_sass(through("a"), first), Verdict::verified, "fma.rn.f32 x 8 in 1 chain");
  expect(check_sass(through("b"), first), Verdict::unverified, "source 'b' was requested");
  expect(check_sass(through("a"), mixed), Verdict::unverified, "exchanged sources of FFMA");
  expect(check_sass(through("c"), third), Verdict::verified, "fma.rn.f32 x 8 in 1 chain");
  expect(check_sass(through("a"), third), Verdict::unverified, "machine source 3 in 7");
  expect(check_sass(operating("fma.rn.f32", 8, 1), mixed), Verdict::verified, "fma.rn.f32 x 8");
}

TEST_CASE("opcodes that no row names are looked for in the machine code") {
  const auto opcodes = [](const char* name, std::uint32_t executions) {
    const std::string listing = section(kChains, name);
    const std::vector<MachineLine> lines = parse_machine_code(listing);
    const WantedChains wanted{name, kUnknownOpcodes, 1, executions};
    return infer_opcodes(lines, std::span(&wanted, 1));
  };
  CHECK(opcodes("fma.rn.f32", 8) == "FFMA");
  CHECK(opcodes("popc.b32", 8) == "POPC");
  CHECK(opcodes("popc.b32", 7).empty());
  CHECK(opcodes("popc.b32", 9).empty());
  CHECK(opcodes("exp.approx.f32", 8).ends_with("..."));
}

TEST_CASE("a PTX that is not what was written is refused") {
  const Kernel kernel = operating("add.u32", 3, 1);
  const std::string sound = ptx_of(kernel);
  const std::string line = "@odd add.u32 op0_r0, op0_r0, op0_x_odd;";
  const std::size_t clock = sound.find(", %clock64;");
  REQUIRE(clock != std::string::npos);
  const std::size_t read = sound.rfind("mov.u64", clock);
  const std::string end_clock = sound.substr(read, sound.find('\n', clock) - read);
  struct Row {
    std::string ptx;
    const char* reason;
  };
  const Row rows[] = {
      {"", "there is no entry 'add_u32'"},
      {with(sound, line, ""), "stands where '@odd add.u32"},
      {with(sound, line, line + "\n" + line), "stands where '@even add.u32"},
      {with(sound, line, with(line, "@odd ", "")), "stands where '@odd add.u32"},
      {with(sound, line, with(line, "op0_r0, op0_x", "op0_x_odd, op0_x")), "stands where"},
      {with(sound, end_clock, ""), "1 reads of %clock64"},
      {with(sound, "unknown, %tid.x;", "unknown, %tid.x;\nnop;"),
       "'nop;' stands where 'add.u32 unknown"},
      {with(sound, "cvt.u32.u64", "add.u64"), "is not never_low"},
      {with(sound, "// end inline asm", "nop;\n\t// end inline asm"), "is not one block"},
  };
  for (const Row& row : rows) expect(check_ptx(kernel, row.ptx), Verdict::refused, row.reason);
}

// The row reads another register than it writes: no chain.
TEST_CASE("a PTX whose executions do not wait for each other is refused") {
  const Kernel kernel = operating("popc.b32", 2, 2);
  Kernel chained = kernel;
  chained.timed[0].streams = 1;
  const std::string ptx = ptx_of(kernel);
  CHECK(check_ptx(kernel, ptx).verdict == Verdict::verified);
  CHECK(check_ptx(chained, ptx).verdict == Verdict::refused);
}

TEST_CASE("bodies that branch are followed as far as they can be") {
  const Kernel kernel = parse_kernel(R"(
    kernel waits { threads 64 param never : u64
      setup { %w = warp %one = const.b32 1 %zero = const.b32 0
              shared count, %zero ready %w, %one, %zero }
      timed { %c = eq.u32 %w, %zero @ 1
              when %c @ 1 { sync.divergent @ 1 st.shared count, %one @ 1 }
              else { while @ 1 { %n = ld.shared count @ 1 %e = eq.u32 %n, %zero @ 1 } %e { } }
              sync @ 2 await @ 2 }
      observe latency })");
  expect(check_ptx(kernel, ptx_of(kernel)), Verdict::verified, "as written");
  const std::string sound = section("bodies.sm_90.sass", "waits");
  expect(check_sass(kernel, sound), Verdict::verified, "instructions in all");
  expect(check_sass(kernel, with(sound, "/*0260*/ BAR.SYNC.DEFER_BLOCKING 0x0", "/*0260*/ NOP")),
         Verdict::unverified, "barriers instead of");
}

// The neighbour's code comes behind the body's, with barriers of its own.
TEST_CASE("a body ends at its own last barrier, whatever runs beside it") {
  const Kernel kernel = parse_kernel(R"(
    kernel stamps { threads 128 param never : u64 param blocks_met : u64 param sm0 : u64 param sm1 : u64
      stamp 0 stamp 1
      setup { ready }
      timed { stamp 0 @ 1 stamp 1 @ 2 await @ 2 }
      observe timeline
      placed
      beside code { setup { ready } timed { operate fma.rn.f32 x 4 streams 4 @ 1 await @ 1 } } })");
  const std::string sound = section("bodies.sm_90.sass", "beside");
  const RegionReport report = check_sass(kernel, sound);
  expect(report, Verdict::verified, "4 instructions in all");
  CHECK(report.listing.find("STG") == std::string::npos);
  const std::string end = "/*0580*/ BAR.SYNC.DEFER_BLOCKING 0x0 ;";
  expect(check_sass(kernel, with(sound, end, "/*0580*/ NOP ;")), Verdict::refused, "branches");
  expect(check_sass(kernel, with(sound, "/*0560*/ CS2R.32 R15, SR_CLOCKLO ;", "/*0560*/ NOP ;")),
         Verdict::refused, "1 reads of the clock instead of 2");
}

// A warp's issue: what stands between two reads of the clock is one statement.
constexpr const char* kIssue = R"(
  kernel issues { threads 32 param data : buffer param never : u64 param pitch : u64
    stamp 0 stamp 1 stamp 2
    setup { %t = thread %o = mul.u64 %t, %pitch %a = at %data, %o ready %a }
    timed { stamp 0 @ 1 operate add.u32 x 2 streams 1 @ 1
            stamp 1 @ 2 %v = ld.global.b32 [%a + 0] @ 2
            stamp 2 @ 2 await %v @ 2 }
    observe issue })";

TEST_CASE("the reads of the clock of observe issue stand between the statements") {
  const Kernel kernel = parse_kernel(kIssue);
  const std::string ptx = ptx_of(kernel);
  expect(check_ptx(kernel, ptx), Verdict::verified, "as written");
  // The second read goes behind the load.
  std::size_t read = ptx.find("%clock64");
  for (int i = 0; i < 2; ++i) read = ptx.find(", %clock;", read + 1);
  const std::size_t begin = ptx.rfind('\n', read) + 1, end = ptx.find('\n', read) + 1;
  const std::string line = ptx.substr(begin, end - begin);
  const std::size_t after = ptx.find('\n', end) + 1;
  std::string moved = ptx;
  moved.insert(after, line).erase(begin, line.size());
  expect(check_ptx(kernel, moved), Verdict::refused, "stands where");
}

TEST_CASE("machine code that keeps a read at another place is not verified") {
  const Kernel kernel = parse_kernel(kIssue);
  const auto listing = [](const char* first, const char* second, const char* third) {
    return fmt::format(
        "/*0010*/ BAR.SYNC.DEFER_BLOCKING 0x0 ;\n/*0020*/ CS2R R2, SR_CLOCKLO ;\n"
        "/*0030*/ CS2R.32 R10, SR_CLOCKLO ;\n/*0040*/ {} ;\n/*0050*/ {} ;\n/*0060*/ {} ;\n"
        "/*0070*/ CS2R.32 R12, SR_CLOCKLO ;\n/*0080*/ IADD3 R6, R7, R4, RZ ;\n"
        "/*0090*/ ISETP.EQ.AND P0, PT, R6, R8, P0 ;\n"
        "/*00a0*/ @!P0 BAR.SYNC.DEFER_BLOCKING 0x0 ;\n",
        first, second, third);
  };
  const char* adds = "IADD3 R4, R4, 0x1, RZ ;\n/*0041*/ IADD3 R4, R4, 0x1, RZ";
  const char* read = "CS2R.32 R11, SR_CLOCKLO";
  const char* load = "LDG.E R7, [R8.64]";
  expect(check_sass(kernel, listing(adds, read, load)), Verdict::verified, "add.u32 x 2");
  expect(check_sass(kernel, listing(adds, load, read)), Verdict::unverified,
         "statement 0 does not stand between its two reads of the clock");
}

}  // namespace
}  // namespace gpx::codegen::test
