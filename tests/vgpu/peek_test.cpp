// Looking into a cache changes nothing: a load hits once, whatever else asks where its lines are,
// and a line that is dropped is not used. Each policy beside a model of a few lines.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "runtime/device/vgpu/memory/memory_path.h"

using namespace gpx::vgpu;
using namespace gpx::vgpu::timing;

namespace {

constexpr unsigned kWays = 4;
constexpr std::uint64_t kFree = UINT64_MAX;

/// One set: what its policy keeps of each way, and the steps that change it.
class Model {
 public:
  virtual ~Model() = default;
  /// True: a hit. A miss brings the line in.
  bool access(std::uint64_t line) {
    const auto found = std::ranges::find(lines_, line);
    if (found != lines_.end()) return hit(static_cast<std::size_t>(found - lines_.begin())), true;
    const auto free = std::ranges::find(lines_, kFree);
    const std::size_t way =
        free != lines_.end() ? static_cast<std::size_t>(free - lines_.begin()) : victim();
    lines_[way] = line;
    enter(way);
    return false;
  }
  void drop(std::uint64_t line) { std::ranges::replace(lines_, line, kFree); }

 protected:
  virtual void hit(std::size_t way) = 0;
  virtual std::size_t victim() = 0;
  virtual void enter(std::size_t way) = 0;
  std::vector<std::uint64_t> lines_ = std::vector<std::uint64_t>(kWays, kFree);
};

/// A line is as old as the hits of others since it entered, and 2.
class AgedModel : public Model {
  void hit(std::size_t way) override { born_[way] = ++hits_, used_[way] = ++uses_; }
  std::size_t victim() override {
    std::size_t oldest = 0;
    for (std::size_t way = 1; way < kWays; ++way)
      if (std::pair(born_[way], used_[way]) < std::pair(born_[oldest], used_[oldest])) oldest = way;
    return oldest;
  }
  void enter(std::size_t way) override { born_[way] = hits_ - 2, used_[way] = ++uses_; }
  long hits_ = 0, uses_ = 0;
  std::vector<long> born_ = std::vector<long>(kWays), used_ = std::vector<long>(kWays);
};

/// SRRIP with two bits: entered at 2, used at 0.
class SrripModel : public Model {
  void hit(std::size_t way) override { rrpv_[way] = 0; }
  std::size_t victim() override {
    for (;;) {
      const auto found = std::ranges::find(rrpv_, 3);
      if (found != rrpv_.end()) return static_cast<std::size_t>(found - rrpv_.begin());
      for (int& each : rrpv_) ++each;
    }
  }
  void enter(std::size_t way) override { rrpv_[way] = 2; }
  std::vector<int> rrpv_ = std::vector<int>(kWays, 3);
};

/// QLRU_H11_M1_R0_U0: entered at 1; a hit makes 3 a 1 and others 0; then all age until one has 3.
class QlruModel : public Model {
  void hit(std::size_t way) override {
    age_[way] = age_[way] == 3 || age_[way] == 2 ? after_[static_cast<std::size_t>(age_[way])] : 0;
    update();
  }
  std::size_t victim() override {
    return static_cast<std::size_t>(std::ranges::find(age_, 3) - age_.begin());
  }
  void enter(std::size_t way) override {
    age_[way] = 1;
    update();
  }
  void update() {
    const int missing = 3 - std::ranges::max(age_);
    for (int& each : age_) each += missing;
  }
  std::vector<int> age_ = std::vector<int>(kWays, 3);
  std::vector<int> after_ = {0, 0, 1, 1};
};

struct Row {
  const char* policy;
  std::function<std::unique_ptr<Model>()> model;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> all = {{"aged", [] { return std::make_unique<AgedModel>(); }},
                                       {"srrip", [] { return std::make_unique<SrripModel>(); }},
                                       {"qlru", [] { return std::make_unique<QlruModel>(); }}};
  return all;
}

Description::Cache one_set(const char* policy) {
  Description::Cache cache{kWays * 128, 128, kWays, 30};
  cache.policy = policy;
  return cache;
}

/// Lines and what is done with them, some of them used again soon.
struct Step {
  std::uint64_t line;
  bool drops, peeks;
};
std::vector<Step> steps(unsigned count) {
  std::vector<Step> all;
  std::uint32_t state = 12345;
  const auto next = [&state] { return (state = state * 1664525u + 1013904223u) >> 16; };
  for (unsigned i = 0; i < count; ++i)
    all.push_back({next() % 7, next() % 8 == 0, next() % 2 == 0});
  return all;
}

}  // namespace

TEST_CASE("queries that change the model: a peek and a drop use no line") {
  for (const Row& row : rows()) {
    CAPTURE(row.policy);
    Cache cache(one_set(row.policy));
    const auto model = row.model();
    for (const Step& step : steps(6000)) {
      if (step.peeks)
        for (std::uint64_t line = 0; line < 7; ++line)
          static_cast<void>(std::as_const(cache).peek(line));
      if (step.drops) {
        cache.drop(step.line);
        model->drop(step.line);
        CHECK(cache.peek(step.line) == nullptr);
        continue;
      }
      const bool hit = cache.find(step.line) != nullptr;
      if (!hit) cache.insert(step.line);
      REQUIRE(hit == model->access(step.line));
      REQUIRE(cache.peek(step.line) != nullptr);
    }
  }
}

TEST_CASE("queries that change the model: with a PRT and an L1 a load hits once") {
  for (const Row& row : rows()) {
    CAPTURE(row.policy);
    Description device;
    device.clock_hz = 1e9;
    device.sm.count = 1;
    device.lsu = {1, 0, 1, 0};
    device.l2 = {64 * 1024, 128, 4, 100};
    device.dram = {300, 0};
    device.prt = Description::Prt{2, 0};
    device.l1 = one_set(row.policy);
    MemorySystem system(device);
    MemoryPath path(device, system);
    const auto model = row.model();
    Clk clk = 0;
    unsigned hits = 0;
    for (const Step& step : steps(6000)) {
      exec::Lanes lanes{};
      lanes[0] = step.line * 128;
      Requests requests;
      Coalescer(128).coalesce(1, lanes, requests);
      clk += 1000;
      if (step.drops) {
        path.store(requests, clk);
        model->drop(step.line);
        continue;
      }
      const Clk from = path.load_from(requests, clk, false);
      const bool hit = path.load(requests, from, false).complete - from == 30;
      hits += hit;
      REQUIRE(hit == model->access(step.line));
    }
    CHECK(hits > 1000);
  }
}
