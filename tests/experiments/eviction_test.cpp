// Minimal eviction sets, placements and straight code against planted truth: the description of a
// GPU is changed, and what the parts of the analyses find follows.
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "tests/experiments/support.h"
#include "tests/thorough.h"

namespace gpx::test {
namespace {

namespace fs = std::filesystem;

/// Runs the body of a script, with `input` at hand, on a changed device; it emits findings.
ExperimentResult ask(const std::string& device, const Changes& changes, const std::string& script) {
  const fs::path folder = fs::temp_directory_path() / fmt::format("gpx-eviction-{}", getpid());
  fs::create_directories(folder);
  RunOptions options;
  options.device = (folder / "planted.lua").string();
  std::ofstream(options.device) << changed_description(device, changes);
  std::ofstream(folder / "ask.lua") << "return function(input)\n" << script << "\nend\n";
  Session session(source_paths());
  RunResult result = run(session,
                         Source((folder / "ask.gpx").string(),
                                "experiment e { < load unique(128B) > analyze \"ask.lua\"() }"),
                         options);
  fs::remove_all(folder);
  REQUIRE(!result.experiments.empty());
  return std::move(result.experiments[0]);
}

const char* const kCache =
    "local found = (use \"parts/cache_sets\").recover(\"cg\", input.device)\n"
    "finding { name = \"why\", value = found.why or \"decided\" }\n"
    "for _, what in ipairs { \"ways\", \"sets\", \"line\", \"capacity\" } do\n"
    "  finding { name = what, value = found[what], verdict = not found[what] and \"inconclusive\" "
    "or nil }\n"
    "end\n"
    "finding { name = \"policy\", value = found.policy and found.policy.name or found.doubt.policy "
    "or "
    "\"?\" }";

/// The L2 of gtx560ti with other sets.
Changes planted_l2(const std::string& capacity, const std::string& rest) {
  return {{"capacity = { \"512 KB\", source = \"mei2014 Table 1\" }",
           "capacity = \"" + capacity + "\""},
          {"ways = { 16, assumed = \"no paper measures it\" },\n    set_bits = {\n"
           "      { 7, 15, 23, 31 }, { 8, 16, 24, 32 }, { 9, 17, 25, 33 }, { 10, 18, 26, 34 },\n"
           "      { 11, 19, 27, 35 }, { 12, 20, 28, 36 }, { 13, 21, 29, 37 }, { 14, 22, 30, 38 },\n"
           "      assumed = \"mei2014 section 5 finds L2 complex; words 2 MB apart stay in it "
           "(Table 3, "
           "pattern 3)\",\n    },",
           rest + ","}};
}

struct Planted {
  const char *capacity, *ways, *policy, *bits;
  double truth_ways, truth_sets;
  const char* name;
};

}  // namespace

TEST_CASE("a planted L2 comes back from minimal eviction sets: ways, sets, line, policy") {
  for (const Planted& planted :
       {Planted{"64 KB", "8", "lru",
                ", set_bits = { { 7, 13 }, { 8, 14, 15 }, 9, 10, 11, { 12, 16 } }", 8, 64, "LRU"},
        Planted{"256 KB", "8", "fifo", "", 8, 256, "FIFO"},
        Planted{"256 KB", "4", "plru", "", 4, 512, "PLRU"},
        // Fewer lines than ways evict now and then, and what a set held before is never forgotten.
        Planted{"512 KB", "16", "srrip", "", 16, 256, "SRRIP"},
        Planted{"512 KB", "16", "qlru",
                ", qlru_hit = \"H00\", qlru_insertion = \"M1\", qlru_replacement = \"R1\", "
                "qlru_update = \"U2\"",
                16, 256, "QLRU_H00_M1_R1_U2"},
        Planted{"512 KB", "16", "qlru",
                ", qlru_hit = \"H21\", qlru_insertion = \"M1\", qlru_replacement = \"R0\", "
                "qlru_update = \"U0\"",
                16, 256, "QLRU_H21_M1_R0_U0"}}) {
    CAPTURE(std::string(planted.policy));
    const ExperimentResult result =
        ask("gtx560ti",
            planted_l2(planted.capacity, fmt::format("ways = {}, policy = \"{}\"{}", planted.ways,
                                                     planted.policy, planted.bits)),
            kCache);
    CHECK(text(get(result, "why")) == "decided");
    CHECK(number(get(result, "ways")) == planted.truth_ways);
    CHECK(number(get(result, "sets")) == planted.truth_sets);
    CHECK(number(get(result, "line")) == 128);
    CHECK(number(get(result, "capacity")) == planted.truth_ways * planted.truth_sets * 128);
    CHECK(text(get(result, "policy")) == planted.name);
  }
}

// Seed 3015016 of the wide devices: 64 MB of 8 ways.
TEST_CASE("an L2 of so many sets that an array has few lines of each comes back from a larger one" *
          doctest::test_suite(kSamples)) {
  const ExperimentResult result =
      ask("gtx560ti", planted_l2("48 MB", "ways = 4, policy = \"lru\""), kCache);
  CHECK(text(get(result, "why")) == "decided");
  CHECK(number(get(result, "ways")) == 4);
  CHECK(number(get(result, "sets")) == 98304);
  CHECK(number(get(result, "capacity")) == 48 << 20);
  CHECK(text(get(result, "policy")) == "LRU");
}

TEST_CASE("an L2 larger than its TLB reaches comes back: lists within that show no level") {
  Changes changes = planted_l2("512 KB", "ways = 8");
  changes.push_back({"page = \"2 MB\",\n    entries = 16", "page = \"16 KB\",\n    entries = 16"});
  const ExperimentResult result =
      ask("gtx560ti", changes,
          "(use \"cache\").run { samples = input.samples, args = { cache = \"cg\", level = \"l2\", "
          "first = 2 }, device = input.device, reduce = input.reduce }");
  CHECK(number(get(result, "l2.capacity")) == 512 * 1024);
  CHECK(number(get(result, "l2.ways")) == 8);
  CHECK(number(get(result, "l2.sets")) == 512);
  CHECK(text(get(result, "l2.policy")) == "LRU");
  const Finding& latency = get(result, "l2.latency");
  CHECK(*latency.low <= 371);
  CHECK(*latency.high >= 371);
}

TEST_CASE("an L2 with random replacement comes back where its TLB reaches less than lists do") {
  Changes changes = planted_l2("48 KB", "ways = 12, policy = \"random\"");
  changes.push_back({"page = \"2 MB\",\n    entries = 16", "page = \"256 KB\",\n    entries = 16"});
  const ExperimentResult result = ask("gtx560ti", changes, R"lua(
    local asks, levels = (use "cache").asks, use "parts/levels"
    local level = levels.walk { probe = asks("global", "cg", 8 << 20), granule = 32, unit = 4, word = 4, most = 5 << 20,
                                limit = 8 << 20, depth = 1, asked_after = true }.levels[1]
    finding { name = "sets_at_first", value = level.sets or 0 }
    levels.ask_within_less(level)
    for _, what in ipairs { "sets", "ways", "within" } do finding { name = what, value = level[what] or 0 } end
    finding { name = "policy", value = level.policy and level.policy.name or level.doubt.policy }
  )lua");
  CHECK(number(get(result, "sets_at_first")) == 0);
  CHECK(number(get(result, "sets")) == 32);
  CHECK(number(get(result, "ways")) == 12);
  CHECK(number(get(result, "within")) <= 4 << 20);
  CHECK(text(get(result, "policy")) == "random");
}

// Lists of 1.25 to 5 MB miss the TLB, 27 clocks that were reported as an L3's.
TEST_CASE("hits of L2 that a TLB translates anew are no further cache, and memory is seen behind") {
  Changes changes = planted_l2("256 KB", "ways = 8");
  changes.push_back({"page = \"2 MB\",\n    entries = 16", "page = \"64 KB\",\n    entries = 16"});
  const ExperimentResult result = ask("gtx560ti", changes,
                                      "(use \"cache\").run { samples = input.samples, args = { "
                                      "cache = \"cg\", first = 2, arithmetic = 0 }, "
                                      "device = input.device, reduce = input.reduce }");
  CHECK(number(get(result, "l2.capacity")) == 256 * 1024);
  CHECK(number(get(result, "l2.ways")) == 8);
  CHECK(find(result, "l3.latency") == nullptr);
  const double hit = number(get(result, "l2.latency")), miss = number(get(result, "miss.latency"));
  CHECK(std::abs(miss - hit - 268) < 2);
}

TEST_CASE("an L1 of 16 ways with random replacement is not taken for a scatter of 4 clocks") {
  const ExperimentResult result = ask(
      "gtx560ti",
      {{"ways = 4,\n    policy = \"weighted\",\n    way_probability = { 1/6, 1/2, 1/6, 1/6 },",
        "ways = 16,\n    policy = \"random\","},
       {"jitter = \"2 clocks\"", "jitter = \"4 clocks\""}},
      "(use \"cache\").run { samples = input.samples, args = { level = \"l1\", arithmetic = 0 }, "
      "device = input.device, reduce = input.reduce }");
  CHECK(number(get(result, "l1.capacity")) == 16 * 1024);
  CHECK(number(get(result, "l1.ways")) == 16);
  CHECK(text(get(result, "l1.policy")) == "random");
}

TEST_CASE("each policy of the registry comes back from a set that may be in any state") {
  const ExperimentResult result = ask("gtx560ti", {}, R"lua(
    local set_policy, policies, wrong = use "parts/set_policy", use "parts/policies", {}
    local WAYS = 12   -- where only few homing sequences lead QLRU_H00_M1_R1_U2 to one state
    for _, row in ipairs(policies.rows) do
      local model, class, out = row.make(WAYS), {}, { doubt = {} }
      if model then
        for i = 1, 40 * WAYS do model(-math.random(WAYS + i % WAYS)) end
        for x = 1, set_policy.lines(WAYS) do class[x] = x end
        local set = { near = 1, line = 1, bits = 1, visit = function(_, _, order)
          local hits = {}
          for i, x in ipairs(order) do hits[i] = model(x) end
          return hits
        end }
        set_policy.find(set, class, WAYS, out)
        local found = out.policy and out.policy.name or out.doubt.policy
        if row.name:sub(1, #found) ~= found then wrong[#wrong + 1] = row.name .. ": " .. found end
      end
    end
    finding { name = "wrong", value = table.concat(wrong, "; ") }
  )lua");
  CHECK(text(get(result, "wrong")) == "");
}

TEST_CASE("an L2 of one set has no lines of others: none are looked for") {
  const ExperimentResult result =
      ask("gtx560ti", planted_l2("4 KB", "ways = 32, policy = \"lru\""), kCache);
  CHECK(number(get(result, "sets")) == 1);
}

// No single test tells a line of the set: what does not come to rest does, of few lines one by one,
// of many in runs. Four neighbours share a set of the second one.
TEST_CASE(
    "an L2 that gives up lines at random, or many by FIFO, comes back from what never rests") {
  for (const Planted& planted :
       {Planted{"64 KB", "8", "random", "", 8, 64, "random"},
        Planted{"128 KB", "8", "random", ", set_bits = { 9, 10, 11, 12, 13, 14, 15 }", 8, 128,
                "random"},
        Planted{"512 KB", "16", "random",
                ", set_bits = { { 7, 16 }, { 8, 17 }, { 9, 18 }, { 10, 19 }, { 11, 20 }, "
                "{ 12, 21 }, { 13, 22 }, { 14, 23 } }",
                16, 256, "random"},
        Planted{"192 KB", "48", "fifo", "", 48, 32, "FIFO"}}) {
    CAPTURE(std::string(planted.capacity));
    const ExperimentResult result =
        ask("gtx560ti",
            planted_l2(planted.capacity, fmt::format("ways = {}, policy = \"{}\"{}", planted.ways,
                                                     planted.policy, planted.bits)),
            kCache);
    CHECK(text(get(result, "why")) == "decided");
    CHECK(number(get(result, "ways")) == planted.truth_ways);
    CHECK(number(get(result, "sets")) == planted.truth_sets);
    CHECK(text(get(result, "policy")) == planted.name);
  }
}

TEST_CASE("a planted TLB comes back from placements: entries and granule") {
  const ExperimentResult result =
      ask("gtx560ti",
          {{"memory = { \"1024 MB\"", "memory = { \"256 MB\""},
           {"page = \"2 MB\",\n    entries = 16,\n    ways = 16",
            "page = \"1 MB\",\n    entries = 24,\n    ways = 24"}},
          "local levels = (use \"parts/placements\").levels(input.device)\n"
          "finding { name = \"entries\", value = levels[1] and levels[1].entries or 0 }\n"
          "finding { name = \"beyond\", value = levels[1] and levels[1].high or 0 }\n"
          "finding { name = \"granule\", value = levels[1] and levels[1].granule or 0 }");
  CHECK(number(get(result, "entries")) == 24);
  CHECK(number(get(result, "beyond")) == 25);
  CHECK(number(get(result, "granule")) == 1 << 20);
}

// The array begins where an entry of 2 MB does: granules that were counted from there would share
// entries of 16 MB, and some would hit.
TEST_CASE(
    "the clocks of a miss come back where an entry is larger than what the array is aligned to") {
  const ExperimentResult result =
      ask("gtx560ti",
          {{"page = \"2 MB\",\n    entries = 16", "page = \"16 MB\",\n    entries = 16"},
           {"page = \"2 MB\",\n    set_sizes = { 17, 8, 8, 8, 8, 8, 8 }",
            "page = \"16 MB\",\n    entries = 2048,\n    ways = 8"}},
          "local levels = (use \"parts/placements\").levels(input.device)\n"
          "local first = levels[1] or {}\n"
          "finding { name = \"levels\", value = #levels }\n"
          "for _, what in ipairs { \"entries\", \"granule\", \"cost\" } do\n"
          "  finding { name = what, value = first[what] or 0 }\n"
          "end");
  CHECK(number(get(result, "levels")) == 1);
  CHECK(number(get(result, "entries")) == 16);
  CHECK(number(get(result, "granule")) == 16 << 20);
  CHECK(std::abs(number(get(result, "cost")) - 27) < 0.5);
}

// Two new lines of one set displace each other there as long as each is visited once a round: a
// miss of the first level seemed to take 43 clocks, of both 168, and a load 366.
TEST_CASE("the clocks of a miss come back behind an L2 that keeps lines that were hit") {
  Changes changes = planted_l2("1 MB", "ways = 16, policy = \"aged\"");
  changes.push_back({"memory = { \"1024 MB\"", "memory = { \"256 MB\""});
  changes.push_back({"page = \"2 MB\",\n    entries = 16,\n    ways = 16",
                     "page = \"1 MB\",\n    entries = 24,\n    ways = 24"});
  const ExperimentResult result =
      ask("gtx560ti", changes,
          "local levels, m = (use \"parts/placements\").levels(input.device)\n"
          "finding { name = \"base\", value = m.base }\n"
          "for i, each in ipairs(levels) do\n"
          "  finding { name = \"cost\" .. i, value = each.cost }\n"
          "end");
  CHECK(std::abs(number(get(result, "base")) - 390) < 1);  // the address's addition is in it
  CHECK(std::abs(number(get(result, "cost1")) - 27) < 0.5);
  CHECK(std::abs(number(get(result, "cost2")) - 111) < 0.5);
}

namespace {

/// Entries, ways, sets and granule of the first TLB, where a gtx560ti of 512 MB has that one.
ExperimentResult first_tlb(const std::string& tlb) {
  return ask(
      "gtx560ti",
      {{"memory = { \"1024 MB\"", "memory = { \"512 MB\""},
       {"page = \"2 MB\",\n    entries = 16,\n    ways = 16", "page = \"1 MB\",\n    " + tlb}},
      "local level = (use \"parts/placements\").levels(input.device)[1]\n"
      "local found = level and not level.uncertain and level.overflow or {}\n"
      "for _, what in ipairs { \"entries\", \"ways\", \"sets\" } do\n"
      "  finding { name = what, value = found[what] or 0 }\n"
      "end\n"
      "finding { name = \"granule\", value = level and level.granule or 0 }");
}

void check_first_tlb(const std::string& tlb, double entries, double ways) {
  CAPTURE(tlb);
  const ExperimentResult result = first_tlb(tlb);
  CHECK(number(get(result, "entries")) == entries);
  CHECK(number(get(result, "ways")) == ways);
  CHECK(number(get(result, "sets")) == entries / ways);
  CHECK(number(get(result, "granule")) == 1 << 20);
}

}  // namespace

// Of two sets, of nine granules five share one, and of ten all do: one set of eight ways was
// stated.
TEST_CASE("entries and ways of a planted TLB of several sets come back from how misses grow") {
  check_first_tlb("entries = 64,\n    ways = 8", 64, 8);
  check_first_tlb("entries = 8,\n    ways = 4, set_bits = { { 20, 21 } }", 8, 4);
}

// Means over placements show no whole sets of these.
TEST_CASE("entries, ways and granule of a TLB that is no LRU come back from what does not rest") {
  check_first_tlb("entries = 32,\n    ways = 8, policy = \"random\"", 32, 8);
  check_first_tlb("entries = 24,\n    ways = 12, policy = \"fifo\"", 24, 12);
  check_first_tlb("entries = 32,\n    ways = 8, policy = \"plru\"", 32, 8);
  check_first_tlb(
      "entries = 32,\n    ways = 4, policy = \"random\", set_bits = { { 20, 22 }, { 21, 24 }, { "
      "22, 25 } }",
      32, 4);
}

// Every set but one has eight ways, or neighbours share a set.
TEST_CASE("a TLB of unequal sets, or whose neighbours share a set, has no ways that are stated") {
  for (const char* tlb :
       {"set_sizes = { 12, 8, 8, 8 }, policy = \"random\"",
        "entries = 32,\n    ways = 8, policy = \"random\", set_bits = { 22, 23 }"}) {
    CAPTURE(tlb);
    const ExperimentResult result = first_tlb(tlb);
    CHECK(number(get(result, "ways")) == 0);
    CHECK(number(get(result, "sets")) == 0);
  }
}

// Of 921 granules, nine tenths of 2 GB, some miss 896 entries, and not all.
TEST_CASE("the sets of a TLB that holds nearly all of the memory come back from a random removal") {
  const ExperimentResult result =
      ask("gtx560ti",
          {{"memory = { \"1024 MB\"", "memory = { \"2048 MB\""},
           {"page = \"2 MB\",\n    entries = 16,\n    ways = 16",
            "page = \"2 MB\",\n    entries = 896,\n    ways = 7"},
           {"set_sizes = { 17, 8, 8, 8, 8, 8, 8 }", "entries = 2048,\n    ways = 8"}},
          "local levels = (use \"parts/placements\").levels(input.device)\n"
          "local found = levels[1] and levels[1].overflow or {}\n"
          "for _, what in ipairs { \"entries\", \"ways\", \"sets\", \"low\", \"high\" } do\n"
          "  finding { name = what, value = found[what] or 0 }\n"
          "end\n"
          "finding { name = \"full\", value = tostring(levels[1] and levels[1].full) }\n"
          "finding { name = \"miss\", value = found.miss or 0 }");
  CHECK(text(get(result, "full")) == "false");
  CHECK(number(get(result, "entries")) == 896);
  CHECK(number(get(result, "ways")) == 7);
  CHECK(number(get(result, "sets")) == 128);
  CHECK(number(get(result, "low")) <= 896);
  CHECK(number(get(result, "high")) >= 896);
}

TEST_CASE("entries lie within their bounds where misses do not grow by whole sets") {
  // 2048 entries. The step was seen between 2057 and 2065; 2020 entries are certain.
  const ExperimentResult result =
      ask("gtx560ti", {},
          "local overflow = use \"parts/overflow\"\n"
          "local function grows(f, members)\n"
          "  local function share(n)\n"
          "    return math.min(1, f(n - 2048) / n), 0.001\n"
          "  end\n"
          "  return overflow.of(share, 0.0002, 2065, 4000, 2020, function(n, left)\n"
          "    return share(n) * (left / n) ^ (members - 1), 0.0005\n"
          "  end)\n"
          "end\n"
          "local function line(k) return 9 * k end\n"
          "local sets, bent = grows(line, 9), "
          "grows(function(k) return k * k / 30 end, 9)\n"
          "finding { name = \"other\", value = grows(line, 7).why }\n"
          "local asked = 0\n"
          "local function beside(k)\n"
          "  asked = asked + 1\n"
          "  return line(asked // 11 % 2 == 0 and k + 8 or k)\n"
          "end\n"
          "finding { name = \"disturbed\", value = grows(beside, 9).entries }\n"
          "finding { name = \"entries\", value = sets.entries }\n"
          "finding { name = \"ways\", value = sets.ways }\n"
          "finding { name = \"bent\", value = bent.ways or bent.why }\n"
          "finding { name = \"low\", value = bent.low }\n"
          "finding { name = \"high\", value = bent.high }");
  CHECK(number(get(result, "entries")) == 2048);
  CHECK(number(get(result, "ways")) == 8);
  CHECK(number(get(result, "disturbed")) == 2048);
  CHECK(std::holds_alternative<std::string>(get(result, "bent").value));
  CHECK(text(get(result, "other")).find("a random removal of granules gives ") !=
        std::string::npos);
  CHECK(number(get(result, "low")) == 2020);
  CHECK(number(get(result, "high")) > 2065);
}

TEST_CASE("straight code costs more from the capacity of a planted cache of code on") {
  const ExperimentResult result =
      ask("gtx280",
          {{"capacity = \"4 KB\",\n    line = \"256 B\",\n    ways = 4",
            "capacity = \"16 KB\",\n    line = \"256 B\",\n    ways = 4"}},
          "local code = use \"parts/code_plateaus\"\n"
          // Of 64 instructions of 8 B a part: 16 KB are 32 parts.
          "local function each(parts) return code.clocks(input.device, parts) / parts end\n"
          "finding { name = \"fits\", value = each(24) / each(12) }\n"
          "finding { name = \"overflows\", value = each(64) / each(24) }");
  CHECK(number(get(result, "fits")) < 1.05);
  CHECK(number(get(result, "overflows")) > 1.2);
}

TEST_CASE("a GPU with a cache of textures of its own does not read them through L1") {
  const ExperimentResult result =
      ask("gtx560ti", {},
          "finding { name = \"unified\", value = "
          "tostring(((use \"parts/unified\").textures_in_l1(input.device))) }");
  CHECK(text(get(result, "unified")) == "false");
}

}  // namespace gpx::test
