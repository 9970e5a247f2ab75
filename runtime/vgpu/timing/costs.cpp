// From an instruction and a device to what issue needs. Interface: costs.h.
// Covered by tests/vgpu/virtual_test.cpp ("what instructions cost").
#include "runtime/vgpu/timing/costs.h"

#include <algorithm>
#include <functional>

#include "runtime/vgpu/ptx/ops.h"

namespace gpx::vgpu::timing {
namespace {

using ptx::Unit;

struct UnitName {
  Unit unit;
  std::string_view name;
};
constexpr UnitName kUnitNames[] = {
    {Unit::alu, "alu"},       {Unit::fp64, "fp64"}, {Unit::sfu, "sfu"},
    {Unit::branch, "branch"}, {Unit::warp, "warp"},
};

constexpr std::string_view kInstructions[] = {
#define OP(id, name, ...) name,
#include "runtime/vgpu/ptx/ops.def"
#undef OP
};

OpCost op_cost(const ptx::Instruction& instruction, const Description& device) {
  if (const auto found = device.ops.find(std::string(instruction.name)); found != device.ops.end())
    return found->second;
  for (const UnitName& row : kUnitNames) {
    if (row.unit != instruction.unit) continue;
    if (const auto found = device.ops.find(std::string(row.name)); found != device.ops.end())
      return found->second;
  }
  return {1, 1};
}

/// Fermi's and Kepler's default caches in L1; .cg and .cs name L2, .cv and volatile fetch again.
bool bypasses_l1(const ptx::Instruction& instruction) {
  const ptx::Modifiers modifiers = ptx::modifiers_of(instruction);
  switch (modifiers.cache()) {
    case ptx::Cache::cg:
    case ptx::Cache::cs:
    case ptx::Cache::cv:
      return true;
    default:
      return (modifiers.bits & ptx::Modifiers::kVolatile) != 0;
  }
}

Cost::Kind kind_of(const ptx::Instruction& instruction) {
  if (instruction.folds || instruction.unit == Unit::none) return Cost::Kind::folded;
  switch (instruction.unit) {
    case Unit::load_store:
    case Unit::texture:
      // Parameters are constant operands of the machine's instructions.
      return instruction.space == ptx::Space::param ? Cost::Kind::folded : Cost::Kind::memory;
    case Unit::branch:
      return Cost::Kind::branch;
    case Unit::fence:
      return Cost::Kind::fence;
    case Unit::clock:
      return Cost::Kind::clock;
    default:
      return Cost::Kind::fixed;
  }
}

Cost cost_of(const ptx::Instruction& instruction, const Description& device) {
  Cost cost;
  cost.kind = kind_of(instruction);
  cost.unit = instruction.unit;
  const OpCost op = op_cost(instruction, device);
  cost.latency = std::max<Clk>(1, whole(op.latency));
  cost.interval = op.interval;
  switch (cost.kind) {
    case Cost::Kind::memory:
      cost.is_load = !instruction.writes.empty();
      cost.bypass_l1 = bypasses_l1(instruction);
      cost.interval = 1;
      break;
    case Cost::Kind::fence:
      cost.latency = 1;
      break;
    case Cost::Kind::clock:
      cost.latency = std::max<Clk>(1, whole(device.clock_register.cost));
      cost.interval = 1;
      break;
    default:
      break;
  }
  return cost;
}

}  // namespace

ModuleCosts::ModuleCosts(const ptx::Module& module, const ptx::Function& entry,
                         const Description& device) {
  std::uint32_t number = 0;
  const auto add = [&](const ptx::Function& function) {
    Part& part = parts_.emplace_back(Part{function.instructions.data(), {}});
    for (const ptx::Instruction& instruction : function.instructions) {
      Cost& cost = part.costs.emplace_back(cost_of(instruction, device));
      cost.number = number;
      if (cost.kind != Cost::Kind::folded) ++number;
    }
    registers_ += function.registers;
  };
  add(entry);
  for (const ptx::Function& function : module.functions)
    if (&function != &entry && !function.is_entry) add(function);
}

const Cost& ModuleCosts::of(const ptx::Instruction& instruction) const {
  for (const Part& part : parts_)
    if (!std::less<>()(&instruction, part.first) &&
        std::less<>()(&instruction, part.first + part.costs.size()))
      return part.costs[static_cast<std::size_t>(&instruction - part.first)];
  static const Cost unknown;
  return unknown;
}

const std::vector<std::string>& costed_units() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (const UnitName& row : kUnitNames) result.emplace_back(row.name);
    return result;
  }();
  return names;
}

const std::vector<std::string>& instruction_names() {
  static const std::vector<std::string> names(std::begin(kInstructions), std::end(kInstructions));
  return names;
}

}  // namespace gpx::vgpu::timing
