// Timed region: what follows from the kernel alone. Interface: codegen/ir/region.h.
#include "codegen/ir/region.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/ir/operation.h"
#include "lang/assert.h"
#include "lang/lists.h"
#include "lang/observe.h"

namespace gpx::codegen {

std::vector<std::string> cluster_barrier(Op op) {
  GPX_ASSERT(is_cluster_barrier(op));
  const std::string_view both = info(op).spelling;
  const std::size_t end = both.find(';') + 1;
  return {std::string(both.substr(0, end)), std::string(both.substr(end + 1))};
}

// What ptxas (13.0) is told by elect.sync, that one thread comes here, saves a loop around each
// copy: 77 clocks for each on an H200.
std::vector<std::string> bulk_starts(const Kernel& kernel) {
  std::vector<std::string> lines = {"elect.sync elector|elected, -1;", "mov.u32 elector, %tid.x;",
                                    "setp.lt.u32 arrived, elector, 32;",
                                    "and.pred elected, elected, arrived;"};
  if (has_bulk_loads(kernel)) lines.emplace_back("mov.u32 parity, 0;");
  return lines;
}

namespace {

// "[map, {first, 0, last}]"
std::string tensor_text(const Instruction& i, const BulkOperands& at) {
  std::string coordinates = at.coordinate;
  for (std::size_t side = 3; side < i.box.size(); ++side) coordinates += ", 0";
  return fmt::format("[{}, {{{}, {}}}]", at.global, coordinates, i.immediate);
}

}  // namespace

std::vector<std::string> bulk_lines(const Instruction& i, const BulkOperands& at) {
  switch (i.op) {
    case Op::bulk_expect:
      return {fmt::format("@elected mbarrier.arrive.expect_tx.shared::cta.b64 token, [{}], {};",
                          at.full, i.immediate)};
    case Op::bulk_load:
      return {
          fmt::format("@elected cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
                      "bytes [{}+{}], [{}+{}], {}, [{}];",
                      at.shared, i.target, at.global, i.immediate, i.count, at.full)};
    case Op::bulk_store:
      return {
          fmt::format("@elected cp.async.bulk.global.shared::cta.bulk_group [{}+{}], [{}+{}], {};",
                      at.global, i.immediate, at.shared, i.target, i.count)};
    case Op::tensor_load:
      return {fmt::format(
          "@elected "
          "cp.async.bulk.tensor.{}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
          "[{}+{}], {}, [{}];",
          i.box.size() - 1, at.shared, i.target, tensor_text(i, at), at.full)};
    case Op::tensor_store:
      return {fmt::format(
          "@elected cp.async.bulk.tensor.{}d.global.shared::cta.tile.bulk_group {}, [{}+{}];",
          i.box.size() - 1, tensor_text(i, at), at.shared, i.target)};
    case Op::bulk_wait:
      return {
          fmt::format("wait{}:", at.number),
          fmt::format("mbarrier.try_wait.parity.shared::cta.b64 arrived, [{}], parity;", at.full),
          fmt::format("@!arrived bra wait{};", at.number), "xor.b32 parity, parity, 1;"};
    case Op::bulk_group: return {"cp.async.bulk.commit_group;", "cp.async.bulk.wait_group 0;"};
    default: GPX_ASSERT(false); return {};
  }
}

bool has_bulk(const Kernel& kernel) {
  return std::ranges::any_of(kernel.timed, [](const Instruction& i) { return is_bulk(i.op); });
}

bool has_bulk_loads(const Kernel& kernel) {
  return std::ranges::any_of(kernel.timed, [](const Instruction& i) {
    return i.op == Op::bulk_load || i.op == Op::tensor_load;
  });
}

bool has_copies(const Kernel& kernel) {
  return std::ranges::any_of(kernel.timed, [](const Instruction& i) { return is_copy(i.op); });
}

std::vector<std::string> tensor_maps(const Kernel& kernel) {
  std::vector<std::string> found;
  for (const Instruction& i : kernel.timed) {
    if (!is_tensor(i.op)) continue;
    const auto map = std::ranges::find(kernel.setup, i.operands[0], &Instruction::result);
    GPX_ASSERT(map != kernel.setup.end() && map->op == Op::at);
    const std::string& name = kernel.registers[map->operands[0]].name;
    add_once(found, name);
  }
  return found;
}

bool needs_order(const Kernel& kernel) {
  constexpr std::uint32_t kUnmixed = 12;
  GPX_ASSERT(!kernel.timed.empty() && kernel.timed.back().op == Op::await);
  if (kernel.timed.back().operands.empty()) return false;
  bool stores = false;
  for_each(kernel.timed, [&](const Instruction& i) { stores = stores || is_store(i.op); });
  std::uint32_t loaded = 0;
  for (std::uint32_t value : kernel.timed.back().operands)
    loaded += words(kernel.registers[value].type);
  return stores || loaded > kUnmixed;
}

bool has_sum(const Kernel& kernel) {
  return !kernel.timed.back().operands.empty() || !all_of(kernel, Op::operate).empty();
}

namespace {

// Loads and atomics of the block's own shared memory, and nothing else that the sum is of.
bool sums_shared_words(const Kernel& kernel) {
  return only_accesses(kernel) && std::ranges::all_of(kernel.timed, [](const Instruction& i) {
           const bool shared = info(i.op).name.find(".shared") != std::string_view::npos;
           return i.result == kNoRegister || (shared && !is_on_rank(i.op));
         });
}

}  // namespace

std::vector<Addition> partial_sums(const Kernel& kernel, const std::vector<std::string>& words) {
  constexpr std::size_t kSums = 16;  // A slow addition takes as long as 6 to 18 issues.
  std::vector<Addition> made;
  if (!sums_shared_words(kernel)) return made;
  const std::size_t sums = std::min(words.size(), kSums);
  for (std::size_t i = sums; i < words.size(); ++i) made.push_back({words[i % sums], words[i]});
  for (std::size_t half = kSums / 2; half > 0; half /= 2)
    for (std::size_t i = 0; i < half && i + half < sums; ++i)
      made.push_back({words[i], words[i + half]});
  return made;
}

std::uint32_t sink_slot(const Kernel& kernel) {
  return static_cast<std::uint32_t>(traits_of(kernel.observe).result_slots()) + 1;
}

std::vector<const Instruction*> all_of(const Kernel& kernel, Op op) {
  std::vector<const Instruction*> found;
  for_each(kernel.timed, [&](const Instruction& i) {
    if (i.op == op) found.push_back(&i);
  });
  return found;
}

SharedWords::SharedWords(const Kernel& kernel) {
  for (const Instruction& instruction : kernel.setup)
    if (instruction.op == Op::shared) words.push_back(&instruction);
}

std::uint32_t SharedWords::offset(std::string_view name) const {
  const auto it = std::find_if(words.begin(), words.end(),
                               [&](const Instruction* word) { return word->name == name; });
  return static_cast<std::uint32_t>(4 * (it - words.begin()));
}

std::uint32_t count_landings(const Kernel& kernel) {
  constexpr std::uint32_t kLongestStraight = 2048;
  std::size_t lines = 0;
  for (const Instruction& i : kernel.timed) {
    if (i.op != Op::operate && i.op != Op::await) return 0;
    if (i.op != Op::operate) continue;
    const Operation& row = operation_of(i);
    if (row.pipe == "wgmma") return 0;  // A label between two products has each waited for.
    if (row.pipe == "sfu" && row.ptx.find("{g}") != std::string_view::npos) return 0;
    lines += i.count * static_cast<std::size_t>(std::count(row.ptx.begin(), row.ptx.end(), ';'));
  }
  return lines <= kLongestStraight ? 0 : static_cast<std::uint32_t>((lines - 1) / kBlockLines);
}

}  // namespace gpx::codegen
