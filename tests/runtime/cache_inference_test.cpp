// The cache inference against memories whose structure is known: those that the papers describe,
// and random ones. No wrong answer may be stated with confidence.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <span>

#include "chase_model.h"
#include "inference_model.h"

using namespace gpx;
using namespace gpx::testing;

namespace {

const AnalysisPaths kPaths{GPX_SOURCE_DIR "/stdlib", ""};

Experiment asking(const std::string& method,
                  const std::vector<std::pair<std::string, Value>>& args) {
  Experiment experiment;
  Analyze statement;
  statement.method = method;
  for (const auto& [name, value] : args) statement.args.push_back({name, false, value});
  experiment.analyses = {statement};
  return experiment;
}

std::vector<Finding> ask(Prober& prober, const Experiment& experiment) {
  auto result = analyze(experiment, Samples{}, plain_device(), kPaths, nullptr, &prober);
  if (!result) FAIL(render(result.error()));
  return result->findings;
}

std::string text_of(const Finding* finding) {
  if (!finding) return "none";
  if (finding->verdict != Verdict::measured)
    return fmt::format("{}: {}", to_string(finding->verdict), finding->note);
  if (const auto* number = std::get_if<double>(&finding->value))
    return fmt::format("{:g}", *number);
  if (const auto* text = std::get_if<std::string>(&finding->value)) return *text;
  if (const auto* list = std::get_if<std::vector<double>>(&finding->value))
    return fmt::format("{}", fmt::join(*list, " "));
  return "?";
}

ModelCache equal_sets(std::uint64_t line, std::uint32_t ways, std::size_t sets,
                      ModelPolicy policy = ModelPolicy::lru) {
  ModelCache cache;
  cache.line = line;
  cache.ways.assign(sets, ways);
  cache.set_of = [sets](std::uint64_t number) { return number % sets; };
  cache.policy = policy;
  return cache;
}

std::vector<double> probabilities(std::uint32_t ways) {
  std::vector<double> share(ways, 0.5 / (ways - 1));
  share[0] = 0.5;
  return share;
}

const char* name_of(const ModelCache& cache) {
  switch (cache.policy) {
    case ModelPolicy::lru: return "LRU";
    case ModelPolicy::fifo: return "FIFO";
    case ModelPolicy::plru: return cache.ways.front() == 2 ? "LRU" : "PLRU";
    case ModelPolicy::random: return "random";
    case ModelPolicy::weighted: return "non-LRU";
  }
  return "";
}

// ---- random structures ------------------------------------------------------------------------

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  template <typename T>
  T one_of(std::initializer_list<T> list) {
    return *(list.begin() + below(list.size()));
  }

  ModelCache cache(std::initializer_list<std::uint64_t> lines,
                   std::initializer_list<std::uint32_t> ways, int most_set_bits) {
    const std::uint64_t line = one_of(lines);
    const std::uint32_t way_count = one_of(ways);
    const auto form = below(4);
    const auto bits = static_cast<int>(below(static_cast<std::uint64_t>(most_set_bits) + 1));
    const std::size_t sets = form == 0 ? 1 + below(1ull << most_set_bits) : 1ull << bits;
    ModelCache made = equal_sets(line, way_count, sets);
    if (form == 2) {
      const auto shift = 1 + below(3);
      made.set_of = [=](std::uint64_t n) { return (n >> shift) & (sets - 1); };
    } else if (form == 3) {
      made.set_of = [=](std::uint64_t n) {
        return (n ^ (n >> bits) ^ (n >> (bits + 2))) & (sets - 1);
      };
    }
    policy(made);
    return made;
  }

  void policy(ModelCache& cache) {
    const std::uint32_t ways = cache.ways.front();
    cache.policy = one_of({ModelPolicy::lru, ModelPolicy::fifo, ModelPolicy::plru,
                           ModelPolicy::random, ModelPolicy::weighted});
    if (cache.policy == ModelPolicy::plru && (ways & (ways - 1)) != 0)
      cache.policy = ModelPolicy::lru;
    if (cache.policy == ModelPolicy::weighted && ways < 3) cache.policy = ModelPolicy::random;
    if (cache.policy == ModelPolicy::weighted) cache.share = probabilities(ways);
  }

  /// Sets of unequal size, slots dealt to them in turn as long as they have room.
  ModelCache unequal(std::uint64_t line) {
    ModelCache made;
    made.line = line;
    const auto sets = 2 + below(7);
    for (std::uint64_t s = 0; s < sets; ++s)
      made.ways.push_back(static_cast<std::uint32_t>(3 + below(8)));
    std::vector<std::uint32_t> room = made.ways;
    std::vector<std::uint64_t> slots;
    for (bool dealt = true; dealt;) {
      dealt = false;
      for (std::uint64_t s = 0; s < sets; ++s) {
        if (room[s] == 0) continue;
        --room[s];
        slots.push_back(s);
        dealt = true;
      }
    }
    made.set_of = [slots](std::uint64_t n) { return slots[n % slots.size()]; };
    return made;
  }

 private:
  std::mt19937_64 random_;
};

std::string describe(const ModelCache& cache) {
  return fmt::format("line {} sector {} sets {} ways {} capacity {} {}", cache.line, cache.sector,
                     cache.ways.size(), fmt::join(std::span(cache.ways).first(1), ","),
                     cache.capacity(), name_of(cache));
}

/// How the findings about levels compare with the truth.
struct Tally {
  int exact = 0, undecided = 0, wrong = 0;
  std::string notes;

  void compare(const std::vector<Finding>& findings, const std::string& name,
               const std::string& truth) {
    const Finding* finding = find(findings, name);
    if (finding && finding->verdict == Verdict::measured) {
      if (text_of(finding) == truth) {
        ++exact;
      } else {
        ++wrong;
        notes += fmt::format("  WRONG {} = {}, not {}\n", name, text_of(finding), truth);
      }
      return;
    }
    ++undecided;
    notes += fmt::format("  {}: {}\n", name, text_of(finding));
  }

  void level(const std::vector<Finding>& findings, const std::string& prefix,
             const ModelCache& cache, bool is_tlb) {
    const bool equal = std::all_of(cache.ways.begin(), cache.ways.end(),
                                   [&](std::uint32_t ways) { return ways == cache.ways.front(); });
    compare(findings, prefix + "capacity", fmt::format("{:g}", double(cache.capacity())));
    compare(findings, prefix + (is_tlb ? "page" : "line"), fmt::format("{:g}", double(cache.line)));
    compare(findings, prefix + "sets", fmt::format("{}", cache.ways.size()));
    if (equal) compare(findings, prefix + "ways", fmt::format("{}", cache.ways.front()));
    auto sorted = cache.ways;
    std::sort(sorted.rbegin(), sorted.rend());
    if (!equal) compare(findings, prefix + "set_sizes", fmt::format("{}", fmt::join(sorted, " ")));
    if (cache.ways.front() > 1) compare(findings, prefix + "policy", name_of(cache));
  }
};

// GPX_RECOVER=300 draws more; the test's own number is for a few seconds.
int drawn_devices(int few) {
  const char* asked = std::getenv("GPX_RECOVER");
  return asked ? std::atoi(asked) : few;
}

void report(const Tally& tally, int devices, std::uint64_t accesses) {
  MESSAGE(fmt::format("{} devices: {} exact, {} undecided, {} wrong; {} accesses\n{}", devices,
                      tally.exact, tally.undecided, tally.wrong, accesses, tally.notes));
}

}  // namespace

TEST_CASE("one level of any geometry, policy and set function is recovered") {
  const int devices = drawn_devices(16);
  Tally all;
  std::uint64_t accesses = 0;
  for (int k = 0; k < devices; ++k) {
    Draw draw(1000 + static_cast<std::uint64_t>(k));
    ModelMemory memory;
    ModelCache cache = draw.cache({32, 64, 128, 256}, {1, 2, 3, 4, 5, 6, 8, 12, 16, 20, 24}, 6);
    if (draw.below(4) == 0 && cache.line > 32) cache.sector = cache.line / 2;
    memory.levels = {cache};
    memory.latency = {30, 300};
    memory.jitter = static_cast<int>(draw.below(30));
    memory.outliers = draw.below(3) == 0 ? 0.001 : 0;
    memory.late = static_cast<double>(draw.one_of({270, 400, 1000}));
    memory.cold = draw.below(2) == 0;
    ModelProber prober(memory, static_cast<std::uint64_t>(k));
    Tally tally;
    tally.level(ask(prober, asking("cache", {{"first", Quantity{1}}})), "l1.", cache, false);
    if (!tally.notes.empty())
      all.notes +=
          fmt::format("{}: {} jitter {} outliers {} late {} cold {}\n{}", k, describe(cache),
                      memory.jitter, memory.outliers, memory.late, memory.cold, tally.notes);
    all.exact += tally.exact;
    all.undecided += tally.undecided;
    all.wrong += tally.wrong;
    accesses += prober.accesses;
  }
  report(all, devices, accesses);
  CHECK(all.wrong == 0);
  CHECK(all.undecided * 20 <= all.exact);
}

TEST_CASE("a second level is recovered behind the first, or it is said why not") {
  const int devices = drawn_devices(6);
  Tally near_all, far_all;
  std::uint64_t accesses = 0;
  for (int k = 0; k < devices; ++k) {
    Draw draw(5000 + static_cast<std::uint64_t>(k));
    ModelMemory memory;
    ModelCache near = draw.cache({32, 64, 128}, {1, 2, 3, 4, 8, 16, 20}, 5);
    ModelCache far = near;
    while (far.capacity() < 3 * near.capacity() || far.line < near.line)
      far = draw.cache({64, 128, 256}, {2, 3, 4, 6, 8, 12, 16}, 8);
    memory.levels = {near, far};
    memory.latency = {30, 200, 450};
    memory.jitter = static_cast<int>(draw.below(30));
    memory.outliers = draw.below(3) == 0 ? 0.001 : 0;
    memory.cold = draw.below(2) == 0;
    ModelProber prober(memory, static_cast<std::uint64_t>(k));
    Tally one, two;
    const auto findings = ask(prober, asking("cache", {{"first", Quantity{1}}}));
    one.level(findings, "l1.", near, false);
    two.level(findings, "l2.", far, false);
    if (!one.notes.empty() || !two.notes.empty())
      far_all.notes += fmt::format("{}: {} | {} jitter {} outliers {} cold {}\n{}{}", k,
                                   describe(near), describe(far), memory.jitter, memory.outliers,
                                   memory.cold, one.notes, two.notes);
    near_all.wrong += one.wrong;
    near_all.undecided += one.undecided;
    near_all.exact += one.exact;
    far_all.wrong += two.wrong;
    far_all.undecided += two.undecided;
    far_all.exact += two.exact;
    accesses += prober.accesses;
  }
  report(near_all, devices, accesses);
  report(far_all, devices, accesses);
  CHECK(near_all.wrong == 0);
  CHECK(far_all.wrong == 0);
  CHECK(near_all.undecided * 20 <= near_all.exact);
}

// What asks most of the method: the policies of wide sets, functions that are alike for one set,
// and farther levels whose sets are those of what clears the nearer ones.
TEST_CASE("levels that are hard to tell are decided, and rightly") {
  ModelCache folded = equal_sets(32, 1, 1024);
  folded.set_of = [](std::uint64_t n) { return (n ^ (n >> 10)) & 1023; };
  ModelCache uneven = equal_sets(64, 8, 5);
  uneven.ways.front() = 9;
  uneven.set_of = [](std::uint64_t n) { return n % 41 == 40 ? 0 : n % 41 % 5; };
  ModelCache neighbours = equal_sets(32, 16, 16);
  neighbours.set_of = [](std::uint64_t n) { return n >> 2 & 15; };
  const struct {
    std::string what;
    std::vector<ModelCache> levels;
    bool constant = false;  // 64 KB
  } rows[] = {
      {"two halves of ten bits, which 1025 divides alike for one set", {folded}},
      {"96 ways, LRU", {equal_sets(64, 96, 4)}},
      {"96 ways, random", {equal_sets(128, 96, 2, ModelPolicy::random)}},
      {"32 ways, tree-PLRU", {equal_sets(32, 32, 8, ModelPolicy::plru)}},
      {"sets that two sets before them share",
       {equal_sets(128, 3, 6, ModelPolicy::fifo), equal_sets(256, 24, 4)}},
      {"one way behind wide sets", {equal_sets(32, 24, 20), equal_sets(256, 1, 256)}},
      {"unequal sets behind others", {equal_sets(32, 5, 7), uneven}},
      {"one way behind one that fills most", {equal_sets(64, 1, 16), equal_sets(64, 1, 43)}, true},
      {"neighbours of one set behind 23 sets", {equal_sets(32, 3, 23), neighbours}, true},
      {"lines of eight nearer ones that begin in other sets",
       {equal_sets(32, 16, 18), equal_sets(256, 2, 128)}},
      {"the nearer level's sets, LRU", {equal_sets(64, 2, 16), equal_sets(64, 8, 16)}},
      {"the nearer level's sets, FIFO",
       {equal_sets(64, 2, 16), equal_sets(64, 8, 16, ModelPolicy::fifo)}},
      {"the nearer level's sets, random",
       {equal_sets(64, 2, 16), equal_sets(64, 4, 16, ModelPolicy::random)}},
  };
  for (const auto& row : rows) {
    ModelMemory memory;
    memory.levels = row.levels;
    memory.latency = {50, 250, 600};
    memory.latency.resize(row.levels.size() + 1);
    ModelProber prober(memory, 1);
    const std::string space = row.constant ? "constant" : "texture";
    const auto findings = ask(prober, asking("cache", {{"space", space}}));
    Tally tally;
    for (std::size_t k = 0; k < row.levels.size(); ++k)
      tally.level(findings, fmt::format("{}.l{}.", row.constant ? "const" : "tex", k + 1),
                  row.levels[k], false);
    INFO(row.what, "\n", tally.notes);
    CHECK(tally.notes.empty());
  }
}

TEST_CASE("what a cache larger than all lists answers is not taken for memory") {
  ModelMemory memory;
  memory.levels = {equal_sets(128, 4, 32), equal_sets(128, 16, 1 << 14)};
  memory.latency = {40, 240, 600};
  ModelProber prober(memory, 1);
  for (const auto& [space, prefix] : {std::pair{"texture", "tex."}, {"constant", "const."}}) {
    const auto findings = ask(prober, asking("cache", {{"space", std::string(space)}}));
    CHECK(text_of(find(findings, std::string(prefix) + "l1.capacity")) == "16384");
    const Finding* miss = find(findings, std::string(prefix) + "miss.latency");
    REQUIRE(miss);
    // Of lines that are visited for the first time, which no cache holds.
    CHECK(miss->verdict == Verdict::measured);
    CHECK(miss->low <= 600);
    CHECK(miss->high >= 600);
    CHECK(miss->high < 700);
    CHECK(miss->note.find("a larger cache holds lists") != std::string::npos);
  }
}

TEST_CASE("a chase that fails leaves its level open, and what was found before stands") {
  ModelMemory memory;
  memory.levels = {equal_sets(64, 4, 16), equal_sets(128, 8, 64)};
  memory.latency = {30, 200, 450};
  ModelProber prober(memory, 1);
  prober.fails_from = 5 << 20;  // where what clears a nearer level lies
  const auto findings = ask(prober, asking("cache", {{"first", Quantity{1}}}));
  CHECK(text_of(find(findings, "l1.capacity")) == "4096");
  CHECK(text_of(find(findings, "l1.policy")) == "LRU");
  const Finding* open = find(findings, "l2.capacity");
  REQUIRE(open);
  CHECK(open->verdict == Verdict::inconclusive);
  CHECK(open->note.find("the model refuses") != std::string::npos);
}

TEST_CASE("pieces of 1 KB may be lines or pages: nothing is said of them") {
  ModelMemory memory;
  memory.levels = {equal_sets(1024, 4, 8)};
  memory.latency = {200, 450};
  ModelProber prober(memory, 1);
  const auto findings = ask(prober, asking("cache", {{"first", Quantity{1}}}));
  for (const char* name : {"l1.capacity", "l1.line", "l1.sets"}) {
    REQUIRE(find(findings, name));
    CHECK(find(findings, name)->verdict == Verdict::inconclusive);
  }
  CHECK(find(findings, "miss.latency") == nullptr);
}

TEST_CASE("sets that the highest address bits choose stay open: lists see a part of them") {
  ModelMemory memory;
  memory.levels = {equal_sets(128, 4, 32)};
  memory.levels[0].set_of = [](std::uint64_t line) { return line >> 13 & 31; };  // bits 20 to 24
  memory.latency = {30, 450};
  const auto see_open = [&](const Experiment& asked, const std::string& prefix,
                            const std::string& why) {
    ModelProber prober(memory, 1);
    const auto findings = ask(prober, asked);
    for (const char* name : {"capacity", "sets"}) {
      const Finding* open = find(findings, prefix + name);
      REQUIRE(open);
      INFO(text_of(open), open->note);
      CHECK(open->verdict == Verdict::inconclusive);
      CHECK(open->note.find(why) != std::string::npos);
    }
  };
  see_open(asking("cache", {{"first", Quantity{1}}}), "l1.",
           "too few lines of each set lie within reach");

  memory.levels = {equal_sets(128, 4, 5)};
  memory.levels[0].set_of = [](std::uint64_t line) { return (line >> 13) % 5; };
  see_open(asking("cache", {{"first", Quantity{1}}}), "l1.",
           "some sets hold more lines than others");

  memory.levels = {equal_sets(1 << 20, 1, 64)};
  memory.levels[0].set_of = [](std::uint64_t page) { return page >> 3 & 63; };  // bits 23 to 28
  memory.bytes = 512 << 20;
  see_open(asking("tlb", {}), "tlb.l1.", "address bit 27, the highest that was tested");
}

TEST_CASE("translation buffers are recovered, sets of unequal size too") {
  const int devices = drawn_devices(6);
  Tally near_all, far_all;
  std::uint64_t accesses = 0;
  for (int k = 0; k < devices; ++k) {
    Draw draw(9000 + static_cast<std::uint64_t>(k));
    ModelMemory memory;
    const std::uint64_t page = 1ull << (14 + draw.below(8));
    const bool unequal = draw.below(2) == 0;
    ModelCache near =
        equal_sets(page, unequal ? draw.one_of({8u, 16u}) : draw.one_of({8u, 16u, 32u}), 1);
    if (draw.below(3) == 0) draw.policy(near);
    ModelCache far = near;
    while (far.capacity() < 5 * near.capacity() / 2)
      far = unequal ? draw.unequal(page)
                    : draw.cache({page, page >> 2, page >> 1}, {2, 4, 8, 8, 16}, 7);
    far.policy = ModelPolicy::lru;
    memory.levels = {near, far};
    memory.latency = {400, 450, 700};
    memory.jitter = static_cast<int>(draw.below(20));
    memory.outliers = draw.below(3) == 0 ? 0.001 : 0;
    ModelProber prober(memory, static_cast<std::uint64_t>(k));
    Tally one, two;
    const auto findings = ask(prober, asking("tlb", {}));
    one.level(findings, "tlb.l1.", near, true);
    two.level(findings, "tlb.l2.", far, true);
    if (!one.notes.empty() || !two.notes.empty())
      far_all.notes +=
          fmt::format("{}: {} | {} jitter {} outliers {}\n{}{}", k, describe(near), describe(far),
                      memory.jitter, memory.outliers, one.notes, two.notes);
    near_all.wrong += one.wrong;
    near_all.undecided += one.undecided;
    near_all.exact += one.exact;
    far_all.wrong += two.wrong;
    far_all.undecided += two.undecided;
    far_all.exact += two.exact;
    accesses += prober.accesses;
  }
  report(near_all, devices, accesses);
  report(far_all, devices, accesses);
  CHECK(near_all.wrong == 0);
  CHECK(far_all.wrong == 0);
  CHECK(near_all.undecided * 20 <= near_all.exact);
}
