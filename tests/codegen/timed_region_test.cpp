// The proof of what is timed: codegen/proof/timed_region.h.
#include "codegen/proof/timed_region.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "codegen/compile/compile.h"
#include "codegen/compile/compiler.h"
#include "codegen/emit/emit.h"
#include "codegen/ir/region.h"
#include "support.h"
#include "tests/left_out.h"

namespace gpx::codegen::test {
namespace {

using Verdict = RegionReport::Verdict;

Kernel kernel_of(const std::string& text) {
  return program_of(text).kernels.back();
}

std::string ptx_of(const Kernel& kernel) {
  const auto compiler = find_compiler({Target::Form::ptx, 75});
  REQUIRE(compiler.has_value());
  auto compiled = (*compiler)->compile(emit_cuda(kernel), "k.cu", {Target::Form::ptx, 75});
  REQUIRE(compiled.has_value());
  REQUIRE(compiled->ok);
  return compiled->ptx;
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  CAPTURE(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

// Moves the line that holds `what` in front of the line that holds `where`.
std::string moved(std::string text, const std::string& what, const std::string& where) {
  const auto line_at = [&](const std::string& part) {
    CAPTURE(part);
    const std::size_t at = text.find(part);
    REQUIRE(at != std::string::npos);
    return text.rfind('\n', at) + 1;
  };
  const std::size_t begin = line_at(what);
  const std::string line = text.substr(begin, text.find('\n', begin) + 1 - begin);
  text.erase(begin, line.size());
  return text.insert(line_at(where), line);
}

void expect(const RegionReport& report, Verdict verdict, const char* reason) {
  CAPTURE(report.listing);
  CHECK(to_string(report.verdict) == to_string(verdict));
  INFO("reason: ", report.reason);
  CHECK(report.reason.find(reason) != std::string::npos);
}

TEST_CASE("the PTX of every kind of kernel is verified") {
  for (const char* text :
       {"threads 64 observe time < >", "threads 64 < load unique(128B) >",
        "threads 64 < load unique(128B) x 40 >", "threads 64 < load merge(2, 128B) cache cg x 3 >",
        "threads 64 < load stride(16B) width 16B cache nc x 2 >",
        "threads 64 < load broadcast width 1B x 2 >", "threads 64 < load random(1MB, 1) x 4 >",
        "threads 64 < store unique(4B) x 3 >", "threads 64 < copy unique(8B) width 8B x 2 >",
        "threads 64 observe time < copy unique(8B) width 8B >",
        "threads 64 observe time < load unique(4B) x 9 >",
        "threads 64 observe time < store unique(4B) x 2 >",
        "threads 64 < load shared stride(4B) x 40 >",
        "threads 64 < atom.add.u32 shared same x 20 >",
        "threads 64 < load unique(4B); store stride(8B) width 2B; load broadcast width 8B >"}) {
    CAPTURE(text);
    const Kernel kernel = kernel_of(text);
    expect(check_ptx(kernel, ptx_of(kernel)), Verdict::verified, " in the PTX");
  }
}

TEST_CASE("a PTX whose timed region is something else is refused") {
  const Kernel kernel = kernel_of("threads 64 < load unique(128B) x 3 >");
  const std::string sound = ptx_of(kernel);
  const std::string line = "ld.global.u32 v1";
  const std::size_t at = sound.find(line);
  const std::string load = sound.substr(at, sound.find('\n', at) - at);
  struct Row {
    std::string ptx;
    const char* reason;
  };
  const Row rows[] = {
      {with(sound, load, ""), "v2, [%rd"},
      {with(sound, load, load + "\n" + load), "is expected"},
      {with(sound, load, with(load, ".u32", ".u64")), "stands where 'ld.global.u32 v1"},
      {with(sound, load, with(load, "ld.global", "ld.global.cg")), "stands where"},
      {with(sound, load, "@hit " + load), "stands where"},
      {with(sound, load, load + "\nadd.u32 v0, v0, 1;"), "'add.u32 v0, v0, 1;' stands where"},
      {with(sound, load, with(load, "+8192", "+4096")), "'ld.global.u32 v1, [$a0+8192];'"},
      {with(sound, load, with(load, "[%rd", "[%rd9")), "stands where"},
      {moved(sound, "ld.global.u32 v0", "mov.u64"), "stands where 'mov.u64 out.start, %clock64"},
      {moved(sound, "ld.global.u32 v2", "setp.eq.and"), "stands where 'ld.global.u32 v2"},
      {with(sound, ", v0;", ", v1;"), "stands where 'mov.u32 out.fold, v0;'"},
      {with(sound, ", v0;", ", 7;"), "stands where 'mov.u32 out.fold, v0;'"},
      {moved(sound, ", v0;", "setp.eq.and"), "stands where 'mov.u32 out.fold, v0;'"},
      {with(sound, "setp.eq.and.u32 hit", "setp.eq.and.u32 other"), "'setp.eq.and.u32 hit, out"},
      {with(sound, "setp.eq.and.u32 hit", "setp.ne.and.u32 hit"), "'setp.eq.and.u32 hit, out"},
      {with(sound, "bar.sync 0;", ""), "stands where 'bar.sync 0;' is expected"},
      {with(sound, "%clock64", "%clock"), "1 reads of %clock64"},
      {with(sound, "@!hit bar.sync", "bar.sync"), "stands where '@!hit bar.sync 0;'"},
      {with(sound, "@hit st.global.u64", "@hit st.local.u64"), "stands where '@hit st.global"},
      {with(sound, ".reg .u32 v0", ".reg .u32 w0"), "stands where"},
      {with(sound, "begin inline asm", "inline asm"), "there is no timed region"},
      {"", "there is no entry"},
  };
  for (const Row& row : rows) expect(check_ptx(kernel, row.ptx), Verdict::refused, row.reason);
}

TEST_CASE("many loads are kept apart from their sum by a read of the clock") {
  const Kernel kernel = kernel_of("threads 64 < load unique(128B) x 16 >");
  const std::string sound = ptx_of(kernel);
  expect(check_ptx(kernel, sound), Verdict::verified, "16 accesses");
  const char* read = "mov.u32 order, %clock;";
  expect(check_ptx(kernel, with(sound, read, "")), Verdict::refused,
         "stands where 'mov.u32 order, %clock;' is expected");
  expect(check_ptx(kernel, with(sound, read, "mov.u32 order, v0;")), Verdict::refused,
         "stands where 'mov.u32 order, %clock;' is expected");
}

TEST_CASE("words of shared memory are summed once each, none behind more than log2 of the others") {
  const Kernel kernel = kernel_of("threads 64 < load shared stride(4B) x 3 >");
  for (const std::size_t words : {1u, 2u, 3u, 15u, 16u, 17u, 64u, 100u}) {
    CAPTURE(words);
    std::vector<std::string> names;
    std::map<std::string, std::uint32_t> sum, behind;
    for (std::size_t i = 0; i < words; ++i)
      names.push_back(std::to_string(i)), sum[names.back()] = 1, behind[names.back()] = 0;
    for (const auto& [into, term] : partial_sums(kernel, names)) {
      CHECK(into != term);
      sum[into] += sum[term];
      behind[into] = std::max(behind[into], behind[term]) + 1;
      sum[term] = 0;  // Summed already: it must not come again.
    }
    CHECK(sum[names.front()] == words);
    CHECK(behind[names.front()] <= 4 + words / 16);
  }
  CHECK(partial_sums(kernel_of("threads 64 < load unique(4B) x 3 >"), {"a", "b", "c"}).empty());
}

TEST_CASE("a word of shared memory that does not reach the end clock is refused") {
  const Kernel kernel = kernel_of("threads 64 < load shared stride(4B) x 20 >");
  const std::string sound = ptx_of(kernel);
  expect(check_ptx(kernel, with(sound, "add.u32 v2, v2, v18;", "")), Verdict::refused,
         "stands where 'add.u32 v2, v2, v18;'");
  expect(check_ptx(kernel, with(sound, "add.u32 v2, v2, v18;", "add.u32 v2, v2, v17;")),
         Verdict::refused, "stands where 'add.u32 v2, v2, v18;'");
}

TEST_CASE("a PTX in which a load does not reach the end clock is refused") {
  const Kernel kernel = kernel_of("threads 64 < load unique(128B) x 3 >");
  std::string ptx = ptx_of(kernel);
  const std::size_t at = ptx.rfind(", v2;");
  REQUIRE(at != std::string::npos);
  ptx.erase(ptx.rfind('\n', at), ptx.find('\n', at) - ptx.rfind('\n', at));
  expect(check_ptx(kernel, ptx), Verdict::refused,
         "stands where 'add.u32 out.fold, out.fold, v2;'");
}

std::string sass() {
  return read_text(golden_path("load_unique_4B_x3.sm_90.sass"));
}

// The same listing as cuobjdump prints it: each instruction with its encoding, on two rows.
std::string cuobjdump_form(const std::string& text) {
  std::string out = "\tcode for sm_90\n\t\tFunction : load_unique_4B_x3\n";
  std::istringstream rows(text);
  for (std::string row; std::getline(rows, row);)
    if (row.starts_with("        /*"))
      out += row + "    /* 0x0000000000047805 */\n" +
             "                                         /* 0x000fe20000005000 */\n";
  return out;
}

TEST_CASE("machine code that times the loads and nothing else is verified, in both formats") {
  const Kernel kernel = kernel_of("threads 64 < load unique(128B) x 3 >");
  expect(check_sass(kernel, sass()), Verdict::verified, "3 accesses in the machine code");
  expect(check_sass(kernel, cuobjdump_form(sass())), Verdict::verified, "3 accesses");
}

TEST_CASE("machine code that times something else is refused") {
  const Kernel kernel = kernel_of("threads 64 < load unique(128B) x 3 >");
  const auto insert = [](const char* row, const char* before) {
    return with(sass(), before, std::string(row) + " ;\n /*0000*/ " + before);
  };
  struct Row {
    std::string sass;
    const char* reason;
  };
  const Row rows[] = {
      {"", "there is none"},
      {moved(sass(), "LDG.E R8", "CS2R R10"), "is outside the clock reads"},
      {moved(sass(), "LDG.E R0", "LOP3.LUT"), "is outside the clock reads"},
      {with(sass(), "LDG.E R9", "MOV R9"), "2 loads of 4B instead of 3"},
      {insert("LDG.E R20, desc[UR4][R4.64+0x60000]", "IADD3 R8, R0"), "4 loads of 4B instead of 3"},
      {with(sass(), "LDG.E R9", "LDG.E.64 R12"), "2 loads of 4B instead of 3"},
      {insert("STL [R1], R0", "IADD3 R8, R0"), "registers are spilled"},
      {insert("LDL R20, [R1]", "LDG.E R0"), "registers are spilled"},
      {insert("@P1 BRA `(.L_x_9)", "IADD3 R8, R0"), "branches"},
      {insert("MUFU.RCP R20, R21", "ISETP.EQ.U32.AND P0"), "has no reason to be timed"},
      {insert("LDS R20, [R21]", "IADD3 R8, R0"), "1 shared loads of 4B instead of 0"},
      {with(sass(), "LDG.E R9, desc[UR4][R4.64+0x20000]", "LDS R9, [R21]"),
       "2 loads of 4B instead of 3"},
      {moved(sass(), "IADD3 R8, R0", "LDG.E R0"), "waits for a load before the last"},
      {with(sass(), "IADD3 R8, R0, R8, R9", "IADD3 R8, RZ, R8, R9"),
       "the end clock does not depend on R0"},
      {with(sass(), "LDG.E R0", "LDG.E R8"), "overwrites a loaded value"},
      {with(sass(), "LDG.E R0", "LDG.E RZ"), "throws its value away"},
      {with(sass(), "[R4.64+0x40000]", "[R8.64+0x40000]"), "waits for a load before the last"},
      {with(sass(), "@!P0 BAR.SYNC.DEFER_BLOCKING 0x0", "NOP"), "no barrier between the last use"},
      {moved(sass(), "IADD3 R8, R0", "CS2R R4"), "no barrier between the last use"},
      {with(sass(), "@!P0 BAR", "BAR"), "does not wait for the values"},
      {with(sass(), "@!P0 BAR", "@!P3 BAR"), "does not wait for the values"},
      {with(sass(), "BAR.SYNC", "NOP"), "no barrier before the start clock"},
      {with(sass(), "CS2R R10, SR_CLOCKLO", "NOP"), "1 clock reads"},
  };
  for (const Row& row : rows) expect(check_sass(kernel, row.sass), Verdict::refused, row.reason);
}

TEST_CASE("address arithmetic among the loads is named and leaves the region unverified") {
  const Kernel kernel = kernel_of("threads 64 < load unique(128B) x 3 >");
  const std::string listing =
      with(sass(), "LDG.E R0, ", "MOV R4, R6 ;\n        /*0088*/    LDG.E R0, ");
  expect(check_sass(kernel, listing), Verdict::unverified, "'MOV R4, R6' stands among");
}

TEST_CASE("a chain of atomics, with the counter of its rehearsals among them, is verified once") {
  const Kernel kernel = kernel_of("rehearse 1 threads 1 < atom.exch.b32 shared same x 4 chain >");
  const std::string sound = read_text(golden_path("atom_shared_chain_x4.sm_90.sass"));
  expect(check_sass(kernel, sound), Verdict::verified,
         "4 accesses in the machine code, and 4 other");
  const std::string counter = "UIADD3 UR4, UR4, -0x1, URZ ;\n";
  expect(check_sass(kernel, with(sound, counter, counter + "        /*0301*/    " + counter)),
         Verdict::unverified, "'UIADD3 UR4, UR4, -0x1, URZ' stands among");
  expect(check_sass(kernel, with(sound, "ATOMS.EXCH R2, [R13], R0", "ATOMS.EXCH R2, [R13], R9")),
         Verdict::refused, "does not wait for the atomic before it");
  expect(check_sass(kernel, with(sound, "ATOMS.EXCH R0, [R13], R9",
                                 "MOV R13, R12 ;\n        /*02d8*/    ATOMS.EXCH R0, [R13], R9")),
         Verdict::verified, "4 accesses in the machine code, and 5 other");
  expect(check_sass(kernel, with(sound, "ATOMS.EXCH R0, [R13], R0",
                                 "BSSY B0, `(.L_x_3) ;\n     /*0308*/  ATOMS.EXCH R0, [R13], R0")),
         Verdict::unverified, "an atomic has branches of its own");
}

TEST_CASE("a spill that is over before the start clock is let pass") {
  const Kernel kernel = kernel_of("threads 64 < load unique(128B) x 3 >");
  const std::string listing =
      with(sass(), "S2UR UR4, SR_CTAID.X", "STL [R1], R4 ;\n /*0021*/ LDL R4, [R1]");
  expect(check_sass(kernel, listing), Verdict::verified, "3 accesses");
}

TEST_CASE("an empty region is verified, and one that holds an instruction is not") {
  const Kernel kernel = kernel_of("threads 64 < >");
  const std::string sound = read_text(golden_path("empty.sm_90.sass"));
  expect(check_sass(kernel, sound), Verdict::verified, "0 accesses in the machine code");
  const std::size_t end = sound.rfind("CS2R");
  const auto before_the_end = [&](const char* row) {
    return sound.substr(0, end) + row + " ;\n /*0000*/ " + sound.substr(end);
  };
  expect(check_sass(kernel, before_the_end("LDG.E R20, desc[UR4][R4.64]")), Verdict::refused,
         "1 loads of 4B instead of 0");
  expect(check_sass(kernel, before_the_end("MUFU.RCP R20, R21")), Verdict::refused,
         "has no reason to be timed");
  expect(check_sass(kernel, with(sound, "BAR.SYNC", "NOP")), Verdict::refused, "no barrier");
  expect(check_sass(kernel_of("threads 64 < load unique(128B) >"), sound), Verdict::refused,
         "no access to memory");
}

TEST_CASE("what NVRTC makes of empty regions and of shared words is proven") {
  GPX_NEEDS_NVRTC();
  const struct {
    const char *text, *accesses;
  } rows[] = {{"threads 64 < >", "0 accesses"},
              {"threads 1 < >", "0 accesses"},
              {"observe time threads 64 < >", "0 accesses"},
              {"observe time blocks 200 threads 1024 < >", "0 accesses"},
              {"threads 32 < load shared stride(4B) x64 >", "64 accesses"},
              {"threads 256 < load shared stride(8B) x16 >", "16 accesses"},
              {"threads 32 < load shared stride(16B) width 16B x8 >", "8 accesses"}};
  for (const auto& [text, accesses] : rows) {
    CAPTURE(text);
    const Kernel kernel = kernel_of(text);
    expect(proof_of_cubin(kernel), Verdict::verified,
           (std::string(accesses) + " in the machine code").c_str());
  }
}

TEST_CASE("what is refused is named with its reason and the beginning of its listing") {
  RegionReport report{Verdict::refused, "machine code: 'BRA' branches", "LDG\nBRA\n", {}};
  CHECK(
      refusal("k", report) ==
      "the timed region of k is not what was requested: machine code: 'BRA' branches\nLDG\nBRA\n");
  report.listing.clear();
  for (int i = 0; i < 26; ++i) report.listing += "NOP\n";
  const std::string cut = refusal("k", report);
  CHECK(cut.ends_with("NOP\n… and 2 lines more\n"));
  CHECK(std::count(cut.begin(), cut.end(), '\n') == 26);
}

TEST_CASE("machine code is read where the artifact has any, else the PTX alone") {
  const Kernel kernel = kernel_of("threads 64 < load unique(128B) x 3 >");
  Artifact artifact;
  artifact.ptx = ptx_of(kernel);
  expect(check_timed_region(kernel, artifact), Verdict::verified, "3 accesses in the PTX");
  artifact.cubin = {1, 2, 3};
  CHECK(check_timed_region(kernel, artifact).verdict != Verdict::verified);
  artifact.sass = sass();
  expect(check_timed_region(kernel, artifact), Verdict::verified, "3 accesses in the machine code");
  artifact.ptx = "";
  expect(check_timed_region(kernel, artifact), Verdict::refused, "no entry");
}

}  // namespace
}  // namespace gpx::codegen::test
