// Replacement policies as models of one set, for the hand-written programs that compare visits of a
// real cache with them. Each is written from its definition; nothing of gpx is used here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <vector>

// visit(line): whether it hits. An empty set fills its ways in their order.
class Policy {
 public:
  explicit Policy(int ways) : ways_(ways), line_(ways, -1) {}
  virtual ~Policy() = default;
  bool visit(int line) {
    ++now_;
    const auto found = std::find(line_.begin(), line_.end(), line);
    if (found != line_.end()) {
      hit(static_cast<int>(found - line_.begin()));
      return true;
    }
    const auto empty = std::find(line_.begin(), line_.end(), -1);
    const int way = empty != line_.end() ? static_cast<int>(empty - line_.begin()) : victim();
    line_[way] = line;
    fill(way);
    return false;
  }

 protected:
  virtual void hit(int way) = 0;
  virtual void fill(int way) = 0;
  virtual int victim() = 0;
  int ways_;
  std::int64_t now_ = 0;  // visits

 private:
  std::vector<int> line_;
};

// The least recently used way leaves; `FIFO`: the one filled first.
class Recency : public Policy {
 public:
  Recency(int ways, bool fifo) : Policy(ways), used_(ways), fifo_(fifo) {}

 protected:
  void hit(int way) override {
    if (!fifo_) used_[way] = now_;
  }
  void fill(int way) override { used_[way] = now_; }
  int victim() override {
    return static_cast<int>(std::min_element(used_.begin(), used_.end()) - used_.begin());
  }

 private:
  std::vector<std::int64_t> used_;
  bool fifo_;
};

// A binary tree over the ways; each node points to the half that was not used last.
class TreePlru : public Policy {
 public:
  explicit TreePlru(int ways) : Policy(ways), points_(ways, 0) {}

 protected:
  void hit(int way) override {
    for (int node = way + ways_; node > 1; node /= 2) points_[node / 2] = 1 - node % 2;
  }
  void fill(int way) override { hit(way); }
  int victim() override {
    int node = 1;
    while (node < ways_) node = 2 * node + points_[node];
    return node - ways_;
  }

 private:
  std::vector<int> points_;  // of node 1 to ways - 1
};

// One bit a way, set by a use; the use that would set the last one clears the others. The first way
// whose bit is not set leaves.
class BitPlru : public Policy {
 public:
  explicit BitPlru(int ways) : Policy(ways), used_(ways) {}

 protected:
  void hit(int way) override {
    used_[way] = true;
    if (std::find(used_.begin(), used_.end(), false) != used_.end()) return;
    std::fill(used_.begin(), used_.end(), false);
    used_[way] = true;
  }
  void fill(int way) override { hit(way); }
  int victim() override {
    return static_cast<int>(std::find(used_.begin(), used_.end(), false) - used_.begin());
  }

 private:
  std::vector<bool> used_;
};

// Re-reference intervals of 2 bits (Jaleel et al., ISCA 2010): a fill predicts 2, a hit 0. The
// first way that predicts 3 leaves; where none does, all grow by one until one does.
class Srrip : public Policy {
 public:
  explicit Srrip(int ways) : Policy(ways), value_(ways, 3) {}

 protected:
  void hit(int way) override { value_[way] = 0; }
  void fill(int way) override { value_[way] = 2; }
  int victim() override {
    for (;;) {
      const auto distant = std::find(value_.begin(), value_.end(), 3);
      if (distant != value_.end()) return static_cast<int>(distant - value_.begin());
      for (int& value : value_) ++value;
    }
  }

 private:
  std::vector<int> value_;
};

// AGED-2: a hit makes its line new and all others one older; a filled line is as old as two hits
// make one. The oldest line leaves, of several the one that was visited longest ago.
class Aged2 : public Policy {
 public:
  explicit Aged2(int ways) : Policy(ways), age_(ways), last_(ways) {}

 protected:
  void hit(int way) override {
    for (auto& age : age_) ++age;
    age_[way] = 0;
    last_[way] = now_;
  }
  void fill(int way) override {
    age_[way] = 2;
    last_[way] = now_;
  }
  int victim() override {
    int oldest = 0;
    for (int way = 1; way < ways_; ++way)
      if (age_[way] > age_[oldest] || (age_[way] == age_[oldest] && last_[way] < last_[oldest]))
        oldest = way;
    return oldest;
  }

 private:
  std::vector<std::int64_t> age_, last_;
};

struct PolicyRow {
  const char* name;
  std::function<std::unique_ptr<Policy>(int ways)>
      make;  // null where there is none of so many ways
};

inline std::vector<PolicyRow> policies() {
  return {
      {"LRU", [](int ways) { return std::make_unique<Recency>(ways, false); }},
      {"FIFO", [](int ways) { return std::make_unique<Recency>(ways, true); }},
      {"tree-PLRU",
       [](int ways) -> std::unique_ptr<Policy> {
         if ((ways & (ways - 1)) != 0) return nullptr;
         return std::make_unique<TreePlru>(ways);
       }},
      {"bit-PLRU", [](int ways) { return std::make_unique<BitPlru>(ways); }},
      {"SRRIP-2", [](int ways) { return std::make_unique<Srrip>(ways); }},
      {"AGED-2", [](int ways) { return std::make_unique<Aged2>(ways); }},
  };
}

struct Shares {
  double least, most;  // percent of the visits that the model says, over what the set may have held
};

// `visits`: lines by number from 0 on; `hits`: what was seen. The first `homing` visits make the
// state known and do not count. `empty`: the set is known to be empty at first; else the model
// begins with what 32 random pasts of other lines leave, each as if it were the true one.
inline Shares said(const PolicyRow& row, int ways, const std::vector<int>& visits,
                   const std::vector<bool>& hits, std::size_t homing, bool empty) {
  std::mt19937 random(1);
  Shares shares = {100, 0};
  for (int past = 0; past < (empty ? 1 : 32); ++past) {
    const auto model = row.make(ways);
    for (int i = 0; !empty && i < 20 * ways; ++i)
      model->visit(1000000 + static_cast<int>(random() % (2 * ways)));
    std::size_t right = 0;
    for (std::size_t i = 0; i < visits.size(); ++i) {
      const bool hit = model->visit(visits[i]);
      right += i >= homing && hit == hits[i];
    }
    const double share =
        100.0 * static_cast<double>(right) / static_cast<double>(visits.size() - homing);
    shares = {std::min(shares.least, share), std::max(shares.most, share)};
  }
  return shares;
}

// Each of `lines` lines twice, in their order, so many rounds: hits age what was there before,
// misses push it out.
inline std::vector<int> homing_visits(int lines, int rounds) {
  std::vector<int> out;
  for (int i = 0; i < rounds * lines; ++i) out.insert(out.end(), 2, i % lines);
  return out;
}
