// Set functions, sizes and policies of a cache, each against a model of a few lines that is written
// here for the purpose.
#include "runtime/device/vgpu/memory/cache.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <string>
#include <utility>

using namespace gpx::vgpu::timing;

namespace {

Description::Cache cache_of(std::uint64_t sets, std::uint32_t ways,
                            const std::string& policy = "lru") {
  Description::Cache cache;
  cache.capacity = sets * ways * 32;
  cache.line = 32;
  cache.ways = ways;
  cache.policy = policy;
  return cache;
}

Description::Cache cache_of(std::vector<std::uint32_t> set_sizes) {
  Description::Cache cache;
  cache.line = 32;
  for (const std::uint32_t ways : set_sizes) cache.capacity += ways * cache.line;
  cache.ways = *std::max_element(set_sizes.begin(), set_sizes.end());
  cache.set_sizes = std::move(set_sizes);
  return cache;
}

/// True: a hit. A miss brings the line in.
bool access(Cache& cache, std::uint64_t line) {
  if (cache.find(line)) return true;
  cache.insert(line);
  return false;
}

/// Lines that look random, of a small range: hits and misses.
std::uint64_t some_line(unsigned i, unsigned range) {
  return (i * 2654435761u >> 7) % range;
}

/// Misses of each pass over [0, lines), the first pass left out.
unsigned misses_of_a_pass(Cache& cache, std::uint64_t lines, std::uint64_t first = 0) {
  unsigned misses = 0;
  for (int pass = 0; pass < 3; ++pass) {
    misses = 0;
    for (std::uint64_t line = 0; line < lines; ++line) misses += !access(cache, first + line);
  }
  return misses;
}

// --- models ---

/// One set as a list, the next victim last.
class ListModel {
 public:
  ListModel(unsigned ways, bool promote) : ways_(ways), promote_(promote) {}
  bool access(std::uint64_t line) {
    const auto found = std::find(list_.begin(), list_.end(), line);
    const bool hit = found != list_.end();
    if (hit && promote_) list_.erase(found);
    if (!hit && list_.size() == ways_) list_.pop_back();
    if (!hit || promote_) list_.insert(list_.begin(), line);
    return hit;
  }

 private:
  unsigned ways_;
  bool promote_;
  std::vector<std::uint64_t> list_;
};

/// One set under tree-PLRU, as its definition says: each node points to the half that was not used.
class TreeModel {
 public:
  explicit TreeModel(unsigned ways) : lines_(ways, UINT64_MAX) {}
  bool access(std::uint64_t line) {
    auto found = std::find(lines_.begin(), lines_.end(), line);
    const bool hit = found != lines_.end();
    if (!hit) found = std::find(lines_.begin(), lines_.end(), UINT64_MAX);
    if (found == lines_.end()) found = lines_.begin() + follow(0, lines_.size());
    *found = line;
    use(0, lines_.size(), static_cast<std::size_t>(found - lines_.begin()));
    return hit;
  }

 private:
  using Range = std::pair<std::size_t, std::size_t>;
  long follow(std::size_t begin, std::size_t end) {
    if (end - begin == 1) return static_cast<long>(begin);
    const std::size_t middle = (begin + end) / 2;
    return right_[{begin, end}] ? follow(middle, end) : follow(begin, middle);
  }
  void use(std::size_t begin, std::size_t end, std::size_t way) {
    if (end - begin == 1) return;
    const std::size_t middle = (begin + end) / 2;
    right_[{begin, end}] = way < middle;
    way < middle ? use(begin, middle, way) : use(middle, end, way);
  }
  std::vector<std::uint64_t> lines_;
  std::map<Range, bool> right_;
};

/// One set under SRRIP, as Jaleel 2010 lists its steps.
class RrpvModel {
 public:
  RrpvModel(unsigned ways, unsigned most, unsigned insertion, bool decrement)
      : most_(most),
        insertion_(insertion),
        decrement_(decrement),
        ways_(ways, {UINT64_MAX, most}) {}
  bool access(std::uint64_t line) {
    for (Way& way : ways_)
      if (way.line == line) {
        way.rrpv = decrement_ && way.rrpv > 0 ? way.rrpv - 1 : 0;
        return true;
      }
    *victim() = {line, insertion_};
    return false;
  }

 private:
  struct Way {
    std::uint64_t line;
    unsigned rrpv;
  };
  Way* victim() {
    for (Way& way : ways_)
      if (way.line == UINT64_MAX) return &way;
    for (;;) {
      for (Way& way : ways_)
        if (way.rrpv == most_) return &way;
      for (Way& way : ways_) ++way.rrpv;
    }
  }
  unsigned most_, insertion_;
  bool decrement_;
  std::vector<Way> ways_;
};

/// One set under QLRU_Hxy_Mm_Rr_Uu, by the definitions of Abel 2020 as they stand there.
class QuadAgeModel {
 public:
  struct Name {
    int x, y, m, r, u;
    bool on_miss;
  };
  QuadAgeModel(unsigned ways, Name name) : name_(name), lines_(ways, UINT64_MAX), age_(ways, 3) {}
  bool access(std::uint64_t line) {
    int at = index_of(lines_, line);
    const bool hit = at >= 0;
    if (hit) {
      age_[at] = age_[at] == 3 ? name_.x : age_[at] == 2 ? name_.y : 0;
    } else {
      if (name_.on_miss) update(-1);
      at = place();
      lines_[at] = line;
      age_[at] = name_.m;
    }
    if (!name_.on_miss) update(at);
    return hit;
  }

 private:
  template <class T>
  static int index_of(const std::vector<T>& all, T value) {
    const auto found = std::find(all.begin(), all.end(), value);
    return found == all.end() ? -1 : static_cast<int>(found - all.begin());
  }
  int place() const {
    std::vector<std::uint64_t> lines = lines_;
    if (name_.r == 2) {
      std::reverse(lines.begin(), lines.end());
      const int last = index_of(lines, UINT64_MAX);
      if (last >= 0) return static_cast<int>(lines.size()) - 1 - last;
    }
    const int first = index_of(lines_, UINT64_MAX);
    return first >= 0 ? first : std::max(0, index_of(age_, 3));
  }
  void update(int used) {
    std::vector<int> others = age_;
    if (used >= 0) others.erase(others.begin() + used);
    const bool spare = name_.u == 1 || name_.u == 3;
    const auto& looked_at = name_.u == 1 ? others : age_;
    const int oldest =
        looked_at.empty() ? 3 : *std::max_element(looked_at.begin(), looked_at.end());
    if (oldest == 3) return;
    for (int i = 0; i < static_cast<int>(age_.size()); ++i)
      if (!spare || i != used) age_[i] += name_.u < 2 ? 3 - oldest : 1;
  }
  Name name_;
  std::vector<std::uint64_t> lines_;
  std::vector<int> age_;
};

}  // namespace

TEST_CASE("LRU and FIFO replace as a list does, with and without moving what is used") {
  for (const char* policy : {"lru", "fifo"}) {
    for (const unsigned ways : {1u, 2u, 3u, 5u, 8u}) {
      CAPTURE(ways);
      Cache cache(cache_of(4, ways, policy));
      std::vector<ListModel> sets(4, ListModel(ways, std::string(policy) == "lru"));
      for (unsigned i = 0; i < 4000; ++i) {
        const std::uint64_t line = some_line(i, 6 * ways);
        REQUIRE(access(cache, line) == sets[line % 4].access(line));
      }
    }
  }
}

TEST_CASE("tree-PLRU follows the half that was not used") {
  for (const unsigned ways : {1u, 2u, 4u, 8u, 64u}) {
    CAPTURE(ways);
    Cache cache(cache_of(2, ways, "plru"));
    std::vector<TreeModel> sets(2, TreeModel(ways));
    for (unsigned i = 0; i < 4000; ++i) {
      const std::uint64_t line = some_line(i, 3 * ways + 1);
      REQUIRE(access(cache, line) == sets[line % 2].access(line));
    }
  }
}

TEST_CASE("tree-PLRU is not LRU") {
  Cache plru(cache_of(1, 4, "plru")), lru(cache_of(1, 4));
  bool differ = false;
  for (unsigned i = 0; i < 1000; ++i)
    differ |= access(plru, some_line(i, 6)) != access(lru, some_line(i, 6));
  CHECK(differ);
}

TEST_CASE("random replacement takes every way, the weighted one as often as it says") {
  Description::Cache weighted = cache_of(1, 4, "weighted");
  weighted.policy_settings["way_probability"] = {1.0 / 6, 1.0 / 2, 1.0 / 6, 1.0 / 6};
  for (const auto& description : {cache_of(1, 4, "random"), weighted}) {
    Cache cache(description);
    cache.seed(7);
    std::vector<std::uint64_t> way(4);
    for (std::uint64_t line = 0; line < 4; ++line) way[line] = line, cache.insert(line);
    std::vector<double> taken(4, 0);
    constexpr int kRounds = 60000;
    for (std::uint64_t line = 4; line < 4 + kRounds; ++line) {
      cache.insert(line);
      unsigned gone = 4;
      for (unsigned i = 0; i < 4; ++i)
        if (!cache.find(way[i])) {
          REQUIRE(gone == 4);
          gone = i;
        }
      REQUIRE(gone < 4);
      way[gone] = line;
      taken[gone] += 1.0 / kRounds;
    }
    const auto expected = description.shape().list("way_probability");
    for (unsigned i = 0; i < 4; ++i)
      CHECK(std::abs(taken[i] - (expected.empty() ? 0.25 : expected[i])) < 0.01);
  }
}

TEST_CASE("SRRIP replaces the first line of the largest RRPV, which all reach together") {
  for (const unsigned bits : {1u, 2u, 3u})
    for (const bool decrement : {false, true})
      for (const unsigned ways : {1u, 3u, 8u}) {
        CAPTURE(bits);
        CAPTURE(decrement);
        CAPTURE(ways);
        const unsigned insertion = (1u << bits) - 2 + (ways == 3);
        auto description = cache_of(2, ways, "srrip");
        description.policy_settings = {{"rrpv_bits", {1.0 * bits}},
                                       {"rrpv_insertion", {1.0 * insertion}},
                                       {"rrpv_hit", {decrement ? 1.0 : 0.0}}};
        Cache cache(description);
        std::vector<RrpvModel> sets(2, RrpvModel(ways, (1u << bits) - 1, insertion, decrement));
        for (unsigned i = 0; i < 3000; ++i) {
          const std::uint64_t line = some_line(i, 4 * ways + 3);
          REQUIRE(access(cache, line) == sets[line % 2].access(line));
        }
      }
}

TEST_CASE("SRRIP has 2 bits, the largest RRPV less 1 for what enters and 0 for what is used") {
  Cache cache(cache_of(1, 4, "srrip"));
  RrpvModel model(4, 3, 2, false);
  for (unsigned i = 0; i < 1000; ++i)
    REQUIRE(access(cache, some_line(i, 9)) == model.access(some_line(i, 9)));
}

/// Lines with the number of hits at which they were new, and of visits when they were used.
class AgedModel {
 public:
  AgedModel(unsigned ways, int fill) : ways_(ways), fill_(fill) {}
  bool access(std::uint64_t line) {
    ++visits_;
    if (const auto known = lines_.find(line); known != lines_.end()) {
      known->second = {++hits_, visits_};
      return true;
    }
    if (lines_.size() == ways_)
      lines_.erase(std::min_element(lines_.begin(), lines_.end(), [](const auto& a, const auto& b) {
        return a.second < b.second;
      }));
    lines_[line] = {hits_ - fill_, visits_};
    return false;
  }

 private:
  unsigned ways_;
  int fill_, hits_ = 0, visits_ = 0;
  std::map<std::uint64_t, std::pair<int, int>> lines_;
};

TEST_CASE("aged lines: the oldest leaves, by hits of the set") {
  for (const int fill : {0, 2, 5})
    for (const unsigned ways : {1u, 4u, 7u}) {
      CAPTURE(fill);
      CAPTURE(ways);
      auto description = cache_of(2, ways, "aged");
      description.policy_settings = {{"fill_age", {1.0 * fill}}};
      Cache cache(description);
      std::vector<AgedModel> sets(2, AgedModel(ways, fill));
      for (unsigned i = 0; i < 3000; ++i) {
        const std::uint64_t line = some_line(i, 4 * ways + 3);
        REQUIRE(access(cache, line) == sets[line % 2].access(line));
      }
    }
}

TEST_CASE("aged lines hit and miss as an H200's L1 did, at every visit") {
  std::ifstream file(GPX_SOURCE_DIR "/tests/data/h200_l1_visits.txt");
  int runs = 0;
  for (std::string visits; std::getline(file, visits);) {
    if (visits.empty() || visits.front() == '#') continue;
    Cache cache(cache_of(1, 4, "aged"));
    for (const char visit : visits)
      REQUIRE(access(cache, static_cast<std::uint64_t>(visit | 0x20)) == (visit >= 'a'));
    CHECK(visits.size() == 1500);
    ++runs;
  }
  CHECK(runs == 2);
}

TEST_CASE("QLRU does what its name says, every variant") {
  const std::vector<std::pair<int, int>> hits = {{1, 1}, {0, 0}, {1, 0}, {2, 0}, {2, 1}};
  const int insertions[] = {1, 0, 2, 3};
  for (std::size_t h = 0; h < hits.size(); ++h)
    for (std::size_t m = 0; m < 4; ++m)
      for (int r = 0; r < 3; ++r)
        for (int u = 0; u < (r == 1 ? 4 : 2); ++u)
          for (const bool on_miss : {false, true})
            for (const unsigned ways : {1u, 4u, 5u}) {
              CAPTURE(h);
              CAPTURE(m);
              CAPTURE(r);
              CAPTURE(u);
              CAPTURE(on_miss);
              CAPTURE(ways);
              auto description = cache_of(2, ways, "qlru");
              description.policy_settings = {{"qlru_hit", {1.0 * static_cast<double>(h)}},
                                             {"qlru_insertion", {static_cast<double>(m)}},
                                             {"qlru_replacement", {1.0 * r}},
                                             {"qlru_update", {1.0 * u}},
                                             {"qlru_update_on", {on_miss ? 1.0 : 0.0}}};
              Cache cache(description);
              const QuadAgeModel::Name name = {hits[h].first, hits[h].second, insertions[m], r, u,
                                               on_miss};
              std::vector<QuadAgeModel> sets(2, QuadAgeModel(ways, name));
              for (unsigned i = 0; i < 400; ++i) {
                const std::uint64_t line = some_line(i, 3 * ways + 2);
                REQUIRE(access(cache, line) == sets[line % 2].access(line));
              }
            }
}

TEST_CASE("QLRU_H00_M2_R0_U0_UMO is SRRIP-HP of 2 bits") {
  auto description = cache_of(4, 8, "qlru");
  description.policy_settings = {
      {"qlru_hit", {1}}, {"qlru_insertion", {2}}, {"qlru_update_on", {1}}};
  Cache qlru(description), srrip(cache_of(4, 8, "srrip"));
  for (unsigned i = 0; i < 4000; ++i)
    REQUIRE(access(qlru, some_line(i, 60)) == access(srrip, some_line(i, 60)));
}

TEST_CASE("the same seed gives the same random choices, another seed others") {
  const auto hits = [](std::uint64_t seed) {
    Cache cache(cache_of(2, 4, "random"));
    cache.seed(seed);
    std::vector<bool> out;
    for (unsigned i = 0; i < 500; ++i) out.push_back(access(cache, some_line(i, 20)));
    return out;
  };
  CHECK(hits(1) == hits(1));
  CHECK(hits(1) != hits(2));
}

TEST_CASE("a set is chosen by the bits of the address that are listed") {
  Description::Cache texture = cache_of(4, 96);
  texture.set_bits = {1 << 7, 1 << 8};
  const SetFunction set_of(texture);
  for (std::uint64_t address :
       {0ull, 32ull, 96ull, 128ull, 256ull, 384ull, 511ull, 512ull, 4224ull})
    CHECK(set_of(address / 32) == address / 128 % 4);
  Cache cache(texture);
  // 32 successive words are successive lines of one set.
  CHECK(misses_of_a_pass(cache, 384) == 0);
  CHECK(misses_of_a_pass(cache, 385) == 97);
  CHECK(misses_of_a_pass(cache, 388) == 100);
  CHECK(misses_of_a_pass(cache, 389) == 100 + 97);
}

TEST_CASE("a set's number may be an exclusive or of address bits") {
  Description::Cache cache = cache_of(8, 2);
  cache.set_bits = {1 << 5 | 1 << 8 | 1 << 20, 1 << 6 | 1 << 9, 1 << 7 | 1 << 10};
  const SetFunction set_of(cache);
  for (unsigned i = 0; i < 1000; ++i) {
    const std::uint64_t a = some_line(i, 1u << 24);
    const auto bit = [&](unsigned n) { return a >> n & 1; };
    const std::uint64_t expected =
        (bit(5) ^ bit(8) ^ bit(20)) | (bit(6) ^ bit(9)) << 1 | (bit(7) ^ bit(10)) << 2;
    REQUIRE(set_of(a / 32) == expected);
  }
}

TEST_CASE("unequal sets overflow one after another, the large one first") {
  Cache tlb(cache_of({17, 8, 8, 8, 8, 8, 8}));
  CHECK(misses_of_a_pass(tlb, 65) == 0);
  CHECK(misses_of_a_pass(tlb, 66) == 18);
  for (unsigned more = 1; more <= 6; ++more)
    CHECK(misses_of_a_pass(tlb, 66 + more) == 18 + 9 * more);
  CHECK(misses_of_a_pass(tlb, 65, 1000) == 0);
}

TEST_CASE("a part of a cache holds that part of its lines, whatever selects the set") {
  Description::Cache bits = cache_of(64, 4);
  bits.set_bits = {1 << 5, 1 << 6, 1 << 7, 1 << 8, 1 << 9, 1 << 10};
  for (const Description::Cache& each : {cache_of(64, 4), bits}) {
    Cache cache(each);
    CHECK(misses_of_a_pass(cache, 256) == 0);
    cache.share(0.25);
    CHECK_FALSE(access(cache, 255));  // it is empty
    // 15 sets: the largest odd number in a quarter of them. Even strides lie in all of them.
    for (const std::uint64_t stride : {1, 2, 16, 64}) {
      unsigned misses = 0;
      for (int pass = 0; pass < 2; ++pass) {
        misses = 0;
        for (std::uint64_t i = 0; i < 60; ++i)
          misses += !access(cache, (stride * 1000 + i) * stride);
      }
      CHECK(misses == 0);
    }
    CHECK(misses_of_a_pass(cache, 75) == 75);
    cache.share(1);
    CHECK(misses_of_a_pass(cache, 256) == 0);
  }
}

TEST_CASE("an upload fills unequal and hashed sets from the buffers' beginning") {
  Description::Cache hashed = cache_of(8, 2);
  hashed.set_bits = {1 << 5 | 1 << 8, 1 << 6 | 1 << 9, 1 << 7 | 1 << 10};
  for (const auto& description : {hashed, cache_of({4, 3, 2, 7})}) {
    Cache cache(description);
    const std::vector<LineRange> buffer = {{4096, 1000}};
    cache.upload(buffer);
    for (std::uint64_t line = 0; line < 16; ++line) CHECK(cache.find(4096 + line));
    for (std::uint64_t line = 16; line < 40; ++line) CHECK_FALSE(cache.find(4096 + line));
    cache.flush(2 * 7 * description.sets());
    for (std::uint64_t line = 0; line < 16; ++line) CHECK_FALSE(cache.find(4096 + line));
  }
}

// docs/results/h200/l2_state.csv: behind a flush a third of the lines that leave L2 is written.
TEST_CASE("a flush leaves part of its lines dirty, rows of them together, at any age") {
  Description::Cache description = cache_of(4096, 8, "lru");
  for (const double part : {0.0, 0.3, 1.0}) {
    description.dirty = part;
    Cache cache(description);
    cache.flush(2 * description.lines());
    CAPTURE(part);
    const std::uint64_t sets = description.sets();
    unsigned all = 0, changes = 0;
    for (std::uint64_t age = 0; age < 8; ++age) {
      unsigned dirty = 0;
      bool before = false;
      for (std::uint64_t set = 0; set < sets; ++set) {
        const bool is = cache.insert(sets * age + set).wrote_back();
        changes += is != before ? 1 : 0;
        before = is;
        dirty += is ? 1 : 0;
      }
      CHECK(std::abs(dirty - part * 4096) <= 0.05 * 4096);
      all += dirty;
    }
    CHECK(std::abs(all - part * 8 * 4096) <= 0.02 * 8 * 4096);
    CHECK(changes <= 8 * 2 * 4096 / 16);
  }
}

TEST_CASE("a line of sectors has those that were asked for, each from its own arrival") {
  CacheLine line(77);
  CHECK(line.has(0));
  CHECK(line.has(7));
  line.fetch_first(2, 100);
  CHECK(line.is(77));
  CHECK(line.has(2));
  CHECK_FALSE(line.has(1));
  CHECK_FALSE(line.has(3));
  CHECK(line.arrival(2) == 100);
  line.fetch_more(3, 99, 180);  // 2 is still on its way
  CHECK(line.arrival(2) == 180);
  line.fetch_more(1, 180, 260);
  CHECK(line.arrival(2) == 0);
  CHECK(line.arrival(1) == 260);
  CHECK_FALSE(line.dirty());
  line.set_dirty();
  CHECK(line.dirty());
  CHECK(line.is(77));
}

TEST_CASE("a dropped line leaves its way free, under every policy") {
  for (const char* policy : {"lru", "fifo", "plru", "random"}) {
    Cache cache(cache_of(1, 4, policy));
    for (std::uint64_t line = 0; line < 4; ++line) cache.insert(line);
    cache.drop(2);
    CHECK_FALSE(cache.find(2));
    cache.insert(9);
    for (std::uint64_t line : {0, 1, 3, 9}) CHECK(cache.find(line));
  }
}
