// Where the paths of a divergent branch meet again: its immediate post-dominator. Where some of
// them leave before, gathering.cpp finds where the others meet.
//
// Interface: fill_reconvergence in parse_state.h. Blocks are found, then post-dominators by the
// iteration of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance Algorithm", 2001) on the
// reversed graph. Covered by tests/vgpu/ptx_test.cpp.
#include <algorithm>

#include "codegen/ptx/blocks.h"
#include "codegen/ptx/parse_state.h"

namespace gpx::ptx {
namespace {

bool leaves(const Instruction& i) {
  OpId id = id_of(i);
  return id == OpId::ret || id == OpId::exit || id == OpId::trap;
}

bool ends_block(const Instruction& i) {
  OpId id = id_of(i);
  return leaves(i) || id == OpId::bra || id == OpId::brx;
}

std::vector<std::int32_t> targets(const Function& f, const Instruction& i) {
  if (id_of(i) == OpId::bra) return {static_cast<std::int32_t>(i.operands[0].bits)};
  std::vector<std::int32_t> result;
  if (id_of(i) == OpId::brx) {
    for (const Operand& o : f.vectors[i.operands[1].index]) {
      result.push_back(static_cast<std::int32_t>(o.bits));
    }
  }
  return result;
}

Blocks find_blocks(const Function& f) {
  auto size = static_cast<std::int32_t>(f.instructions.size());
  std::vector<bool> starts(f.instructions.size() + 1);
  starts[0] = true;
  for (std::int32_t i = 0; i < size; ++i) {
    const Instruction& instruction = f.instructions[static_cast<std::size_t>(i)];
    if (!ends_block(instruction)) continue;
    starts[static_cast<std::size_t>(i) + 1] = true;
    for (std::int32_t t : targets(f, instruction)) starts[static_cast<std::size_t>(t)] = true;
  }
  Blocks blocks;
  for (std::int32_t i = 0; i < size; ++i) {
    if (starts[static_cast<std::size_t>(i)]) blocks.begin.push_back(i);
    blocks.of.push_back(static_cast<std::int32_t>(blocks.begin.size()) - 1);
  }
  return blocks;
}

void find_edges(const Function& f, Blocks& blocks) {
  auto count = blocks.begin.size();
  blocks.next.resize(count);
  blocks.only_leaves.resize(count);
  for (std::size_t b = 0; b < count; ++b) {
    std::int32_t end =
        b + 1 < count ? blocks.begin[b + 1] : static_cast<std::int32_t>(f.instructions.size());
    const Instruction& last = f.instructions[static_cast<std::size_t>(end) - 1];
    bool guarded = last.guard != Operand::kNoRegister;
    auto& next = blocks.next[b];
    for (std::int32_t t : targets(f, last)) next.push_back(blocks.of[static_cast<std::size_t>(t)]);
    if (leaves(last)) next.push_back(blocks.exit());
    bool falls = guarded || !ends_block(last);
    if (falls && b + 1 < count) next.push_back(static_cast<std::int32_t>(b) + 1);
    blocks.only_leaves[b] = end - blocks.begin[b] == 1 && leaves(last) && !guarded;
  }
}

// Lanes that leave need no meeting point: hardware takes them out of the masks of those that stay.
// So an edge that only leads out of the function does not count where the block has another one,
// unless the block could then not get out at all.
std::vector<std::vector<std::int32_t>> staying_edges(const Blocks& blocks) {
  auto edges = blocks.next;
  for (auto& next : edges) {
    auto out = [&](std::int32_t b) {
      return b == blocks.exit() || blocks.only_leaves[static_cast<std::size_t>(b)];
    };
    if (std::all_of(next.begin(), next.end(), out)) continue;
    next.erase(std::remove_if(next.begin(), next.end(), out), next.end());
  }
  std::vector<bool> escapes(blocks.begin.size() + 1);
  auto grow = [&] {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t b = edges.size(); b-- > 0;) {
        if (escapes[b]) continue;
        for (std::int32_t n : edges[b]) {
          if (escapes[static_cast<std::size_t>(n)]) escapes[b] = changed = true;
        }
      }
    }
  };
  escapes.back() = true;
  grow();
  for (std::size_t b = 0; b < edges.size(); ++b) {
    if (!escapes[b]) edges[b] = blocks.next[b];
  }
  return edges;
}

class PostDominators {
 public:
  PostDominators(const std::vector<std::vector<std::int32_t>>& edges)
      : edges_(edges), exit_(static_cast<std::int32_t>(edges.size())) {
    order();
    parent_.assign(edges.size() + 1, -1);
    parent_.back() = exit_;
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t k = order_.size(); k-- > 0;) changed |= update(order_[k]);
    }
  }
  /// -1: the block never gets out.
  std::int32_t parent(std::int32_t block) const { return parent_[static_cast<std::size_t>(block)]; }

 private:
  // Post-order of the reversed graph from the exit, without recursion.
  void order() {
    std::vector<std::vector<std::int32_t>> back(edges_.size() + 1);
    for (std::size_t b = 0; b < edges_.size(); ++b) {
      for (std::int32_t n : edges_[b]) {
        back[static_cast<std::size_t>(n)].push_back(static_cast<std::int32_t>(b));
      }
    }
    number_.assign(edges_.size() + 1, -1);
    std::vector<bool> seen(edges_.size() + 1);
    std::vector<std::pair<std::int32_t, std::size_t>> stack{{exit_, 0}};
    seen.back() = true;
    while (!stack.empty()) {
      auto& [node, child] = stack.back();
      auto& children = back[static_cast<std::size_t>(node)];
      if (child < children.size()) {
        std::int32_t next = children[child++];
        if (seen[static_cast<std::size_t>(next)]) continue;
        seen[static_cast<std::size_t>(next)] = true;
        stack.emplace_back(next, 0);
        continue;
      }
      number_[static_cast<std::size_t>(node)] = static_cast<std::int32_t>(order_.size());
      order_.push_back(node);
      stack.pop_back();
    }
  }

  std::int32_t meet(std::int32_t a, std::int32_t b) const {
    while (a != b) {
      while (number(a) < number(b)) a = parent(a);
      while (number(b) < number(a)) b = parent(b);
    }
    return a;
  }

  bool update(std::int32_t block) {
    if (block == exit_) return false;
    std::int32_t found = -1;
    for (std::int32_t n : edges_[static_cast<std::size_t>(block)]) {
      if (parent(n) < 0) continue;
      found = found < 0 ? n : meet(found, n);
    }
    std::int32_t& old = parent_[static_cast<std::size_t>(block)];
    bool changed = old != found;
    old = found;
    return changed;
  }

  std::int32_t number(std::int32_t b) const { return number_[static_cast<std::size_t>(b)]; }

  const std::vector<std::vector<std::int32_t>>& edges_;
  std::int32_t exit_;
  std::vector<std::int32_t> order_, number_, parent_;
};

}  // namespace

void fill_reconvergence(Function& function) {
  Blocks blocks = find_blocks(function);
  find_edges(function, blocks);
  auto edges = staying_edges(blocks);
  PostDominators dominators(edges);
  for (std::size_t i = 0; i < function.instructions.size(); ++i) {
    Instruction& instruction = function.instructions[i];
    if (id_of(instruction) != OpId::bra && id_of(instruction) != OpId::brx) continue;
    std::int32_t meets = dominators.parent(blocks.of[i]);
    bool inside = meets >= 0 && meets < blocks.exit();
    instruction.reconvergence = inside ? blocks.begin[static_cast<std::size_t>(meets)] : -1;
  }
  fill_gathering(function, blocks);
}

}  // namespace gpx::ptx
