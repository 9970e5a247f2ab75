// Timed region of a body, machine code. Interface: codegen/proof/timed_region_body.h.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "codegen/ir/operation.h"
#include "codegen/ir/region.h"
#include "codegen/ir/warpgroup.h"
#include "codegen/proof/chains.h"
#include "codegen/proof/timed_region_body.h"
#include "lang/lists.h"

namespace gpx::codegen {
namespace {

using Verdict = RegionReport::Verdict;

constexpr std::uint32_t kChaseLoads = 17;  // Of the two loops of codegen/ir/chase.cpp.

/// What the body asks for, each as often as its code holds it.
struct Asked {
  std::vector<WantedChains> chains;
  std::map<std::string_view, std::uint32_t> grid_orders;  ///< By opcode.
  std::uint32_t barriers = 0, cluster_barriers = 0, stamps = 0, shared = 0, accesses = 0;
  bool branches = false, chases = false, each = false, local = false;
};

std::string_view load_opcode(Space space) {
  switch (space) {
    case Space::global:
    case Space::peer: return "LDG...";
    case Space::shared: return "LDS...";
    case Space::local: return "LDL...";
    case Space::texture: return "TEX...|TLD...";
    case Space::constant: return "LDC...";
  }
  return "LDG...";
}

bool is_of_cluster(const Operation& row) {
  return row.name.starts_with("barrier.cluster");
}

/// griddepcontrol: one instruction, which the opcode names.
bool orders_grids(const Operation& row) {
  return row.pipe == "grid";
}

void ask(const Kernel& kernel, const std::vector<Instruction>& list, std::uint32_t copies,
         Asked& asked) {
  for (const Instruction& i : list) {
    const std::uint32_t inner =
        i.op == Op::diverge ? copies * static_cast<std::uint32_t>(i.values.size()) : copies;
    asked.branches = asked.branches || !i.regions.empty();
    for (const auto& region : i.regions) ask(kernel, region, inner, asked);
    if (info(i.op).bytes > 0) asked.accesses += copies;
    if (i.op == Op::sync || i.op == Op::sync_div) asked.barriers += copies;
    if (is_cluster_barrier(i.op)) asked.cluster_barriers += copies;
    if (i.op == Op::stamp) asked.stamps += copies;
    if (i.op == Op::ld_shared || i.op == Op::st_shared) asked.shared += copies;
    if (i.op == Op::operate) {
      const Operation& row = operation_of(i);
      if (orders_grids(row)) {
        asked.grid_orders[row.sass] += copies * i.count;
      } else if (row.type == "none") {
        (is_of_cluster(row) ? asked.cluster_barriers : asked.barriers) += copies * i.count;
      } else {
        // Copies in the branches of a `diverge` go on with the same chain.
        asked.chains.push_back(
            {row.name, row.sass, i.streams, copies * i.count / i.streams, i.source});
      }
    }
    if (!is_chase(i.op)) continue;
    const Space space = kernel.find_array(i.name)->space;
    asked.chases = asked.branches = true;
    asked.local = asked.local || space == Space::local;
    asked.each = kernel.each.has_value();
    const std::string_view opcode = is_on_rank(kernel, i) ? "LD..." : load_opcode(space);
    asked.chains.push_back({"load", opcode, copies, asked.each ? 1 : kChaseLoads});
  }
}

class SassBodyChecker {
 public:
  SassBodyChecker(const Kernel& kernel, std::string_view sass)
      : kernel_(kernel), lines_(parse_machine_code(sass)) {
    ask(kernel, kernel.timed, 1, asked_);
  }

  RegionReport run() {
    if (find() && no_spill() && warpgroups() && copies() && infer() && chains() && counts() &&
        contents() && barriers() && nothing_else() && statements())
      conclude();
    return std::move(report_);
  }

 private:
  template <typename... Args>
  bool refuse(fmt::format_string<Args...> text, Args&&... args) {
    return end(Verdict::refused, fmt::format(text, std::forward<Args>(args)...));
  }
  template <typename... Args>
  bool doubt(fmt::format_string<Args...> text, Args&&... args) {
    return end(Verdict::unverified, fmt::format(text, std::forward<Args>(args)...));
  }
  bool end(Verdict verdict, const std::string& reason) {
    report_.verdict = verdict;
    report_.reason = "machine code: " + reason;
    return false;
  }

  // Between the two reads of the 64-bit clock; stamps read the one of 32 bits. Where the kernel
  // reports neither, the assembler drops them: then between the barriers that stand beside them.
  bool find() {
    if (lines_.empty()) return refuse("there is none");
    if (!kernel_.clocked())
      return doubt("a body that is timed by the grid's time is not looked at");
    std::vector<std::size_t> clocks, barriers;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (reads_clock64(lines_[i])) clocks.push_back(i);
      if (is_barrier(lines_[i])) barriers.push_back(i);
    }
    const bool latency = traits_of(kernel_.observe).result_slots() > 0;  // The end clock is kept.
    if (latency ? clocks.size() != 2 : clocks.size() > 1)
      return refuse("{} reads of the 64-bit clock", clocks.size());
    if (barriers.size() < 2) return refuse("{} barriers", barriers.size());
    begin_ = clocks.empty() ? barriers.front() + 1 : clocks.front() + 1;
    std::size_t end = latency ? clocks.back() : barriers.back() + 1;
    if (!latency && !kernel_.beside.empty()) {
      const std::optional<std::size_t> own = end_beside(barriers);
      if (!own) return refuse("fewer barriers behind the start than the body has");
      end = *own;
    }
    if (begin_ > end) return refuse("the start clock is read after the last barrier");
    region_ = std::span(lines_).subspan(begin_, end - begin_);
    for (const MachineLine& line : region_) report_.listing += fmt::format("{}\n", line.text);
    return true;
  }

  // Neighbours have barriers of their own: behind the body's last one nothing is its.
  std::optional<std::size_t> end_beside(const std::vector<std::size_t>& barriers) const {
    const auto own = std::lower_bound(barriers.begin(), barriers.end(), begin_);
    if (barriers.end() - own <= static_cast<std::ptrdiff_t>(asked_.barriers)) return std::nullopt;
    return own[static_cast<std::ptrdiff_t>(asked_.barriers)] + 1;
  }

  bool no_spill() {
    for (const MachineLine& line : region_)
      if (line.base() == "STL" || (line.base() == "LDL" && !asked_.local))
        return refuse("registers are spilled to memory ('{}')", line.text);
    return true;
  }

  std::uint32_t count(bool (*of)(const MachineLine&)) const {
    return static_cast<std::uint32_t>(std::count_if(region_.begin(), region_.end(), of));
  }

  bool infer() {
    for (WantedChains& wanted : asked_.chains) {
      if (wanted.sass != kUnknownOpcodes) continue;
      const auto control = std::find_if(region_.begin(), region_.end(), is_control);
      if (control != region_.end())
        return doubt("which instructions are {} cannot be decided with '{}'", wanted.operation,
                     control->text);
      inferred_ = infer_opcodes(region_, asked_.chains);
      if (inferred_.empty())
        return doubt("which instructions are an execution of {} is not known", wanted.operation);
      wanted.sass = inferred_;
    }
    return true;
  }

  // A branch makes an order of execution that is not the listing's: there a chain that cannot be
  // followed is no proof against it. Nor is it where an operation calls a subroutine.
  bool chains() {
    const bool open = std::any_of(asked_.chains.begin(), asked_.chains.end(),
                                  [](const auto& wanted) { return is_open(wanted.sass); });
    const auto control = std::find_if(
        region_.begin(), region_.end(),
        [this](const MachineLine& line) { return is_control(line) && !contains(again_, &line); });
    if (control != region_.end() && !asked_.branches) {
      if (open) return doubt("an operation has branches of its own ('{}')", control->text);
      return refuse("'{}' branches", control->text);
    }
    if (asked_.chains.empty()) return true;
    found_ = check_chains(region_, asked_.chains);
    if (!found_.refusal) {
      if (!found_.reach_sink && !asked_.branches)
        return refuse("the end clock does not wait for every chain's end");
      return true;
    }
    if (asked_.branches) return doubt("{}", *found_.refusal);
    return refuse("{}", *found_.refusal);
  }

  bool counts() {
    const std::uint32_t barriers = asked_.barriers + 1;
    if (count(is_barrier) != barriers)
      return differ("{} barriers instead of {}", count(is_barrier), barriers);
    if (count(is_cluster_barrier) != asked_.cluster_barriers)
      return differ("{} barriers of the cluster instead of {}", count(is_cluster_barrier),
                    asked_.cluster_barriers);
    for (const auto& [opcode, times] : asked_.grid_orders) {
      const auto found = std::ranges::count(region_, opcode, &MachineLine::base);
      if (found != times) return differ("{} of {} instructions {}", found, times, opcode);
    }
    const auto stamps = static_cast<std::uint32_t>(std::count_if(
        region_.begin(), region_.end(),
        [this](const MachineLine& line) { return reads_clock(line) && !is_execution(line); }));
    const std::uint32_t wanted =
        asked_.stamps + (asked_.each ? 2 : 0) + (needs_order(kernel_) ? 1 : 0);
    if (stamps != wanted) return differ("{} reads of the clock instead of {}", stamps, wanted);
    return true;
  }

  template <typename... Args>
  bool differ(fmt::format_string<Args...> text, Args&&... args) {
    const std::string reason = fmt::format(text, std::forward<Args>(args)...);
    return asked_.branches ? doubt("{}", reason) : refuse("{}", reason);
  }

  // An assembler that cannot tell who writes a sum has each product waited for (ptxas says C7510 or
  // the like); then a chain is none.
  bool warpgroups() {
    const std::string wanted = warpgroup_steps(kernel_);
    std::size_t found = 0;
    for (const MachineLine& line : region_) {
      const bool product = is_warpgroup_product(line);
      if (!product && !is_warpgroup_step(line)) continue;
      const WarpgroupStep step = product               ? WarpgroupStep::product
                                 : line.has(".ARRIVE") ? WarpgroupStep::arrive
                                                       : WarpgroupStep::wait;
      if (found == wanted.size() || wanted[found] != static_cast<char>(step))
        return refuse("'{}' where none was requested: the assembler serialized the products",
                      line.text);
      ++found;
    }
    if (found != wanted.size())
      return refuse("{} of {} products, fences and waits of a warpgroup", found, wanted.size());
    return true;
  }

  // Statement by statement, what each copy and each wait is made of.
  static std::string copy_steps(const Kernel& kernel) {
    std::string steps;
    const auto add = [&](std::initializer_list<CopyStep> all) {
      for (const CopyStep step : all) steps += static_cast<char>(step);
    };
    const auto tensor = [&](const Instruction& i, CopyStep of_two) {
      add({tensor_step(of_two, i.box.size() - 1)});
    };
    for (const Instruction& i : kernel.timed) {
      const bool bypasses = i.cache == CacheOp::cg;
      if (i.op == Op::copy_b32) add({CopyStep::copy_b32});
      if (i.op == Op::copy_b64) add({CopyStep::copy_b64});
      if (i.op == Op::copy_b128) add({bypasses ? CopyStep::copy_b128_cg : CopyStep::copy_b128});
      if (i.op == Op::copy_wait) add({CopyStep::group, CopyStep::wait});
      if (i.op == Op::bulk_expect) add({CopyStep::expect});
      if (i.op == Op::bulk_load) add({CopyStep::bulk_load});
      if (i.op == Op::bulk_wait) add({CopyStep::phase});
      if (i.op == Op::bulk_store) add({CopyStep::bulk_store});
      if (i.op == Op::tensor_load) tensor(i, CopyStep::tensor_load);
      if (i.op == Op::tensor_store) tensor(i, CopyStep::tensor_store);
      if (i.op == Op::bulk_group) add({CopyStep::flush, CopyStep::wait});
    }
    return steps;
  }

  // All steps, in their order; and each test of a phase is asked again until it is over: by a
  // branch behind it, which leads back to it or to another test behind the kernel's end.
  bool copies() {
    const std::string wanted = copy_steps(kernel_);
    if (wanted.empty()) return true;
    std::size_t found = 0, asked = 0, waits = 0;
    std::string_view tested;
    for (std::size_t i = 0; i < region_.size(); ++i) {
      const MachineLine& line = region_[i];
      const auto step = is_execution(line) ? std::nullopt : copy_step(line);
      if (step) {
        if (found == wanted.size() || wanted[found] != static_cast<char>(*step))
          return refuse("'{}' where no such step of a copy was requested", line.text);
        ++found;
        last_copy_ = i;
      }
      if (step == CopyStep::phase) ++asked, tested = line.operands.front();
      if (!is_control(line) || asked_.branches) continue;
      if (tested.empty() || line.base() != "BRA" || line.guard != fmt::format("@!{}", tested))
        return refuse("'{}' branches", line.text);
      tested = {};
      ++waits;
      again_.push_back(&line);
    }
    if (found != wanted.size())
      return refuse("{} of {} steps of asynchronous copies", found, wanted.size());
    if (asked_.branches) return doubt("copies next to branches are not followed");
    if (waits != asked) return refuse("{} of {} tests of a phase are repeated", waits, asked);
    return asks_again(asked);
  }

  // Behind the last EXIT there is nothing but the further tests.
  bool asks_again(std::size_t most) {
    std::size_t end = lines_.size(), tests = 0;
    while (end > 0 && lines_[end - 1].base() != "EXIT") --end;
    for (std::size_t i = end; i < lines_.size(); ++i) {
      const MachineLine& line = lines_[i];
      const bool test = copy_step(line) == CopyStep::phase;
      tests += test ? 1 : 0;
      if (!test && line.base() != "BRA" && line.base() != "NOP")
        return doubt("'{}' stands behind the kernel's end", line.text);
    }
    return tests == 0 || tests == most || refuse("{} further tests of {} phases", tests, most);
  }

  bool is_execution(const MachineLine& line) const {
    return std::any_of(asked_.chains.begin(), asked_.chains.end(),
                       [&](const WantedChains& wanted) { return names_opcode(wanted.sass, line); });
  }

  bool contents() {
    const bool memory =
        asked_.accesses > 0 || asked_.shared > 0 || asked_.chases || !kernel_.keeps.empty();
    for (const MachineLine& line : region_) {
      const bool sink = !line.guard.empty() && line.base() == "STG";
      const bool access = is_memory(line);
      if (is_execution(line) || is_barrier(line) || is_arithmetic(line) || sink) continue;
      if (is_warpgroup_step(line)) continue;  // warpgroups() counts them.
      if (has_copies(kernel_) && (copy_step(line) || line.base() == "CCTL" || line.idles()))
        continue;  // copies()
      if (contains(again_, &line)) continue;
      if (access && memory) continue;
      if (asked_.grid_orders.contains(line.base())) continue;  // counts()
      if (is_of_cluster_barrier(line) && asked_.cluster_barriers > 0) continue;
      if (is_control(line) && asked_.branches) continue;
      return refuse("'{}' has no reason to be timed", line.text);
    }
    return true;
  }

  bool barriers() {
    std::size_t before = begin_ - 1;
    while (before > 0 && !is_barrier(lines_[before])) --before;
    if (!is_barrier(lines_[before])) return refuse("no barrier before the start clock");
    std::size_t after = region_.size();
    while (after > 0 && !is_barrier(region_[after - 1])) --after;
    const std::size_t last =
        std::max({found_.last, found_.reach_sink ? found_.sink : 0, last_copy_});
    if (after == 0 || (!asked_.branches && after - 1 < last))
      return refuse("no barrier between the last result and the end clock");
    return true;
  }

  // "ISETP.NE.U32.AND P0, PT, RZ, UR6, PT" of the loop of rehearsals: the assembler may put it
  // there.
  std::uint32_t pass_comparisons() const {
    const auto counts = [](const MachineLine& line) {
      return line.base() == "ISETP" && line.has(".NE") && line.operands.size() > 3 &&
             (line.operands[2] == "RZ" || line.operands[3] == "RZ");
    };
    return kernel_.rehearses() && std::ranges::any_of(region_, counts) ? 1 : 0;
  }

  // What the compiler made of the additions and the comparison behind the operations.
  bool nothing_else() {
    if (asked_.branches || asked_.chains.empty()) return true;
    if (found_.excess) return doubt("{}", *found_.excess);
    for (const WantedChains& wanted : asked_.chains)
      if (is_open(wanted.sass)) return true;
    std::size_t words = 0;
    for (const Instruction& i : kernel_.timed) {
      if (i.op == Op::await) continue;
      if (i.op != Op::operate) return true;
      words += expand(operation_of(i), i.streams, i.streams, "").words.size();
    }
    if (found_.additions + 1 != words)
      return doubt("{} additions of results instead of {}", found_.additions, words - 1);
    if (found_.comparisons != 1 && found_.comparisons != 1 + pass_comparisons())
      return doubt("{} comparisons behind the last result", found_.comparisons);
    return true;
  }

  // What a statement asks of the machine code between its two reads of the clock.
  struct Part {
    std::uint32_t accesses = 0, executions = 0, barriers = 0;
    bool operator==(const Part&) const = default;
  };

  std::vector<Part> wanted_parts() const {
    std::vector<Part> parts(1);
    for (const Instruction& i : kernel_.timed) {
      if (i.op == Op::stamp) parts.emplace_back();
      Part& part = parts.back();
      const bool barrier = i.op == Op::operate && operation_of(i).type == "none";
      if (is_cluster_barrier(i.op)) ++part.barriers;
      if (info(i.op).bytes > 0 || i.op == Op::st_shared) ++part.accesses;
      if (i.op == Op::operate) (barrier ? part.barriers : part.executions) += i.count;
      if (i.op == Op::sync) ++part.barriers;
    }
    return parts;
  }

  std::vector<Part> found_parts(std::size_t most) const {
    std::vector<Part> parts(1);
    for (const MachineLine& line : region_) {
      const bool access = is_memory(line);
      if (is_execution(line)) {
        ++parts.back().executions;
      } else if (reads_clock(line)) {
        if (parts.size() < most) parts.emplace_back();
      } else if (is_barrier(line) || is_cluster_barrier(line) ||
                 asked_.grid_orders.contains(line.base())) {
        ++parts.back().barriers;
      } else if (access && line.guard.empty()) {
        ++parts.back().accesses;
      }
    }
    return parts;
  }

  // The sum may stand behind the last read, and what starts the chains before the first.
  bool statements() {
    if (!traits_of(kernel_.observe).has_key(Extent::statements)) return true;
    const std::vector<Part> wanted = wanted_parts(), found = found_parts(wanted.size());
    for (std::size_t i = 1; i + 1 < wanted.size(); ++i)
      if (i >= found.size() || found[i] != wanted[i])
        return doubt("statement {} does not stand between its two reads of the clock", i - 1);
    return true;
  }

  void conclude() {
    if (const MachineLine* repeated = find_repeated(region_)) {
      doubt("'{}' stands there twice", repeated->text);
      return;
    }
    if (found_.elsewhere) {
      doubt("{}", *found_.elsewhere);
      return;
    }
    if (!found_.among.empty() && !asked_.branches) {
      doubt("{} among the operations", found_.among);
      return;
    }
    report_.verdict = Verdict::verified;
    report_.reason = "machine code:";
    for (const WantedChains& wanted : asked_.chains)
      report_.reason += fmt::format(" {} x {} in {} chain{},", wanted.operation,
                                    wanted.streams * wanted.executions, wanted.streams,
                                    wanted.streams == 1 ? "" : "s");
    if (!inferred_.empty()) report_.reason += fmt::format(" by {},", inferred_);
    if (const std::string steps = copy_steps(kernel_); !steps.empty())
      report_.reason += fmt::format(" {} steps of asynchronous copies,", steps.size());
    report_.reason += fmt::format(" {} instructions in all", region_.size());
  }

  const Kernel& kernel_;
  std::vector<MachineLine> lines_;
  std::span<const MachineLine> region_;
  std::size_t begin_ = 0;
  Asked asked_;
  std::string inferred_;
  ChainReport found_;
  std::size_t last_copy_ = 0;              // In the region.
  std::vector<const MachineLine*> again_;  // Branches that ask for a phase again.
  RegionReport report_;
};

}  // namespace

RegionReport check_sass_body(const Kernel& kernel, std::string_view sass) {
  return SassBodyChecker(kernel, sass).run();
}

}  // namespace gpx::codegen
