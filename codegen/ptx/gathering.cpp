// Where the lanes of a divergent branch meet although some leave the function on the way.
//
// A post-dominator lies on every way to the exit. So a way that stores an error code and returns
// moves it to the exit, even if no lane ever takes that way: those that stay would never meet.
// Hardware takes lanes that exit out of its masks; a compiler lets the others meet as soon as they
// can. The same holds for a barrier behind an early return of an inlined function: CUDA promises
// that lanes which all come to it come together, and the post-dominator lies behind it.
//
// For a branch and an anchor (a block that must be reached together, or one of the function's
// ends) the lanes that go to the anchor meet at the branch's immediate post-dominator among the
// blocks that reach the anchor. Loops are followed once: a way back to a loop's head counts as the
// ways out of the loop. Of several such points one of what must be reached together comes first:
// lanes that go there by a way around another point would come alone. Then the one counts behind
// which the most code lies, a barrier first. Interface: fill_gathering in blocks.h. Covered by
// tests/vgpu/lanes_test.cpp.
#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "codegen/ptx/blocks.h"
#include "codegen/ptx/ops.h"
#include "lang/lists.h"

namespace gpx::ptx {
namespace {

using Block = std::int32_t;
using Edges = std::vector<std::vector<Block>>;

/// Anchors times blocks: 0.2 s. Functions beyond that have thousands of ends in thousands of
/// blocks.
constexpr std::size_t kMostWork = 50'000'000;

std::size_t at(Block b) {
  return static_cast<std::size_t>(b);
}

/// One past the block's last instruction.
std::int32_t end_of(const Function& f, const Blocks& blocks, Block b) {
  return at(b) + 1 < blocks.begin.size() ? blocks.begin[at(b) + 1]
                                         : static_cast<std::int32_t>(f.instructions.size());
}

/// Lanes must execute it together.
bool convergent(const Instruction& i) {
  const OpId id = id_of(i);
  if (i.unit == Unit::warp) return id != OpId::activemask;
  return i.unit == Unit::barrier || i.unit == Unit::tensor || id == OpId::call;
}

/// Hands the result over, and returns.
bool ends_call(const Function& f, const Blocks& blocks, Block b) {
  const std::int32_t end = end_of(f, blocks, b);
  const Instruction& last = f.instructions[at(end - 1)];
  if (id_of(last) != OpId::ret || last.guard != Operand::kNoRegister) return false;
  return std::all_of(
      f.instructions.begin() + blocks.begin[at(b)], f.instructions.begin() + end - 1,
      [](const Instruction& i) { return id_of(i) == OpId::st && modifiers_of(i).frame_param(); });
}

/// The blocks without their ways back, in an order in which every edge leads on.
class Forward {
 public:
  Forward(const Function& f, const Blocks& blocks) : rank(blocks.begin.size(), -1) {
    leaves_.resize(blocks.begin.size());
    edges_.resize(blocks.begin.size());
    for (Block b = 0; b < blocks.exit(); ++b) leaves_[at(b)] = ends_call(f, blocks, b);
    for (Block b = 0; b < blocks.exit(); ++b)
      for (Block n : blocks.next[at(b)])
        if (!outside(blocks, n)) edges_[at(b)].push_back(n);
    number();
    ways_out_.resize(edges_.size());
    next.resize(edges_.size());
    for (Block b : sequence)
      for (Block n : edges_[at(b)]) follow(b, n, next[at(b)]);
  }

  /// Leaving the function, or what does nothing else.
  bool outside(const Blocks& blocks, Block b) const {
    return b == blocks.exit() || blocks.only_leaves[at(b)] || leaves_[at(b)];
  }
  /// Where the edge leads: its block, or the ways out of the loop that it goes back in.
  std::vector<Block> ends_of(Block from, Block to) {
    std::vector<Block> found;
    follow(from, to, found);
    return found;
  }
  bool goes_back(Block b) const {
    return std::ranges::any_of(edges_[at(b)], [&](Block n) { return rank[at(n)] <= rank[at(b)]; });
  }

  std::vector<std::int32_t> rank;  ///< Place in `sequence`; -1: nothing leads there.
  std::vector<Block> sequence;
  Edges next;

 private:
  using Way = std::pair<Block, Block>;

  // Reverse post-order, without recursion.
  void number() {
    std::vector<std::pair<Block, std::size_t>> stack{{0, 0}};
    std::vector<bool> seen(edges_.size());
    seen[0] = true;
    while (!stack.empty()) {
      auto& [b, k] = stack.back();
      if (k < edges_[at(b)].size()) {
        const Block n = edges_[at(b)][k++];
        if (!seen[at(n)]) seen[at(n)] = true, stack.emplace_back(n, 0);
        continue;
      }
      sequence.push_back(b);
      stack.pop_back();
    }
    std::ranges::reverse(sequence);
    for (std::size_t k = 0; k < sequence.size(); ++k)
      rank[at(sequence[k])] = static_cast<std::int32_t>(k);
  }

  void follow(Block from, Block to, std::vector<Block>& found) {
    std::vector<Way> work{{from, to}};
    std::vector<Block> heads;
    for (std::size_t k = 0; k < work.size(); ++k) {
      const auto [begin, end] = work[k];
      const bool forward = rank[at(end)] > rank[at(begin)];
      auto& seen = forward ? found : heads;
      if (contains(seen, end)) continue;
      seen.push_back(end);
      if (forward) continue;
      if (!ways_out_[at(end)]) ways_out_[at(end)] = edges_out_of_loop(end);
      work.insert(work.end(), ways_out_[at(end)]->begin(), ways_out_[at(end)]->end());
    }
  }

  std::vector<Way> edges_out_of_loop(Block head) {
    if (before_.empty()) {
      before_.resize(edges_.size());
      for (Block b : sequence)
        for (Block n : edges_[at(b)]) before_[at(n)].push_back(b);
    }
    std::vector<bool> inside(edges_.size());
    inside[at(head)] = true;
    std::vector<Block> loop{head};
    const auto take = [&](Block b) {
      if (!inside[at(b)]) inside[at(b)] = true, loop.push_back(b);
    };
    for (Block b : before_[at(head)])
      if (rank[at(b)] >= rank[at(head)]) take(b);
    for (std::size_t k = 1; k < loop.size(); ++k)
      for (Block b : before_[at(loop[k])]) take(b);
    std::vector<Way> ways;
    for (Block b : loop)
      for (Block n : edges_[at(b)])
        if (!inside[at(n)]) ways.emplace_back(b, n);
    return ways;
  }

  std::vector<bool> leaves_;
  Edges edges_, before_;
  std::vector<std::optional<std::vector<Way>>> ways_out_;
};

/// Among the blocks that reach `anchor`, the immediate post-dominator of each; -1: it does not.
std::vector<Block> post_dominators(const Forward& graph, Block anchor) {
  std::vector<Block> parent(graph.next.size(), -1);
  parent[at(anchor)] = anchor;
  for (std::int32_t r = graph.rank[at(anchor)] - 1; r >= 0; --r) {
    const Block b = graph.sequence[at(r)];
    Block found = -1;
    for (Block n : graph.next[at(b)]) {
      if (parent[at(n)] < 0) continue;
      Block other = n;
      if (found < 0) found = n;
      while (found != other) {
        Block& nearer = graph.rank[at(found)] < graph.rank[at(other)] ? found : other;
        nearer = parent[at(nearer)];
      }
    }
    parent[at(b)] = found;
  }
  return parent;
}

class Gathering {
 public:
  Gathering(Function& f, const Blocks& blocks) : f_(f), blocks_(blocks), graph_(f, blocks) {
    find_branches();
    find_anchors();
  }

  void fill() {
    if (anchors_.size() * blocks_.begin.size() > kMostWork) return;
    for (const Anchor& anchor : anchors_) {
      const auto parents = post_dominators(graph_, anchor.block);
      for (Branch& branch : branches_)
        if (counts(anchor, branch, parents))
          offer(branch, parents[at(branch.block)], anchor.together);
    }
    for (Branch& branch : branches_) {
      if (branch.best < 0 && last(branch)) branch.best = only_together(branch);
      if (branch.best < 0) continue;
      f_.instructions[branch.at].gathering = blocks_.begin[at(branch.best)];
    }
  }

 private:
  using Value = std::tuple<bool, std::size_t>;
  struct Anchor {
    Block block;
    bool together;  ///< It has a barrier, or another instruction of lanes together.
  };
  struct Branch {
    std::size_t at;  ///< Instruction.
    Block block, meets;
    std::vector<Block> heads;                ///< Of its ways.
    std::vector<std::vector<Block>> ways{};  ///< Where each leads.
    Block best = -1;
    bool together = false;  ///< The best one is of an anchor that must be reached together.
  };

  void find_branches() {
    for (std::size_t k = 0; k < f_.instructions.size(); ++k) {
      const Instruction& i = f_.instructions[k];
      const Block b = blocks_.of[k];
      if ((id_of(i) != OpId::bra && id_of(i) != OpId::brx) || graph_.rank[at(b)] < 0) continue;
      Branch branch{k, b, i.reconvergence < 0 ? -1 : blocks_.of[at(i.reconvergence)], {}};
      for (Block n : blocks_.next[at(b)]) {
        if (graph_.outside(blocks_, n)) continue;
        branch.heads.push_back(n);
        branch.ways.push_back(graph_.ends_of(b, n));
      }
      if (branch.ways.size() > 1) branches_.push_back(std::move(branch));
    }
  }

  // Only what some branch may need.
  void find_anchors() {
    const bool ends = std::ranges::any_of(branches_, [&](const Branch& b) { return last(b); });
    std::vector<bool> together(blocks_.begin.size());
    for (std::size_t k = 0; k < f_.instructions.size(); ++k)
      if (convergent(f_.instructions[k])) together[at(blocks_.of[k])] = true;
    for (Block b : graph_.sequence) {
      if (together[at(b)] || (ends && (graph_.goes_back(b) || leaves_well(b))))
        anchors_.push_back({b, together[at(b)]});
    }
    if (branches_.empty()) anchors_.clear();
    together_ = std::move(together);
  }

  /// It meets nowhere, or where the function has nothing left to do.
  bool last(const Branch& b) const { return b.meets < 0 || graph_.outside(blocks_, b.meets); }

  bool leaves_well(Block b) const {
    const std::int32_t end = end_of(f_, blocks_, b);
    if (id_of(f_.instructions[at(end - 1)]) == OpId::trap) return false;
    return std::ranges::any_of(blocks_.next[at(b)],
                               [&](Block n) { return graph_.outside(blocks_, n); });
  }

  bool counts(const Anchor& anchor, const Branch& branch, const std::vector<Block>& parents) const {
    const Block found = parents[at(branch.block)];
    if (found < 0 || found == branch.meets || anchor.block == branch.block) return false;
    if (!last(branch)) {
      const std::int32_t meets = graph_.rank[at(branch.meets)];
      if (!anchor.together || graph_.rank[at(anchor.block)] >= meets) return false;
    }
    const auto comes = [&](const std::vector<Block>& way) {
      return std::ranges::any_of(way, [&](Block b) { return parents[at(b)] >= 0; });
    };
    return std::ranges::count_if(branch.ways, comes) > 1;
  }

  /// Where the ways never meet, the one that leads to a barrier waits until the others have left:
  /// the barrier no longer counts them. -1: it is none, or more than one.
  Block only_together(const Branch& branch) {
    Block found = -1;
    for (std::size_t k = 0; k < branch.heads.size(); ++k) {
      const auto leads = [&](Block b) { return std::get<0>(value(b)); };
      if (!std::ranges::any_of(branch.ways[k], leads) || branch.heads[k] == found) continue;
      if (found >= 0) return -1;
      found = branch.heads[k];
    }
    return found;
  }

  void offer(Branch& branch, Block found, bool together) {
    if (branch.best >= 0 &&
        std::tuple(together, value(found)) <= std::tuple(branch.together, value(branch.best)))
      return;
    branch.best = found;
    branch.together = together;
  }

  /// Of the code that the block leads to: whether a barrier is there, and how long it is.
  Value value(Block from) {
    const auto known = values_.find(from);
    if (known != values_.end()) return known->second;
    std::vector<bool> seen(blocks_.begin.size());
    std::vector<Block> work{from};
    seen[at(from)] = true;
    Value result{false, 0};
    for (std::size_t k = 0; k < work.size(); ++k) {
      const Block b = work[k];
      const std::int32_t end = end_of(f_, blocks_, b);
      std::get<0>(result) = std::get<0>(result) || together_[at(b)];
      std::get<1>(result) += at(end - blocks_.begin[at(b)]);
      for (Block n : graph_.next[at(b)])
        if (!seen[at(n)]) seen[at(n)] = true, work.push_back(n);
    }
    return values_.emplace(from, result).first->second;
  }

  Function& f_;
  const Blocks& blocks_;
  Forward graph_;
  std::vector<Branch> branches_;
  std::vector<Anchor> anchors_;
  std::vector<bool> together_;
  std::map<Block, Value> values_;
};

}  // namespace

void fill_gathering(Function& function, const Blocks& blocks) {
  if (!blocks.begin.empty()) Gathering(function, blocks).fill();
}

}  // namespace gpx::ptx
