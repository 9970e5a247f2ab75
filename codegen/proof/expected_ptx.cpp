// The PTX that a kernel asks for. Interface: codegen/proof/expected_ptx.h.
#include "codegen/proof/expected_ptx.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "codegen/ir/chase.h"
#include "codegen/ir/operation.h"
#include "codegen/ir/region.h"
#include "lang/assert.h"

namespace gpx::codegen {
namespace {

/// Statement by statement, in the order in which they are executed.
class Derivation {
 public:
  explicit Derivation(const Kernel& kernel) : kernel_(kernel), shared_(kernel) {
    std::uint32_t operations = 0, chases = 0;
    for_each(kernel.timed, [&](const Instruction& i) {
      if (i.op == Op::operate)
        operations_[&i] =
            expand(operation_of(i), i.count, i.streams, fmt::format("op{}_", operations++), i.data);
      if (is_chase(i.op)) chases_[&i] = fmt::format("chase{}_", chases++);
    });
    is_input_.resize(kernel.registers.size());
    for (std::uint32_t reg : kernel.setup.back().operands) is_input_[reg] = true;
  }

  ExpectedPtx run() {
    memory();
    inputs_are_ready();
    if (!operations_.empty()) unknowns();
    if (has_bulk(kernel_)) lines(bulk_starts(kernel_));
    if (kernel_.rehearses()) {
      line("mov.u32 pass, $rehearse;");
      line("again:");
      line(".pragma \"nounroll\";");
    }
    pass_begins();
    cuts();
    if (kernel_.clustered) lines(cluster_barrier(Op::sync_cluster_div));
    if (kernel_.clocked()) line("bar.sync 0;");
    if (kernel_.clocked()) line("mov.u64 out.start, %clock64;");
    made_.begin = made_.statements;
    body(kernel_.timed);
    if (branches_) line("bar.warp.sync 0xffffffff;");
    if (has_sum(kernel_)) sum();
    made_.end = made_.statements;
    GPX_ASSERT(made_.begin <= made_.end);
    if (kernel_.clocked()) line("{}bar.sync 0;", has_sum(kernel_) ? "@!hit " : "");
    if (kernel_.clocked()) line("mov.u64 out.end, %clock64;");
    if (needs_order(kernel_)) line("sub.u32 out.fold, out.fold, order;");
    if (kernel_.rehearses()) {
      line("setp.ne.u32 more, pass, 0;");
      line("sub.u32 pass, pass, 1;");
      line("@more bra again;");
    }
    if (kernel_.clustered) lines(cluster_barrier(Op::sync_cluster_div));
    return std::move(made_);
  }

 private:
  template <typename... Args>
  void line(fmt::format_string<Args...> text, Args&&... args) {
    fmt::format_to(std::back_inserter(made_.text), text, std::forward<Args>(args)...);
    made_.text += '\n';
    ++made_.statements;
  }
  void lines(const std::vector<std::string>& all) {
    for (const std::string& one : all) line("{}", one);
  }

  // ---- registers ----------------------------------------------------------------------------

  Type type(std::uint32_t reg) const { return kernel_.registers[reg].type; }

  std::vector<std::string> words_of(std::uint32_t reg) const {
    const std::string& name = kernel_.registers[reg].name;
    if (is_input_[reg]) return std::vector<std::string>(std::max(words(type(reg)), 1u), "$" + name);
    if (words(type(reg)) <= 1) return {name};
    std::vector<std::string> made;
    for (std::uint32_t w = 0; w < words(type(reg)); ++w)
      made.push_back(fmt::format("{}_{}", name, w));
    return made;
  }

  std::string spelled(std::uint32_t reg) const {
    const std::vector<std::string> all = words_of(reg);
    return all.size() > 1 ? fmt::format("{{{}}}", fmt::join(all, ", ")) : all.front();
  }

  std::string shared_word(std::string_view name) const {
    return fmt::format("[$words+{}]", shared_.offset(name));
  }

  // ---- before the start clock ---------------------------------------------------------------

  // What the operations work on in memory.
  void memory() {
    for_each(kernel_.timed, [&](const Instruction& i) {
      if (i.op != Op::operate) return;
      for (const std::string& declaration : operations_.at(&i).declarations)
        if (!declaration.starts_with(".reg")) line("{}", declaration);
    });
  }

  // Stored where an address equals `never`, which none does: so all of it is computed by then.
  void inputs_are_ready() {
    const auto& used = kernel_.setup.back().operands;
    const auto address = std::find_if(
        used.begin(), used.end(), [this](std::uint32_t reg) { return type(reg) == Type::address; });
    line("setp.eq.u64 hit, {}, $never;", address == used.end() ? "$sink" : spelled(*address));
    for (std::uint32_t reg : used)
      line("@hit st.global.{} [$sink], {};",
           type(reg) == Type::address || type(reg) == Type::wide ? "u64" : "u32",
           words_of(reg).front());
  }

  // The guards of the operations: true, because `never` is odd and no address.
  void unknowns() {
    line("setp.ne.u64 {}, $sink, $never;", kEvenGuard);
    line("setp.ne.u32 {}, $never_low, 0;", kOddGuard);
    line("mov.u32 {}, %tid.x;", kUnknown);
    line("add.u32 {0}, {0}, $never_low;", kUnknown);
  }

  void pass_begins() {
    for (const Instruction& outer : kernel_.timed)
      for (const auto& region : outer.regions)
        for_each(region, [&](const Instruction& i) {
          if (!is_load(i.op) && !is_chase(i.op)) return;
          for (const std::string& word : words_of(i.result))
            line("mov.{} {}, 0;", type(i.result) == Type::wide ? "u64" : "u32", word);
        });
    for_each(kernel_.timed, [&](const Instruction& i) {
      if (i.op == Op::operate) lines(operations_.at(&i).starts);
      if (is_chase(i.op)) lines(chase(i, 0).starts);
    });
    for (const Instruction* word : shared_.words)
      line("st.volatile.shared.u32 {}, {};", shared_word(word->name), spelled(word->operands[0]));
    if (kernel_.stamps.empty()) return;
    line("mov.u32 out.idle, %clock;");
    for (std::size_t i = 0; i < kernel_.stamps.size(); ++i)
      line("mov.u32 out.stamp{}, out.idle;", i);
  }

  // Jumps that are never taken, into every block of a long chain.
  void cuts() {
    landings_ = count_landings(kernel_);
    for (std::uint32_t i = 0; i < landings_; ++i) {
      line("setp.eq.u32 leap, $never_low, {};", 2 * i);
      line("@leap bra landing{};", i);
    }
  }

  // ---- timed --------------------------------------------------------------------------------

  void body(const std::vector<Instruction>& list) {
    for (const Instruction& i : list) instruction(i);
  }

  void instruction(const Instruction& i) {
    switch (i.op) {
      case Op::await: return;
      case Op::when: return when(i);
      case Op::loop: return loop(i);
      case Op::diverge: return diverge(i);
      case Op::stamp: return line("mov.u32 out.stamp{}, %clock;", place_in(kernel_.stamps, i.name));
      case Op::keep: return keep(i);
      case Op::ld_shared:
        return line("ld.volatile.shared.u32 {}, {};", spelled(i.result), shared_word(i.name));
      case Op::st_shared:
        return line("st.volatile.shared.u32 {}, {};", shared_word(i.name), spelled(i.operands[0]));
      case Op::chase_b32:
      case Op::chase_b64:
      case Op::operate: return chain(i);
      case Op::sync_cluster:
      case Op::sync_cluster_div: return lines(cluster_barrier(i.op));
      case Op::bulk_expect:
      case Op::bulk_load:
      case Op::bulk_wait:
      case Op::bulk_store:
      case Op::bulk_group:
      case Op::tensor_load:
      case Op::tensor_store: return bulk(i);
      default:
        GPX_ASSERT(!info(i.op).spelling.empty(), "%s is neither spelled nor derived here",
                   info(i.op).name.data());
        line("{}", spell(i, [this](std::uint32_t reg) { return spelled(reg); }));
    }
  }

  void bulk(const Instruction& i) {
    BulkOperands at{.full = "$full"};
    if (is_copy(i.op))
      at.global = spelled(i.operands.front()), at.shared = spelled(i.operands.back());
    if (is_tensor(i.op)) at.coordinate = spelled(i.operands[1]);
    if (i.op == Op::bulk_wait) at.number = constructs_++;
    lines(bulk_lines(i, at));
  }

  static std::size_t place_in(const std::vector<std::string>& names, const std::string& name) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  }

  void when(const Instruction& i) {
    const std::uint32_t n = constructs_++;
    const bool otherwise = !i.regions[1].empty();
    branches_ = true;
    line("@!{} bra {}{};", spelled(i.operands[0]), otherwise ? "else" : "end", n);
    body(i.regions[0]);
    if (otherwise) {
      line("bra end{};", n);
      line("else{}:", n);
      body(i.regions[1]);
    }
    line("end{}:", n);
  }

  void loop(const Instruction& i) {
    const std::uint32_t n = constructs_++;
    branches_ = true;
    line("while{}:", n);
    line(".pragma \"nounroll\";");
    body(i.regions[0]);
    line("@!{} bra end{};", spelled(i.operands[0]), n);
    body(i.regions[1]);
    line("bra while{};", n);
    line("end{}:", n);
  }

  void diverge(const Instruction& i) {
    const std::uint32_t n = constructs_++;
    branches_ = true;
    for (std::size_t v = 0; v < i.values.size(); ++v) {
      const bool last = v + 1 == i.values.size();
      const std::string next = last ? fmt::format("end{}", n) : fmt::format("case{}_{}", n, v + 1);
      line("setp.eq.u32 chosen, {}, {};", spelled(i.operands[0]), i.values[v]);
      line("@!chosen bra {};", next);
      body(i.regions[0]);
      if (!last) line("bra end{};", n);
      line("{}:", next);
    }
  }

  // Kept columns are the last of the result's slots.
  void keep(const Instruction& i) {
    const std::size_t slot =
        kernel_.result_slots() - kernel_.keeps.size() + place_in(kernel_.keeps, i.name);
    line("cvt.u64.u32 kept, {};", spelled(i.operands[0]));
    line("st.volatile.global.u64 [$result+{}], kept;", 8 * slot);
  }

  // Executions or loads of which each waits for the one before it.
  void chain(const Instruction& i) {
    const std::uint32_t begin = made_.statements;
    if (is_chase(i.op)) {
      lines(chase(i, constructs_++).lines);
    } else {
      operate(operations_.at(&i).lines);
    }
    made_.chains.push_back({&i, begin, made_.statements});
  }

  void operate(const std::vector<std::string>& executions) {
    for (const std::string& one : executions) {
      if (landings_ > 0 && executed_ > 0 && executed_ % kBlockLines == 0)
        line("landing{}:", executed_ / kBlockLines - 1);
      line("{}", one);
      ++executed_;
    }
  }

  ChaseExpansion chase(const Instruction& i, std::uint32_t number) const {
    const ChaseOperands operands{spelled(i.operands[0]),
                                 spelled(i.operands[1]),
                                 spelled(i.operands[2]),
                                 "$rows",
                                 "$indices",
                                 "$latencies"};
    return expand_chase(kernel_, i, operands, spelled(i.result), chases_.at(&i), number);
  }

  // ---- the sum that the end clock waits for -------------------------------------------------

  std::vector<std::string> loaded() {
    std::vector<std::string> made;
    for (std::uint32_t value : kernel_.timed.back().operands)
      for (const std::string& word : words_of(value)) {
        const bool wide = type(value) == Type::wide;
        if (wide) line("cvt.u32.u64 low_{0}, {0};", word);
        made.push_back(wide ? "low_" + word : word);
      }
    return made;
  }

  void sum() {
    std::string sum;
    if (needs_order(kernel_)) line("mov.u32 order, %clock;"), sum = "order";
    const auto add = [&](const std::string& term) {
      if (sum.empty()) {
        line("mov.u32 out.fold, {};", term);
      } else {
        line("add.u32 out.fold, {}, {};", sum, term);
      }
      sum = "out.fold";
    };
    std::vector<std::string> terms = loaded();
    const std::vector<Addition> partial = partial_sums(kernel_, terms);
    for (const auto& [into, term] : partial) line("add.u32 {0}, {0}, {1};", into, term);
    if (!partial.empty()) terms.resize(1);
    for (const std::string& term : terms) add(term);
    for (const Instruction* i : all_of(kernel_, Op::operate)) {
      lines(operations_.at(i).converts);
      for (const std::string& word : operations_.at(i).words) add(word);
    }
    if (kernel_.clocked()) {
      line("setp.eq.and.u32 hit, out.fold, $never_low, hit;");
    } else {
      line("setp.eq.u32 hit, out.fold, $never_low;");
      line("@hit st.global.u32 [$sink], out.fold;");
    }
  }

  const Kernel& kernel_;
  const SharedWords shared_;
  std::map<const Instruction*, Expansion> operations_;
  std::map<const Instruction*, std::string> chases_;  // Prefix of the names of each.
  std::vector<bool> is_input_;                        // By register.
  std::uint32_t landings_ = 0, executed_ = 0, constructs_ = 0;
  bool branches_ = false;
  ExpectedPtx made_;
};

}  // namespace

ExpectedPtx expected_ptx(const Kernel& kernel) {
  return Derivation(kernel).run();
}

}  // namespace gpx::codegen
