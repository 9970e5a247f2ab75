// The generator, the judge, and a sample of blind recovery. `./dev bench recover` runs more of it.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "codegen/files/files.h"
#include "runtime/device/vgpu/virtual_gpu.h"
#include "tests/bench/judge.h"
#include "tests/bench/set_function.h"
#include "tests/folder.h"
#include "tests/left_out.h"
#include "tests/thorough.h"

using namespace gpx;
using namespace gpx::bench;
using namespace gpx::test;

namespace {

std::string written(const TemporaryFolder& folder, const RandomDevice& device) {
  return folder.write(device.name + ".lua", device.lua);
}

Finding found(decltype(Finding::value) value, Verdict verdict = Verdict::measured) {
  Finding finding;
  finding.name = "l1.x";
  finding.value = std::move(value);
  finding.verdict = verdict;
  return finding;
}

Finding within(double value, double low, double high) {
  Finding finding = found(value);
  finding.low = low;
  finding.high = high;
  return finding;
}

/// Characterizes a device: what of it comes back, and whether anything is confidently wrong.
std::vector<Judgement> recovered(const RandomDevice& device, std::uint64_t seed) {
  const TemporaryFolder folder;
  Session session({GPX_SOURCE_DIR "/stdlib", GPX_SOURCE_DIR "/experiments"});
  const auto result = characterize_task(session, written(folder, device), device.groups)
                          .and_then([&](const auto& task) {
                            return characterize(session, task, CharacterizeOptions{});
                          });
  if (!result) FAIL(render(result.error()));
  for (const ExperimentResult& group : result->experiments)
    CHECK_MESSAGE(group.whole(), "seed " << seed << ": " << group.experiment.name);
  std::vector<Judgement> judgements = judge(device, findings_of(*result));
  for (const Judgement& judgement : judgements)
    CHECK_MESSAGE(judgement.judged != Judged::wrong, "seed " << seed << ": " << judgement.text);
  return judgements;
}

/// A finding of a random device that was wrong or open once.
struct Once {
  std::uint64_t seed;
  const char* group;
  const char* finding;
};

/// What becomes of that finding alone: it is not confidently wrong.
Judgement recovered(const Once& once) {
  RandomDevice device = random_device(once.seed, false);
  device.groups = {once.group};
  std::erase_if(device.truths, [&](const Truth& truth) { return truth.finding != once.finding; });
  REQUIRE(device.truths.size() == 1);
  return recovered(device, once.seed).at(0);
}

/// A group of a device, and findings whose names begin so: how many there are, at least.
struct Group {
  std::uint64_t seed;
  const char* group;
  const char* findings;
  std::size_t least;
};

/// All of these findings are decided, and none of them wrongly.
void recovered_whole(const Group& each, RandomDevice device) {
  device.groups = {each.group};
  std::erase_if(device.truths,
                [&](const Truth& truth) { return !truth.finding.starts_with(each.findings); });
  REQUIRE(device.truths.size() >= each.least);
  for (const Judgement& judgement : recovered(device, each.seed))
    CHECK_MESSAGE(judgement.judged != Judged::inconclusive,
                  "seed " << each.seed << ": " << judgement.text);
}

}  // namespace

TEST_CASE("the judge is strict") {
  using List = std::vector<double>;
  struct Case {
    Truth truth;
    Finding finding;
    Judged judged;
  };
  const Truth ways{"l1.x", "ways", 4.0}, clocks{"l1.x", "latency", 30.0, 33.0};
  const Truth policy{"l1.x", "policy", std::string("LRU")};
  const Truth sizes{"l1.x", "set_sizes", List{17, 8, 8}};
  const Truth nothing{"l1.x", "ways", 4.0, 0, "there is nothing to decide"};
  const Truth hidden{"l1.x", "ways", 4.0, 0, {}, "a nearer level hides it"};
  const std::vector<Case> cases = {
      {ways, found(4.0), Judged::exact},
      {ways, found(5.0), Judged::wrong},
      {ways, within(5, 4, 6), Judged::inside},
      {ways, within(5, 5, 6), Judged::wrong},
      {ways, found(std::string("4")), Judged::wrong},
      {ways, found({}, Verdict::inconclusive), Judged::inconclusive},
      {ways, found({}, Verdict::not_observed), Judged::wrong},
      {clocks, found(33.4), Judged::exact},
      {clocks, found(33.6), Judged::wrong},
      {clocks, within(36, 32, 40), Judged::inside},
      {policy, found(std::string("LRU")), Judged::exact},
      {policy, found(std::string("FIFO")), Judged::wrong},
      {sizes, found(List{17, 8, 8}), Judged::exact},
      {sizes, found(List{17, 8}), Judged::wrong},
      {hidden, found(5.0), Judged::wrong},
      {hidden, found(4.0), Judged::exact},
      {nothing, found({}, Verdict::not_observed), Judged::undecidable},
      {nothing, found({}, Verdict::inconclusive), Judged::undecidable},
      {hidden, found({}, Verdict::inconclusive), Judged::undecidable},
      {hidden, found({}, Verdict::not_observed), Judged::wrong},
  };
  for (const Case& each : cases) {
    RandomDevice device;
    device.truths = {each.truth};
    const auto judged = judge(device, {each.finding});
    REQUIRE(judged.size() == 1);
    CHECK_MESSAGE(judged[0].judged == each.judged, judged[0].text);
  }
}

TEST_CASE("what is missing stays open, and structure that is not there is wrong") {
  RandomDevice device;
  device.truths = {{"l1.ways", "ways", 4.0}};
  device.absent = {"l2."};
  CHECK(judge(device, {})[0].judged == Judged::inconclusive);
  CHECK(judge(device, {})[1].judged == Judged::exact);
  Finding ghost = found(4096.0);
  ghost.name = "l2.capacity";
  CHECK(judge(device, {ghost})[1].judged == Judged::wrong);
}

TEST_CASE("every random device is legal, and one seed makes one device" *
          doctest::test_suite(kSamples)) {
  const TemporaryFolder folder;
  std::set<std::string> groups;
  for (std::uint64_t seed = 1; seed <= sample_size(100u, 400u); ++seed) {
    const RandomDevice device = random_device(seed, seed % 2 == 0);
    const auto opened = vgpu::open(written(folder, device));
    if (!opened) FAIL(device.lua << render(opened.error()));
    groups.insert(device.groups.begin(), device.groups.end());
    CHECK(device.lua == random_device(seed, seed % 2 == 0).lua);
    CHECK(device.truths.size() >= 6);
  }
  CHECK(groups == std::set<std::string>{"constant", "global", "texture", "tlb"});
}

TEST_CASE("every whole device is legal, and one seed makes one device" *
          doctest::test_suite(kSamples)) {
  const TemporaryFolder folder;
  for (std::uint64_t seed = 1; seed <= sample_size(50u, 200u); ++seed) {
    const RandomDevice device = whole_device(seed, seed % 2 == 0);
    const auto opened = vgpu::open(written(folder, device));
    if (!opened) FAIL(device.lua << render(opened.error()));
    CHECK(device.lua == whole_device(seed, seed % 2 == 0).lua);
    CHECK(device.truths.size() >= 40);
    const RandomDevice wide = wide_device(seed);
    if (const auto wide_opened = vgpu::open(written(folder, wide)); !wide_opened)
      FAIL(wide.lua << render(wide_opened.error()));
    CHECK(wide.lua == wide_device(seed).lua);
  }
}

// A plain L2 in two halves, of which loads of an SM reach both: one bit of 13 was planted.
TEST_CASE("as many parities are planted as there are sets") {
  for (const std::uint64_t seed : {3016048u, 3016125u}) {
    const RandomDevice device = wide_device(seed);
    const auto planted = [&](const char* parameter) {
      return std::ranges::find_if(device.truths,
                                  [&](const Truth& truth) {
                                    return truth.finding == "l2.sets" &&
                                           truth.parameter == parameter;
                                  })
          ->value;
    };
    const auto masks = std::get<SetFunction>(planted("set function")).masks;
    CHECK(std::exp2(masks.size()) == std::get<double>(planted("sets")));
  }
}

TEST_CASE("a set function is judged by what it makes alike, whatever its text") {
  const SetFunction hashed{128, 4096, {0x280, 0x500}};  // 7+9, 8+10: of 4 sets
  const SetFunction plain{128, 4096, {0x80, 0x100}}, three{128, 6144, {}, 3};
  const SetFunction neither{128, 6144, {0x80, 0x100 | 1 << 20}, 3};  // a modulo below 1 MB
  struct Case {
    const char* note;
    SetFunction planted;
    std::optional<bool> told;
  };
  const std::vector<Case> cases = {
      {"parities of address bits 7+9, 8+10", hashed, true},
      {"address bits 8^10, 7^9, for addresses within the first 5 MB", hashed, true},
      {"address bits 7^8^9^10, 7^9", hashed, true},
      {"address bits 7, 8", hashed, false},
      {"address bits 7^9", hashed, false},
      {"address bits 7, 8", plain, true},
      {"line number modulo 4", plain, true},
      {"line number modulo 4", hashed, false},
      {"number of the line modulo 3", three, true},
      {"line number modulo 6", three, false},
      {"not linear over GF(2), not a modulo of the line's number", neither, true},
      {"not linear over GF(2), not a modulo of the line's number", hashed, false},
      {"line number modulo 48", neither, false},
      {"line number modulo 3", neither, false},
      {"line number modulo 3, for addresses within the first 1 MB", neither, true},
      {"line number modulo 3, for addresses within the first 2 MB", neither, false},
      {"confirmed by 4 of group reach", plain, std::nullopt},
  };
  for (const Case& each : cases)
    CHECK_MESSAGE(tells(each.note, each.planted) == each.told, each.note);
}

// More of it by ./dev bench recover: these are small by construction, whatever their answers.
TEST_CASE("random devices are recovered, and nothing is confidently wrong" *
          doctest::test_suite(kSamples)) {
  Tally tally;
  std::string open;
  for (std::uint64_t seed = 1001; seed <= sample_size(1005u, 1020u); ++seed) {
    for (const Judgement& judgement : recovered(random_device(seed, true), seed)) {
      if (judgement.judged == Judged::inconclusive)
        open += fmt::format("seed {}: {}\n", seed, judgement.text);
      tally.add(judgement);
    }
  }
  MESSAGE(tally.table() << open);
  CHECK(10 * tally.count(Judged::inconclusive) <= tally.count(Judged::exact));
}

// An L2 whose tree-PLRU keeps a stale line, whatever the order of the list; a TLB whose sets are
// selected by bits above those that allocations are aligned to.
TEST_CASE("devices that hide nothing for certain are recovered whole") {
  for (const std::uint64_t seed : {120248u, 120361u}) {
    for (const Judgement& judgement : recovered(random_device(seed, false), seed))
      CHECK_MESSAGE(judgement.judged != Judged::inconclusive,
                    "seed " << seed << ": " << judgement.text);
  }
}

// A FIFO of 33 sets of 24 ways: of 793 to 830 granules two visits in turn miss more often than one,
// and 832 seemed to cost as much as hits.
TEST_CASE("entries of a TLB are not stated behind granules that cost less than hits") {
  RandomDevice device = random_device(2712203, false);
  device.groups = {"tlb"};
  std::erase_if(device.truths,
                [](const Truth& truth) { return truth.finding != "tlb.l1.capacity"; });
  REQUIRE(device.truths.size() == 1);
  recovered(device, 2712203);  // checks it
}

// A FIFO of ten sets, one of 20 lines, one of 14 and all others of 12: both sets that were searched
// had 12, and the capacity was stated as ten times that. Entries of 8 KB whose sets bits from 16 on
// select, more than a chase visits: granules of 128 KB were stated, and of 64 KB, by bits from 17
// on. An L2 of 128 KB lost lines that all SMs were asked about, and latencies of a second TLB were
// stated 16 clocks longer.
TEST_CASE("old devices that were wrong once are not wrong" * doctest::test_suite(kSamples)) {
  const Once devices[] = {{2724168, "tlb", "tlb.l2.page"},
                          {3018048, "tlb", "tlb.l2.page"},
                          {3025229, "tlb", "tlb.l2.latency"},
                          {2723397, "global", "l2.capacity"}};
  for (const Once& each : sampled(devices, 2)) recovered(each);  // checks it
}

// Eight neighbouring pages share a set of a second TLB, four a random one's; a first TLB has one
// entry; a launch missed twice in 512 loads. The line that translates a page lay in the set itself.
// Of lines of 256 B two share a set, so that 512 B were stated. L2 keeps the lines of 375 pages, of
// which a second TLB might hold more. A table of the kernel's took an entry of one set of eight.
// An L2 of 26 and of 47 sets of 48 ways that replaces at random. Constants of which each 512 B
// share a set, behind a cache of one set.
TEST_CASE("old devices that were open once are decided" * doctest::test_suite(kSamples)) {
  const Once devices[] = {
      {2725081, "tlb", "tlb.miss.latency"},  {2726097, "global", "l2.line"},
      {2725230, "tlb", "tlb.miss.latency"},  {2725191, "tlb", "tlb.miss.latency"},
      {2725333, "tlb", "tlb.miss.latency"},  {2725371, "global", "l2.policy"},
      {2732128, "tlb", "tlb.l1.page"},       {3018370, "tlb", "tlb.miss.latency"},
      {3018482, "tlb", "tlb.l2.ways"},       {3018036, "global", "l2.ways"},
      {3018191, "global", "l2.sets"},        {3018254, "constant", "const.l2.ways"},
      {3018287, "constant", "const.l2.ways"}};
  for (const Once& each : sampled(devices, 2)) {
    const Judgement judgement = recovered(each);
    CHECK_MESSAGE(judgement.judged != Judged::inconclusive,
                  "seed " << each.seed << ": " << judgement.text);
  }
}

// The list of a test's lines lay in the target's set; a policy that resists scans needs more lines
// than ways; the minimal sets of two targets have 31 and 16 lines, and no policy tells which are
// the ways; single tests of an SRRIP of 16 ways need 23 lines; code, and then constants, behind
// slices at several distances; latencies of shared memory that are multiples of 64 clocks;
// single tests of a set that evict at first and later do not; a TLB that lists leave open; a set
// of which a run hides; a set of too few lines for a homing sequence; a TLB of which one page of
// four misses, 9 clocks; 256 entries, where 3 rounds of 244 lines took 0.1 clocks less than 2 of
// 256, and 128, where code was fetched in some rounds; a second TLB of twice the first one's
// entries; random pages in slices farther away; an L1 that only long lists miss; a last cache of
// code with no plateau behind it; a second TLB whose granules are as small as the first one's; a
// cache of textures of which the longest lists miss the TLB; lines that all SMs ask in one half of
// L2, 100 clocks nearer than the mean; a far side of L2 that answers as late as memory on the near
// side.
TEST_CASE("groups of whole devices that were wrong or open once are recovered" *
          doctest::test_suite(kSamples)) {
  // One of each group first.
  const Group cases[] = {{1400260, "instruction_cache", "inst.", 3},
                         {1010008, "constant", "const.l1.", 7},
                         {1426024, "shared_banks", "shared.", 3},
                         {1438062, "tlb", "tlb.miss.latency", 1},
                         {1444208, "texture", "tex.l1.", 7},
                         {1010013, "global", "l2.", 7},
                         {1400131, "global", "l2.ways", 1},
                         {1412013, "global", "l2.", 7},
                         {1427015, "global", "l2.", 7},
                         {1429031, "tlb", "tlb.", 8},
                         {1427022, "global", "l2.", 7},
                         {1434044, "global", "l2.policy", 1},
                         {1438041, "tlb", "tlb.l1.", 4},
                         {1438055, "tlb", "tlb.l2.sets", 1},
                         {1440067, "tlb", "tlb.l2.sets", 1},
                         {1438061, "tlb", "tlb.miss.latency", 1},
                         {1440021, "global", "l1.latency", 1},
                         {1440017, "instruction_cache", "inst.l2.scope", 1},
                         {1445019, "tlb", "tlb.l2.", 5},
                         {1447030, "tlb", "tlb.l1.latency", 1},
                         {1447003, "global", "l2.sector", 1}};
  for (const Group& each : sampled(cases, 6)) recovered_whole(each, whole_device(each.seed, false));
}

// Buffers of any policy, of one set to 64, in front of each other: a second one of tree-PLRU and of
// FIFO whose granule was stated as half of it, and the miss too soon; one behind a random one; one
// of fewer entries than the first one has; 16 entries that steps of 128 MB show first; 512 entries
// of tree-PLRU behind tree-PLRU; an L2 that keeps lines of 1,500 granules; 16 granules of 1 GB of
// which a random one holds all. Constants by tree-PLRU in the sets of the level above; the lines of
// 32 ways that the homing sequence left no room for, and one that a tree-PLRU kept through it. An
// L2 of which only lines of the near half were timed first; one late hit of 128 lines.
TEST_CASE("groups of wide devices are recovered" * doctest::test_suite(kSamples)) {
  const Group cases[] = {{3014031, "tlb", "tlb.", 10},
                         {3016013, "constant", "const.l2.policy", 1},
                         {3016007, "tlb", "tlb.miss.latency", 1},
                         {3016071, "global", "l2.policy", 1},
                         {3016053, "global", "l2.sets", 2},
                         {3016039, "global", "l2.whole_capacity", 1},
                         {3016056, "global", "l2.policy", 1},
                         {3016085, "tlb", "tlb.miss.latency", 1},
                         {3014040, "tlb", "tlb.", 10},
                         {3014004, "tlb", "tlb.", 10},
                         {3014007, "tlb", "tlb.", 10},
                         {3014012, "tlb", "tlb.", 10},
                         {3014027, "tlb", "tlb.", 10}};
  for (const Group& each : sampled(cases, 4)) recovered_whole(each, wide_device(each.seed));
}

// 1,024 entries hold half of the memory in pages of 512 KB, and L2 keeps the lines of 750 granules.
TEST_CASE("a miss is not stated where a second TLB may hold more than L2 keeps lines of") {
  RandomDevice device = random_device(3018177, false);
  const std::string l2 = "  l2 = {";
  device.lua.insert(device.lua.find(l2),
                    "  tlb_l2 = { entries = 1024, ways = 4, page = \"524288 B\", scope = \"gpu\", "
                    "policy = \"lru\", miss = \"600 clocks\" },\n");
  device.groups = {"tlb"};
  device.truths = {{"tlb.miss.latency", "latency", 875.0}};
  device.absent.clear();
  CHECK(recovered(device, 3018177).at(0).judged == Judged::inconclusive);
}

// An L2 that inserts missed lines as those that leave next never rests where two lines of a list
// share a set: placements of 63 pages seemed to miss a buffer. The K20's with half of its L2, and
// devices of the generator without their TLBs (./dev bench recover --untranslated).
TEST_CASE("tlb_where_none" * doctest::test_suite(kSamples)) {
  GPX_NEEDS_NVRTC();
  const auto k20 = file_text(GPX_SOURCE_DIR "/stdlib/devices/k20.lua");
  REQUIRE(k20);
  RandomDevice half{"half_k20", *k20, {}, {"tlb.l1.", "tlb.l2."}, {"tlb"}};
  for (const auto& [from, to] :
       {std::pair{"name = \"k20\"", "name = \"half_k20\""}, std::pair{"\"1536 KB\"", "\"768 KB\""},
        std::pair{"\"5 GB\"", "\"1 GB\""}})
    half.lua.replace(half.lua.find(from), std::string(from).size(), to);
  recovered(half, 0);  // checks it
  for (std::uint64_t seed = 5101; seed <= sample_size(5102u, 5106u); ++seed)
    recovered(untranslated(random_device(seed, true), seed), seed);
}

// Behind an L1 of 23 lines, an L2 whose sets lie 256 B apart holds no list of neighbours: 8 of them
// are of one set of 3 ways. Its latency was said to be the next level's. The same with other bits.
TEST_CASE("const.l2.latency 220 for 139: sets that lie 256 B apart" *
          doctest::test_suite(kSamples)) {
  RandomDevice device = random_device(990068, false);
  const std::string bits = "set_bits = { 8, 9, 10, 11 }";
  recovered(device, 990068);  // checks it
  const char* const others[] = {"8, 10, 12, 13", "9, 10, 11, 12", "10, 11, 12, 13"};
  for (const char* other : sampled(others, 1)) {
    RandomDevice changed = device;
    changed.lua.replace(changed.lua.find(bits), bits.size(),
                        fmt::format("set_bits = {{ {} }}", other));
    std::erase_if(changed.truths,
                  [](const Truth& truth) { return truth.finding != "const.l2.latency"; });
    const Judgement judgement = recovered(changed, 990068).at(0);
    CHECK_MESSAGE(judgement.judged == Judged::exact, judgement.text);
  }
}

// Devices that another process uses now and then (./dev bench recover --tenants): what is decided
// is right. First three that were wrong once: a slice in each of two runs of a job, and bursts
// within launches that visit lines for the first time.
TEST_CASE("another_tenant plants no wrong value" * doctest::test_suite(kSamples)) {
  GPX_NEEDS_NVRTC();
  const std::uint64_t seeds[] = {7179, 7015, 7006, 7001};
  for (const std::uint64_t seed : sampled(seeds, 2)) {
    const RandomDevice device = with_tenant(random_device(seed, true), seed);
    const TemporaryFolder folder;
    Session session({GPX_SOURCE_DIR "/stdlib", GPX_SOURCE_DIR "/experiments"});
    CharacterizeOptions options;
    options.seed = seed;
    options.jobs = 1;
    options.budget_s = 12;  // what does not fit is open
    const auto result =
        characterize_task(session, written(folder, device), device.groups)
            .and_then([&](const auto& task) { return characterize(session, task, options); });
    if (!result) FAIL(render(result.error()));
    for (const Judgement& judgement : judge(device, findings_of(*result)))
      CHECK_MESSAGE(judgement.judged != Judged::wrong, "seed " << seed << ": " << judgement.text);
  }
}

// ./dev bench recover --whole makes them as large as GPUs are.
TEST_CASE("a small whole device is recovered, and nothing is confidently wrong") {
  GPX_NEEDS_NVRTC();
  Tally tally;
  std::string open;
  for (const Judgement& judgement : recovered(whole_device(3, true), 3)) {
    if (judgement.judged == Judged::inconclusive) open += judgement.text + '\n';
    tally.add(judgement);
  }
  MESSAGE(tally.table() << open);
  CHECK(20 * tally.count(Judged::inconclusive) <= tally.count(Judged::exact));
}
