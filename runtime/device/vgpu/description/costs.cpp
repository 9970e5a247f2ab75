// From an instruction and a device to what issue needs. Interface: costs.h.
// Covered by tests/vgpu/virtual_test.cpp ("what instructions cost").
#include "runtime/device/vgpu/description/costs.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "codegen/ptx/ops.h"
#include "codegen/ptx/warpgroup.h"
#include "lang/assert.h"
#include "lang/lists.h"
#include "runtime/device/vgpu/exec/decode.h"

namespace gpx::vgpu::timing {
namespace {

using ptx::Unit;

struct UnitName {
  Unit unit;
  std::string_view name;
  bool optional = false;  ///< There are GPUs without.
};
constexpr UnitName kUnitNames[] = {
    {Unit::alu, "alu"},       {Unit::fp64, "fp64"}, {Unit::sfu, "sfu"},
    {Unit::branch, "branch"}, {Unit::warp, "warp"}, {Unit::tensor, "tensor", true},
};
// Their costs have sections of their own.
constexpr UnitName kOtherUnits[] = {
    {Unit::none, "none"},         {Unit::load_store, "load_store"}, {Unit::texture, "texture"},
    {Unit::barrier, "barrier"},   {Unit::fence, "fence"},           {Unit::clock, "clock"},
    {Unit::wgmma, "wgmma"},       {Unit::async_copy, "async_copy"}, {Unit::bulk_copy, "bulk_copy"},
    {Unit::mbarrier, "mbarrier"},
};

constexpr std::string_view kRoundings[] = {"", "rn", "rz", "rm", "rp"};

std::string join(std::string_view name, std::string_view word) {
  return word.empty() ? std::string(name) : std::string(name) + "." + std::string(word);
}

bool is_atomic(std::string_view name) {
  return name.starts_with("atom.") || name.starts_with("red.");
}

/// "atom.add" in shared memory is "atom.shared.add".
std::string in_space(std::string_view name, std::string_view space) {
  const std::size_t dot = name.find('.');
  return join(join(name.substr(0, dot), space), name.substr(dot + 1));
}

/// The keys under which a device file may have the instruction's costs, the most specific first.
std::vector<std::string> keys_of(const ptx::Instruction& instruction) {
  const std::string type = join(ptx::name_of(instruction.type), ptx::name_of(instruction.type2));
  const auto rounding = static_cast<std::size_t>(ptx::modifiers_of(instruction).rounding());
  const std::string name(instruction.name);
  std::vector<std::string> keys;
  if (is_atomic(name) && instruction.space == ptx::Space::shared)
    keys.push_back(join(in_space(name, "shared"), type));
  if (rounding != 0 && rounding < std::size(kRoundings))
    keys.push_back(join(join(name, kRoundings[rounding]), type));
  keys.push_back(join(name, type));
  keys.push_back(name);
  return keys;
}

OpCost op_cost(const ptx::Instruction& instruction, const Description& device, bool& by_name) {
  for (const std::string& key : keys_of(instruction))
    if (const auto found = device.ops.find(key); found != device.ops.end()) {
      by_name = true;
      return found->second;
    }
  for (const UnitName& row : kUnitNames) {
    if (row.unit != instruction.unit) continue;
    if (const auto found = device.ops.find(std::string(row.name)); found != device.ops.end())
      return found->second;
  }
  return {1, 1};
}

bool reaches_l2_alone(ptx::OpId id) {
  switch (id) {
    case ptx::OpId::prefetch_l2:
    case ptx::OpId::prefetch_l2_last:
    case ptx::OpId::prefetch_l2_normal:
    case ptx::OpId::apply_priority:
    case ptx::OpId::discard: return true;
    default: return false;
  }
}

/// Fermi's and Kepler's default caches in L1; .cg and .cs name L2, .cv and volatile fetch again.
bool bypasses_l1(const ptx::Instruction& instruction) {
  if (reaches_l2_alone(ptx::id_of(instruction))) return true;
  const ptx::Modifiers modifiers = ptx::modifiers_of(instruction);
  switch (modifiers.cache()) {
    case ptx::Cache::cg:
    case ptx::Cache::cs:
    case ptx::Cache::cv: return true;
    default: return (modifiers.bits & ptx::Modifiers::kVolatile) != 0;
  }
}

Cost::Kind kind_of_async_copy(ptx::OpId id) {
  if (id == ptx::OpId::cp_async) return Cost::Kind::memory;
  return id == ptx::OpId::cp_async_wait ? Cost::Kind::fence : Cost::Kind::async_copy;
}

Cost::Step step_of_async_copy(ptx::OpId id) {
  if (id == ptx::OpId::cp_async_commit) return Cost::Step::commit;
  return id == ptx::OpId::cp_async_wait_group ? Cost::Step::wait : Cost::Step::arrive;
}

Cost::Kind kind_of(const ptx::Instruction& instruction) {
  if (instruction.folds || instruction.unit == Unit::none) return Cost::Kind::folded;
  if (ptx::id_of(instruction) == ptx::OpId::cluster_arrive) return Cost::Kind::fence;
  if (ptx::id_of(instruction) == ptx::OpId::nanosleep) return Cost::Kind::sleep;
  switch (instruction.unit) {
    case Unit::load_store:
    case Unit::texture:
      // Parameters are constant operands of the machine's instructions.
      return instruction.space == ptx::Space::param ? Cost::Kind::folded : Cost::Kind::memory;
    case Unit::branch: return Cost::Kind::branch;
    case Unit::fence: return Cost::Kind::fence;
    case Unit::clock: return Cost::Kind::clock;
    case Unit::wgmma: return Cost::Kind::warpgroup;
    case Unit::async_copy: return kind_of_async_copy(ptx::id_of(instruction));
    case Unit::bulk_copy: return Cost::Kind::bulk;
    case Unit::mbarrier: return Cost::Kind::mbarrier;
    default: return Cost::Kind::fixed;
  }
}

/// Lanes are matched value by value: the cost of the instruction is that of 32 different ones, and
/// one value takes what a match.all does (docs/results/h200/warp_values.csv: 11 clocks of latency
/// and two of the unit for each value).
void cost_match(const std::string& any, const std::string& all, const Description& device,
                Cost& cost) {
  const auto most = device.ops.find(any), least = device.ops.find(all);
  const bool known = most != device.ops.end() && least != device.ops.end();
  cost.kind = known ? Cost::Kind::match : Cost::Kind::fixed;
  if (!known) return;
  cost.value = whole((most->second.latency - least->second.latency) / (exec::kWarpSize - 1));
  cost.interval /= exec::kWarpSize;
}

// The tensor cores take a time by N, and no product is done before its tiles have been read: 32
// bytes of each row of A (64) and B (N), of a sparse product's B 64.
void cost_warpgroup(const ptx::Instruction& instruction, const Description& device, Cost& cost) {
  cost.interval = 1;
  cost.latency = 1;
  const ptx::OpId id = ptx::id_of(instruction);
  if (id == ptx::OpId::wgmma_commit) cost.step = Cost::Step::commit;
  if (id == ptx::OpId::wgmma_wait) cost.step = Cost::Step::wait;
  const auto form = ptx::warpgroup_form(instruction);
  if (!form || !device.wgmma) return;
  cost.step = Cost::Step::product;
  constexpr double kRowBytes = 32, kRows = 64;
  const bool shared_a =
      instruction.operands[ptx::WarpgroupOperands::kA].kind != ptx::Operand::Kind::vector;
  const double bytes =
      form->n * kRowBytes * (form->sparse ? 2 : 1) + (shared_a ? kRows * kRowBytes : 0);
  const Description::Warpgroup& w = *device.wgmma;
  const double columns = w.column * form->n + (form->sparse ? w.sparse : 0);
  cost.product =
      std::max({columns, w.least, bytes / w.shared_bandwidth + (form->sparse ? w.sparse : 0)});
  cost.completion = columns + std::max(w.latency, w.sums + w.sums_column * form->n) +
                    (shared_a ? w.shared_latency : 0);
}

/// Seen on an H100 and an H200: what L1 held is fetched anew behind a fence of more than the block.
/// The PTX memory model begins with Volta: L1 is not coherent, so that an acquire empties it.
bool empties_l1(const ptx::Instruction& instruction, const Description& device) {
  const auto op = ptx::id_of(instruction);
  if (op != ptx::OpId::fence && op != ptx::OpId::membar) return false;
  const ptx::Scope scope = ptx::modifiers_of(instruction).scope();
  return scope != ptx::Scope::none && scope != ptx::Scope::cta &&
         std::atoi(device.compute_capability.c_str()) >= 7;
}

// Among the partitions of an SM; what goes to memory or between lanes is one for all.
bool is_divided(Unit unit) {
  return unit == Unit::alu || unit == Unit::fp64 || unit == Unit::sfu || unit == Unit::tensor;
}

bool leaves_partition(Unit unit) {
  return !is_divided(unit) && unit != Unit::branch && unit != Unit::clock && unit != Unit::none;
}

/// The same of machine code. What computes special functions is reached as memory is.
bool leaves_partition(exec::sass::Unit unit) {
  using exec::sass::Unit;
  return unit == Unit::xu || unit == Unit::memory || unit == Unit::sync || unit == Unit::shuffle ||
         unit == Unit::special || unit == Unit::vote || unit == Unit::constant ||
         unit == Unit::meeting;
}

/// 32-bit registers that it reads, those of its sources that are no predicates. Registers that the
/// instruction before it reads too are at hand, unless it waits for that one's result.
unsigned words_read(const ptx::Instruction& instruction, const ptx::Instruction* before) {
  const auto in = [](const std::vector<std::uint16_t>& all, std::uint16_t each) {
    return contains(all, each);
  };
  const bool waits = before && std::ranges::any_of(instruction.reads, [&](std::uint16_t each) {
                       return in(before->writes, each);
                     });
  const ptx::Type type =
      instruction.type2 != ptx::Type::none ? instruction.type2 : instruction.type;
  const unsigned words = ptx::bytes_of(type) > 4 ? 2 : 1;
  unsigned count = 0;
  for (std::size_t i = 1; i < instruction.operands.size(); ++i) {
    const ptx::Operand& operand = instruction.operands[i];
    if (operand.kind != ptx::Operand::Kind::reg) continue;
    const bool at_hand = before && !waits && in(before->reads, operand.index);
    if (!at_hand) count += words;
  }
  return count;
}

/// What the assembler makes one instruction of, unless a rounding mode forbids it: a product that
/// the next instruction adds to something.
bool contracts(const ptx::Instruction& product, const ptx::Instruction& sum) {
  const auto is = [](const ptx::Instruction& each, std::string_view name) {
    return each.name == name && ptx::modifiers_of(each).rounding() == ptx::Rounding::none &&
           (each.type == ptx::Type::f32 || each.type == ptx::Type::f64);
  };
  return is(product, "mul") && (is(sum, "add") || is(sum, "sub")) && product.type == sum.type &&
         product.writes.size() == 1 && contains(sum.reads, product.writes[0]);
}

/// What comes back from shared memory passes word by word.
double returned_of(const Description& device, std::size_t words) {
  const double word = device.shared.returned < 0 ? device.lsu.issue : device.shared.returned;
  return word * static_cast<double>(words);
}

/// A store takes the SM as long as its first request does.
bool takes_sm(const ptx::Instruction& instruction, const Description& device, const Cost& cost) {
  return cost.kind == Cost::Kind::memory && cost.unit != Unit::async_copy && !cost.is_load &&
         (instruction.space == ptx::Space::global || instruction.space == ptx::Space::none) &&
         device.store_buffer && device.store_buffer->line > 0;
}
double interval_of_store(const Description& device) {
  return device.store_buffer->interval + device.store_buffer->line;
}

/// Memory instructions of a partition's warps go through one queue to the load/store unit.
void cost_issue(const ptx::Instruction& instruction, const Description& device, Cost& cost) {
  const bool copies = cost.unit == Unit::async_copy;
  const bool goes = copies || instruction.space == ptx::Space::global ||
                    instruction.space == ptx::Space::shared ||
                    instruction.space == ptx::Space::none;
  double issue = device.lsu.issue;
  if (copies && device.async_copy && device.async_copy->interval > 0)
    issue = device.async_copy->interval;
  else if (!cost.is_load && instruction.space != ptx::Space::shared && device.lsu.issue_store > 0)
    issue = device.lsu.issue_store;
  if (cost.is_load && instruction.space == ptx::Space::shared)
    issue = std::max(issue, returned_of(device, std::max<std::size_t>(
                                                    1, instruction.writes.size() *
                                                           ptx::bytes_of(instruction.type) / 4)));
  if (!goes || issue == 0) return;
  if (takes_sm(instruction, device, cost)) {
    cost.interval = interval_of_store(device);
    return;
  }
  cost.divided = true;
  cost.interval = issue / device.sm.partitions;
}

/// `before`: what stands before it; nullptr: nothing.
Cost cost_of(const ptx::Instruction& instruction, const Description& device,
             const ptx::Instruction* before) {
  Cost cost;
  cost.kind = kind_of(instruction);
  cost.unit = instruction.unit;
  cost.slot = cost.other_slot = static_cast<unsigned>(cost.unit);
  cost.gaps = cost.kind == Cost::Kind::fixed || cost.kind == Cost::Kind::branch;
  cost.divided = is_divided(cost.unit);
  cost.leaves = leaves_partition(cost.unit);
  const OpCost op = op_cost(instruction, device, cost.by_name);
  cost.latency = std::max<Clk>(1, whole(op.latency));
  cost.interval = op.interval;
  if (ptx::id_of(instruction) == ptx::OpId::match_any && instruction.type == ptx::Type::b32)
    cost_match("match.any.sync.b32", "match.all.sync.b32", device, cost);
  switch (cost.kind) {
    case Cost::Kind::memory:
      cost.is_load = !instruction.writes.empty();
      cost.bypass_l1 = bypasses_l1(instruction);
      if (!cost.by_name) cost.interval = 1;
      cost_issue(instruction, device, cost);
      break;
    case Cost::Kind::fixed:
      if (device.sm.operand_reads > 0 && cost.divided && cost.unit != Unit::tensor)
        cost.operands = std::ceil(words_read(instruction, before) / device.sm.operand_reads);
      break;
    case Cost::Kind::fence:
      cost.latency = 1;
      cost.empties_l1 = empties_l1(instruction, device);
      if (cost.unit == Unit::async_copy && device.async_copy)
        cost.latency = std::max<Clk>(1, whole(device.async_copy->extra));
      break;
    case Cost::Kind::bulk:
      cost.interval = 1;
      if (instruction.name.starts_with("cp.async.bulk.wait_group")) cost.step = Cost::Step::wait;
      if (instruction.name == "cp.async.bulk.commit_group") cost.step = Cost::Step::commit;
      break;
    case Cost::Kind::async_copy:
      cost.interval = 1;
      cost.step = step_of_async_copy(ptx::id_of(instruction));
      cost.latency = 1;
      if (device.async_copy) cost.latency = std::max<Clk>(1, whole(device.async_copy->extra));
      break;
    case Cost::Kind::mbarrier:
      cost.interval = 1;
      if (device.mbarrier)
        cost.latency = whole(instruction.name.find("_wait") != instruction.name.npos
                                 ? device.mbarrier->test
                                 : device.mbarrier->arrive);
      break;
    case Cost::Kind::warpgroup: cost_warpgroup(instruction, device, cost); break;
    case Cost::Kind::clock:
      cost.latency = std::max<Clk>(1, whole(device.clock_register.cost));
      cost.interval = 1;
      break;
    default: break;
  }
  return cost;
}

/// Clocks behind a store of matrices after which its partition begins the next access to shared
/// memory; 0: it is no such store.
double matrices_stored(const exec::sass::Pipe& pipe, const Description& device) {
  if (!pipe.row.starts_with("sass.memory.store")) return 0;
  const auto row = device.ops.find(std::string(pipe.row));
  return row == device.ops.end() ? 0 : row->second.latency;
}

/// An access of machine code takes its partition for each register that it reads. A store that only
/// waits for its turn does not hold its warp; without `lsu.registers` it takes the SM.
void cost_access(const ptx::Instruction& instruction, const exec::sass::Issue& issue,
                 const Description& device, const exec::sass::Pipe& pipe, Cost& cost) {
  const bool stores = takes_sm(instruction, device, cost);
  const bool shared = instruction.space == ptx::Space::shared;
  if (shared && !pipe.access)
    cost.returned = std::max(returned_of(device, issue.words), matrices_stored(pipe, device));
  if (device.lsu.registers > 0) {
    const double clocks = device.lsu.registers * issue.read;
    cost.interval_of_none = cost.interval;
    if (pipe.divided) cost.interval = std::max(cost.interval, clocks / device.sm.partitions);
    if (stores) cost.store = interval_of_store(device);
    // All registers but that of the address are handed over, one after another.
    if (shared)
      cost.store = std::max(0.0, device.shared.busy) * std::max<double>(1, issue.read - 1.0);
    cost.queues = pipe.divided && !cost.is_load && cost.unit != Unit::async_copy;
    cost.read = std::max<Clk>(1, whole(clocks + device.lsu.read));
    cost.sources = issue.sources;
  } else if (stores) {
    cost.divided = false;
    cost.interval = std::max(cost.interval, interval_of_store(device));
  }
}

/// When what machine code computes is there, and when its warp goes on.
void cost_result(const exec::sass::Pipe& pipe, const OpCost& op, Cost& cost) {
  const bool fixed = cost.kind == Cost::Kind::fixed || cost.kind == Cost::Kind::branch ||
                     cost.kind == Cost::Kind::match;
  cost.by_name = pipe.access;
  if (fixed || pipe.access) cost.latency = std::max<Clk>(1, whole(op.latency));
  if (pipe.unit == exec::sass::Unit::constant) cost.constant = whole(op.latency);
  if (pipe.holds) cost.stall = std::max(cost.stall, cost.latency);
  if (pipe.holds_others > 0) {
    using exec::sass::Unit;
    cost.held = {kUnits + static_cast<unsigned>(Unit::alu),
                 kUnits + static_cast<unsigned>(Unit::light)};
    cost.holds = pipe.holds_others;
    cost.stall += pipe.holds_others;
  }
  if (cost.kind == Cost::Kind::branch) cost.latency = std::max(cost.latency, cost.stall);
  if (cost.kind == Cost::Kind::clock)
    cost.latency = pipe.unit == exec::sass::Unit::special ? whole(op.latency) : cost.stall;
}

/// Of a row that the device file lacks, the cost of the row whose name it continues.
OpCost pipe_cost(std::string_view row, const Description& device) {
  for (;; row = row.substr(0, row.rfind('.'))) {
    if (const auto found = device.ops.find(std::string(row)); found != device.ops.end())
      return found->second;
    if (row.find('.') == row.npos) return {1, 1};
  }
}

/// Lanes that ask for the phase arrive at an mbarrier one after another, as those of the measured
/// operation do. That the others arrive at once is assumed: no operation without a phase was
/// measured, and pipelines of roles on an H200 show no cost by lanes.
void cost_arrivals(const ptx::Instruction& instruction, const exec::sass::Issue& issue,
                   const Description& device, Cost& cost) {
  if (issue.words == 0) return;
  const auto lane = device.ops.find(std::string(exec::sass::kFurtherArrival));
  if (lane == device.ops.end() || instruction.name.find("arrive") == instruction.name.npos) return;
  cost.value = whole(lane->second.latency);
  cost.lane = lane->second.interval;
}

/// Machine code: the assembler says when the next instruction may issue, the pipe how long it is
/// taken and when a result is there that the scoreboards protect.
void cost_machine_code(const ptx::Instruction& instruction, const exec::sass::Issue& issue,
                       const Description& device, Cost& cost) {
  constexpr double kBanks = 2;
  const exec::sass::Pipe& pipe = exec::sass::pipes()[issue.pipe];
  const auto slot = [](exec::sass::Unit unit) { return kUnits + static_cast<unsigned>(unit); };
  cost.slot = slot(pipe.unit);
  cost.other_slot = slot(pipe.other);
  cost.assembled = true;
  cost.stall = std::max<Clk>(1, issue.stall);
  cost.gaps = cost.by_name = false;
  cost.divided = pipe.divided;
  cost.leaves = (leaves_partition(pipe.unit) && !issue.uniform) || cost.unit == Unit::barrier;
  cost.operands = 0;
  cost.commits = issue.commits;
  cost.publishes = issue.publishes;
  cost.uniform = issue.uniform;
  cost.falls = issue.falls;
  cost.yields = issue.yields;
  cost.apart = issue.apart;
  if (cost.kind == Cost::Kind::warpgroup) return;
  const OpCost op = pipe_cost(pipe.row, device);
  cost.interval = pipe.unit == exec::sass::Unit::barrier ? 0 : op.interval;
  if (cost.kind == Cost::Kind::memory) cost_access(instruction, issue, device, pipe, cost);
  for (std::size_t k = 0; k < cost.collect.size() && device.sm.operand_reads > 0; ++k)
    cost.collect[k] = issue.banks[k] * kBanks / device.sm.operand_reads;
  if (ptx::id_of(instruction) == ptx::OpId::match_any) {
    const bool known = device.ops.contains(std::string(pipe.row));
    cost_match(known ? std::string(pipe.row) : "sass.match.any", "sass.match.all", device, cost);
    if (instruction.type == ptx::Type::b64 && !known) cost.interval *= 2;  // by words
  }
  if (cost.kind == Cost::Kind::mbarrier) cost_arrivals(instruction, issue, device, cost);
  cost_result(pipe, op, cost);
  cost.computes =
      !cost.leaves && (cost.kind == Cost::Kind::fixed || cost.kind == Cost::Kind::clock);
}

bool has_costs(const ptx::OpRow& row) {
  if (row.id == ptx::OpId::unsupported) return false;
  if (row.unit == Unit::load_store) return is_atomic(row.name);
  return row.unit != Unit::texture && row.unit != Unit::barrier && row.unit != Unit::fence &&
         row.unit != Unit::wgmma && row.unit != Unit::async_copy && row.unit != Unit::bulk_copy &&
         row.unit != Unit::mbarrier;
}

/// Every key of keys_of() for the instructions of a row.
void add_keys(const ptx::OpRow& row, std::vector<std::string>& out) {
  if (!has_costs(row)) return;
  const std::string name(row.name);
  out.push_back(name);
  constexpr auto kTypes = static_cast<unsigned>(ptx::kLastType) + 1;
  for (unsigned t = 0; t < kTypes; ++t) {
    if (!(row.types & 1u << t)) continue;
    const std::string_view type = ptx::name_of(static_cast<ptx::Type>(t));
    for (const std::string_view rounding : kRoundings) {
      if (!rounding.empty() && !ptx::takes_rounding(row, rounding)) continue;
      const std::string key = join(join(name, rounding), type);
      if (row.types2 == 0) out.push_back(key);
      for (unsigned t2 = 0; t2 < kTypes; ++t2)
        if (row.types2 & 1u << t2)
          out.push_back(join(key, ptx::name_of(static_cast<ptx::Type>(t2))));
    }
    if (is_atomic(name)) out.push_back(join(in_space(name, "shared"), type));
  }
}

}  // namespace

ModuleCosts::ModuleCosts(const ptx::Module& module, const ptx::Function& entry,
                         const Description& device) {
  const auto program = exec::program_of(module, entry);
  instructions_.resize(program->code.size());
  if (program->machine)
    boards_.assign(program->machine->boards.begin(), program->machine->boards.end());
  const auto add = [&](const ptx::Function& function) {
    const auto frame = std::ranges::find(program->frames, &function, &exec::Frame::function);
    const bool called = frame != program->frames.end();
    std::size_t pc = called ? static_cast<std::size_t>(frame->begin) : 0;
    for (std::size_t i = 0; i < function.instructions.size(); ++i) {
      const ptx::Instruction& instruction = function.instructions[i];
      const ptx::Instruction* before = i > 0 ? &function.instructions[i - 1] : nullptr;
      Cost cost = cost_of(instruction, device, before);
      if (device.sm.contracts && i + 1 < function.instructions.size() &&
          contracts(instruction, function.instructions[i + 1]))
        cost.kind = Cost::Kind::folded;
      if (program->machine) {
        const auto& issue = program->machine->issue;
        cost_machine_code(instruction, issue[i], device, cost);
      }
      cost.number = count_;
      if (cost.kind != Cost::Kind::folded) ++count_;
      if (!called) continue;
      CostedInstruction& made = instructions_[pc++];
      made.source = &instruction;
      made.cost = cost;
      if (program->machine) made.waits = program->machine->issue[i].waits;
    }
    registers_ += function.registers;
  };
  add(entry);
  for (const ptx::Function& function : module.functions)
    if (&function != &entry && !function.is_entry) add(function);
  if (program->machine) wait_for_products(program->machine->issue);
  list_registers();
}

/// The assembler's stalls end before a wide product is there, for which its first reader waits.
void ModuleCosts::wait_for_products(std::span<const exec::sass::Issue> issue) {
  for (std::size_t i = 0; i < issue.size(); ++i) {
    if (issue[i].product == 0) continue;
    const std::size_t product = i - issue[i].product;
    Clk left = instructions_[product].cost.latency;
    if (issue[i].early) left -= exec::sass::kEarlyProduct;
    for (std::size_t k = product; k < i; ++k) left -= instructions_[k].cost.stall;
    instructions_[i - 1].cost.stall += std::max<Clk>(0, left);
  }
}

void ModuleCosts::list_registers() {
  using Registers = std::span<const std::uint16_t>;
  const auto reads_of = [&](const CostedInstruction& each) {
    const bool lists = boards_.empty() || each.cost.kind == Cost::Kind::folded;
    return lists ? Registers(each.source->reads) : Registers();
  };
  for (const CostedInstruction& each : instructions_)
    for (const Registers registers : {reads_of(each), Registers(each.source->writes)})
      touched_.insert(touched_.end(), registers.begin(), registers.end());
  GPX_ASSERT(std::ranges::all_of(touched_, [&](std::uint16_t each) { return each < registers_; }),
             "a scoreboard of %u places has one for each register", registers_);
  const std::uint16_t* next = touched_.data();
  for (CostedInstruction& each : instructions_) {
    each.reads = next;
    each.writes = each.reads + reads_of(each).size();
    each.end = next = each.writes + each.source->writes.size();
  }
}

std::string_view name_of(ptx::Unit unit) {
  for (const UnitName& row : kUnitNames)
    if (row.unit == unit) return row.name;
  for (const UnitName& row : kOtherUnits)
    if (row.unit == unit) return row.name;
  return "";
}

const std::vector<std::string>& costed_units() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (const UnitName& row : kUnitNames) result.emplace_back(row.name);
    return result;
  }();
  return names;
}

std::vector<std::string_view> lacking_units(const Description& device) {
  std::vector<std::string_view> lacks;
  for (const UnitName& row : kUnitNames)
    if (row.optional && !device.ops.contains(std::string(row.name))) lacks.push_back(row.name);
  if (!device.wgmma) lacks.push_back(name_of(Unit::wgmma));
  if (!device.async_copy) lacks.push_back(name_of(Unit::async_copy));
  if (!device.bulk_copy) lacks.push_back(name_of(Unit::bulk_copy));
  if (!device.mbarrier) lacks.push_back(name_of(Unit::mbarrier));
  return lacks;
}

bool is_optional(std::string_view unit) {
  return std::ranges::any_of(kUnitNames,
                             [&](const UnitName& row) { return row.optional && row.name == unit; });
}

const std::vector<std::string>& costed_instructions() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (std::size_t id = 0; id < static_cast<std::size_t>(ptx::OpId::count); ++id)
      add_keys(ptx::op_row(static_cast<ptx::OpId>(id)), result);
    for (const exec::sass::Pipe& pipe : exec::sass::pipes()) result.emplace_back(pipe.row);
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }();
  return names;
}

}  // namespace gpx::vgpu::timing
