// Characterizing a device: groups of a standard library of the test's own, and mutations of small
// devices that must change the findings that depend on them and no others.
#include "runtime/characterize.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <set>
#include <thread>

#include "tests/experiments/support.h"
#include "tests/folder.h"

namespace gpx::test {
namespace {

namespace fs = std::filesystem;

/// What is asked for, and what of.
struct Wanted : CharacterizeOptions {
  std::string device;
  std::vector<std::string> only = {};
};

RunResult characterized(const Paths& paths, const Wanted& wanted) {
  Session session(paths);
  auto result =
      characterize_task(session, wanted.device, wanted.only).and_then([&](const auto& task) {
        return characterize(session, task, wanted);
      });
  if (!result) FAIL(render(result.error()));
  return std::move(*result);
}

// ---- groups -------------------------------------------------------------------------------------

const char* kGroups = R"(# Lines before a group keep their numbers.
param full = 32

experiment good "Says how many threads it was given" {
  threads full
  < load unique(128B) >
  analyze one(threads = full)
}

experiment bad "Fails" {
  < load unique(128B) >
  analyze two()
}

experiment other "Comes after the one that fails" {
  < load unique(128B) >
  analyze one(threads = 7, name = "other")
}
)";

struct Library {
  TemporaryFolder folder;
  Paths paths{folder.path(), folder.path()};
  Wanted options;

  Library() {
    folder.write("characterize/family.gpx", kGroups);
    folder.write("analysis/one.lua",
                 "return function(input)\n"
                 "  finding { name = input.args.name or 'given', value = input.args.threads, unit "
                 "= 'threads' }\nend\n");
    folder.write("analysis/two.lua", "return function() error('no idea', 0) end\n");
    folder.write("papers/fig4.gpx",
                 "experiment fig4 \"Fig. 4\" {\n  cite x WO1\n  device fig4\n  < >\n"
                 "  paper given = 500 WO1\n}\n");
    fs::create_directories(folder.path() + "/devices");
    fs::copy_file(GPX_SOURCE_DIR "/stdlib/devices/fig4.lua", folder.path() + "/devices/fig4.lua");
    options.device = "fig4";
  }
};

TEST_CASE("a group that fails loses no other, and says where") {
  Library library;
  for (const unsigned jobs : {1u, 2u}) {
    library.options.jobs = jobs;
    std::set<std::string> ended;
    library.options.on_group = [&](const ExperimentResult& group, std::size_t, std::size_t all) {
      ended.insert(group.experiment.name);
      CHECK(all == 3);
    };
    const RunResult result = characterized(library.paths, library.options);
    REQUIRE(result.experiments.size() == 3);
    CHECK(is_characterization(result));
    CHECK(ended == std::set<std::string>{"bad", "good", "other"});
    CHECK(result.experiments[0].whole());
    REQUIRE(result.experiments[1].failure.has_value());
    CHECK(result.experiments[1].failure->diagnostics.front().message == "no idea");
    CHECK(result.experiments[2].whole());
    CHECK(result.experiments[2].group->family == "family");
  }
}

TEST_CASE("a group for newer devices is left out, and an error where nothing else is asked for") {
  Library library;
  library.folder.write("characterize/newer.gpx",
                       "experiment newer \"For 8.0\" {\n  param capability = 80\n"
                       "  < load unique(128B) >\n  analyze one(threads = 1)\n}\n");
  library.options.only = {"good", "newer"};  // fig4 is of 1.0
  const RunResult result = characterized(library.paths, library.options);
  REQUIRE(result.experiments.size() == 1);
  CHECK(result.experiments[0].experiment.name == "good");
  Session session(library.paths);
  const auto none = characterize_task(session, "fig4", {"newer"});
  REQUIRE_FALSE(none.has_value());
  CHECK(render(none.error()).find("lower compute capability") != std::string::npos);
}

TEST_CASE("a family's parameter full is the device's largest block; papers are read at the end") {
  Library library;
  library.options.only = {"good", "other"};
  const RunResult result = characterized(library.paths, library.options);
  REQUIRE(result.experiments.size() == 2);
  const Finding& given = get(result.experiments[0], "given");
  CHECK(number(given) == 512);
  REQUIRE(given.paper.has_value());
  CHECK(given.paper->cite == "WO1");
  CHECK(number(get(result.experiments[1], "other")) == 7);
  // What ran can be read again, and places in it are those of the file.
  REQUIRE(result.sources.size() == 1);
  const std::string& text = result.sources[0].text();
  CHECK(text.find("param full = 512\n") != std::string::npos);
  CHECK(text.find("experiment bad") == std::string::npos);
  CHECK(std::ranges::count(text, '\n') == std::ranges::count(std::string(kGroups), '\n'));
}

TEST_CASE("papers about another device stay out") {
  Library library;
  library.options.only = {"good"};
  std::string text(read_source(library.folder.path() + "/devices/fig4.lua").text());
  text.replace(text.find("\"fig4\""), 6, "\"mine\"");
  library.options.device = library.folder.write("mine.lua", text);
  const RunResult result = characterized(library.paths, library.options);
  CHECK_FALSE(get(result.experiments[0], "given").paper.has_value());
}

TEST_CASE("a stop keeps what was done and names the rest interrupted") {
  Library library;
  std::atomic<bool> stop = false;
  library.options.stop = &stop;
  library.options.jobs = 1;
  library.options.on_group = [&](const ExperimentResult&, std::size_t ended, std::size_t) {
    if (ended != 1) return;
    stop = true;
    // The flag is looked at every 20 ms.
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  };
  const RunResult early = characterized(library.paths, library.options);
  CHECK(early.interrupted);
  CHECK(early.experiments[0].whole());
  for (const std::size_t i : {1u, 2u}) {
    CHECK(early.experiments[i].interrupted);
    CHECK(early.experiments[i].group->reason == "interrupted");
  }
  // It goes on: what was whole is taken as it is.
  stop = false;
  library.options.before = &early;
  std::vector<std::string> seen;
  library.options.on_group = [&](const ExperimentResult& group, std::size_t, std::size_t) {
    seen.push_back(group.experiment.name);
  };
  const RunResult all = characterized(library.paths, library.options);
  CHECK(seen.size() == 3);
  CHECK_FALSE(all.interrupted);
  CHECK(all.experiments[0].values_digest == early.experiments[0].values_digest);
  CHECK(all.experiments[0].group->seconds == early.experiments[0].group->seconds);
  CHECK(all.experiments[1].failure.has_value());
  CHECK(all.experiments[2].whole());
}

TEST_CASE("every group of the standard library and every paper's file is in order") {
  const auto groups = characterize_groups(source_paths());
  if (!groups) FAIL(render(groups.error()));
  std::set<std::string> names;
  for (const CharacterizeGroup& group : *groups) {
    CHECK_MESSAGE(names.insert(group.name).second, group.name);
    CHECK(group.title != "");
    auto checked =
        parse(group.source).and_then([&](const Ast& ast) { return check(ast, group.source); });
    if (!checked) FAIL(render(checked.error()));
    REQUIRE(checked->size() == 1);
    const Experiment& experiment = checked->front();
    CHECK(experiment.device.empty());
    CHECK(experiment.papers.empty());
    CHECK(experiment.expects.empty());
    CHECK_FALSE(experiment.analyses.empty());
  }
  for (const auto& entry : fs::directory_iterator(source_paths().stdlib + "/papers")) {
    const Source source = read_source(entry.path().string());
    auto checked = parse(source).and_then([&](const Ast& ast) { return check(ast, source); });
    if (!checked) FAIL(render(checked.error()));
    CHECK(checked->at(0).device == entry.path().stem().string());
    CHECK(checked->at(0).analyses.empty());
  }
}

TEST_CASE("what two groups find is said once, and the other one confirms it") {
  Wanted wanted;
  wanted.device = "gtx280";
  wanted.only = {"global", "global_latency", "units", "warps"};
  const RunResult result = characterized(source_paths(), wanted);
  std::map<std::string, std::vector<std::string>> groups;
  for (const ExperimentResult& group : result.experiments)
    for (const Finding& finding : group.findings)
      groups[finding.name].push_back(group.experiment.name);
  for (const auto& [name, all] : groups) CHECK_MESSAGE(all.size() == 1, name);
  REQUIRE(groups["global.latency"] == std::vector<std::string>{"global_latency"});
  const Finding& latency = get(result.experiments[1], "global.latency");
  CHECK(latency.note.find("confirmed by 439 clocks of group global") != std::string::npos);
  CHECK(number(latency) == doctest::Approx(441).epsilon(0.01));
  CHECK(groups["pipe.sp.throughput"] == std::vector<std::string>{"units"});
  CHECK(groups["pipe.sp.chain.throughput"] == std::vector<std::string>{"warps"});
}

// ---- mutations ----------------------------------------------------------------------------------

/// A small GPU around what is looked at, without noise.
const char* kSmall = R"(return {
  name = "small", clock = "1 GHz", compute_capability = "2.0", memory = "256 MB",
  sm = { count = 4, per_tpc = 2, warp_slots = 16, block_slots = 4, max_threads_per_block = 512,
         schedulers = 1, shared = "16 KB" },
  op = {
    alu = { latency = "4 clocks", interval = "1 clock" },
    fp64 = { latency = "8 clocks", interval = "2 clocks" },
    sfu = { latency = "8 clocks", interval = "2 clocks" },
    warp = { latency = "4 clocks", interval = "1 clock" },
    branch = { latency = "4 clocks", interval = "1 clock" },
  },
  coalescer = { line = "32 B" },
  lsu = { pipelines = 1, clocks_per_load = 1, clocks_per_lane = 0, writeback_per_lane = 0 },
  dram = { latency = "300 clocks", departure = "1 clock" },
  shared = { latency = "10 clocks" },
  constant = { latency = "250 clocks" },
  barrier = { latency = "4 clocks" },
  clock_register = { cost = "4 clocks" },
  PARTS
})";

const std::string kData =
    "l1 = { capacity = \"384 B\", line = \"32 B\", ways = 3, policy = \"lru\", "
    "latency = \"20 clocks\" },";
const std::string kConstants =
    "constant_l1 = { capacity = \"2 KB\", line = \"64 B\", ways = 4, scope = \"sm\", "
    "latency = \"30 clocks\" },\n"
    "  constant_l2 = { capacity = \"8 KB\", line = \"256 B\", ways = 4, policy = \"lru\", "
    "scope = \"tpc\", latency = \"90 clocks\" },\n"
    "  instruction = { latency = \"250 clocks\", fetch = \"64 B\" },\n"
    "  instruction_l1 = { capacity = \"4 KB\", line = \"256 B\", ways = 4, scope = \"sm\", "
    "latency = \"0 clocks\" },";
const std::string kTlbL2 =
    "tlb_l2 = { entries = 32, ways = 4, page = \"64 KB\", policy = \"lru\", scope = \"gpu\", "
    "miss = \"250 clocks\" },";
const std::string kTranslation =
    "tlb_l1 = { entries = 8, ways = 8, page = \"64 KB\", scope = \"gpu\", miss = \"60 clocks\" "
    "},\n  " +
    kTlbL2;

/// Each finding's verdict and value as one text; latencies in whole clocks, for how the loop of a
/// chase begins and ends shows in hundredths.
std::map<std::string, std::string> told(const std::string& parts,
                                        const std::vector<std::string>& groups) {
  const TemporaryFolder folder;
  std::string text = kSmall;
  text.replace(text.find("PARTS"), 5, parts);
  Wanted options;
  options.device = folder.write("small.lua", text);
  options.only = groups;
  std::map<std::string, std::string> all;
  for (const ExperimentResult& group : characterized(source_paths(), options).experiments) {
    if (group.failure) FAIL(render(*group.failure));
    for (const Finding& finding : group.findings) {
      std::string value(to_string(finding.verdict));
      if (const auto* number = std::get_if<double>(&finding.value))
        value += finding.unit == "clocks" ? fmt::format(" {:.0f}", *number)
                                          : fmt::format(" {:g}", *number);
      if (const auto* word = std::get_if<std::string>(&finding.value)) value += " " + *word;
      if (const auto* list = std::get_if<std::vector<double>>(&finding.value))
        value += fmt::format(" {:g}", fmt::join(*list, " "));
      all[finding.name] = value;
    }
  }
  return all;
}

struct Mutation {
  std::string from, to;
  std::set<std::string> changed;  ///< Findings that differ, or are there on one side only.
};

void check_mutations(const std::string& parts, const std::vector<std::string>& groups,
                     const std::vector<Mutation>& mutations) {
  const auto before = told(parts, groups);
  for (const Mutation& mutation : mutations) {
    CAPTURE(mutation.from);
    CAPTURE(mutation.to);
    std::string mutated = parts;
    REQUIRE(mutated.find(mutation.from) != std::string::npos);
    mutated.replace(mutated.find(mutation.from), mutation.from.size(), mutation.to);
    const auto after = told(mutated, groups);
    std::set<std::string> changed;
    for (const auto& [name, value] : before)
      if (!after.contains(name) || after.at(name) != value) changed.insert(name);
    for (const auto& [name, value] : after)
      if (!before.contains(name)) changed.insert(name);
    CHECK_MESSAGE(changed == mutation.changed, fmt::format("{}", fmt::join(changed, " ")));
  }
}

TEST_CASE("a change of the data cache changes what depends on it, and nothing else") {
  check_mutations(
      kData, {"global", "constant", "tlb"},
      {{"\"lru\"", "\"fifo\"", {"l1.policy"}},
       {"\"lru\"", "\"aged\"", {"l1.policy"}},
       {"\"32 B\", ways", "\"64 B\", ways", {"l1.line", "l1.sector", "l1.sets", "l1.set_bits"}},
       {"384 B", "768 B", {"l1.capacity", "l1.sets", "l1.set_bits"}},
       {"20 clocks", "25 clocks", {"l1.latency"}},
       {"\"384 B\", line = \"32 B\", ways = 3, policy = \"lru\"",
        "\"512 B\", line = \"32 B\", ways = 4, policy = \"plru\"",
        {"l1.capacity", "l1.ways", "l1.policy"}}});
}

TEST_CASE("a change of the constant caches changes what depends on it, and nothing else") {
  check_mutations(kConstants, {"global", "constant", "constant_sharing"},
                  {{"\"lru\"", "\"fifo\"", {"const.l2.policy"}},
                   {"\"tpc\"", "\"gpu\"", {"const.l2.scope"}},
                   {"90 clocks", "110 clocks", {"const.l2.latency"}},
                   {"scope = \"sm\", latency = \"0 clocks\" },",
                    "scope = \"sm\", latency = \"0 clocks\" },\n"
                    "  instruction_l2 = { same_as = \"constant_l2\", latency = \"90 clocks\" },",
                    {"const.l2.shared_with"}}});
}

TEST_CASE("a change of the translation changes what depends on it, and nothing else") {
  check_mutations(
      kTranslation, {"constant", "tlb"},
      {{"\"lru\"", "\"fifo\"", {"tlb.l2.policy"}},
       {"250 clocks", "290 clocks", {"tlb.miss.latency"}},
       {"entries = 32",
        "entries = 64",
        {"tlb.l2.capacity", "tlb.l2.entries", "tlb.l2.sets", "tlb.l2.set_bits"}},
       {kTlbL2,
        "",
        {"tlb.l2.capacity", "tlb.l2.page", "tlb.l2.entries", "tlb.l2.sets", "tlb.l2.ways",
         "tlb.l2.set_bits", "tlb.l2.policy", "tlb.l2.latency", "tlb.miss.latency"}}});
}

}  // namespace
}  // namespace gpx::test
