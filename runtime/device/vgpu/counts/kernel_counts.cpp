// Interface: kernel_counts.h. Covered by tests/vgpu/kernel_counts_test.cpp.
#include "runtime/device/vgpu/counts/kernel_counts.h"

#include <fmt/format.h>

#include <bit>

#include "codegen/ptx/ops.h"
#include "lang/try.h"
#include "runtime/device/vgpu/counts/counted_launch.h"
#include "runtime/device/vgpu/counts/touched_code.h"
#include "runtime/device/vgpu/exec/sass/machine_code.h"

namespace gpx::vgpu {
namespace {

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

bool passes_l1(const ptx::Instruction& instruction) {
  const ptx::Cache cache = ptx::modifiers_of(instruction).cache();
  const ptx::OpId id = ptx::id_of(instruction);
  const bool load = id == ptx::OpId::ld || id == ptx::OpId::ld_wide;
  return !load || (cache != ptx::Cache::none && cache != ptx::Cache::ca);
}

void CountTotals::access(CoalescingRule rule, const WarpAccess& access,
                         const exec::Lanes* addresses) {
  const unsigned asked = access.bytes * static_cast<unsigned>(std::popcount(access.active));
  const Transactions made =
      addresses ? transactions_of(rule, access, *addresses) : Transactions{true, 1, asked, asked};
  (made.coalesced ? coalesced : uncoalesced) += 1;
  (made.coalesced ? coalesced_transactions : uncoalesced_transactions) += made.count;
  bytes += made.bytes;
  needed += made.needed;
}

void CountTotals::access_anywhere(CoalescingRule rule, const WarpAccess& access) {
  const auto lanes = static_cast<unsigned>(std::popcount(access.active));
  ++uncoalesced;
  uncoalesced_transactions += lanes;
  bytes += std::uint64_t{bytes_of_transaction(rule, access).value_or(access.bytes)} * lanes;
  needed += std::uint64_t{access.bytes} * lanes;
}

KernelCounts CountTotals::averages(std::uint64_t warps) const {
  KernelCounts counts;
  counts.computation = ratio(computation, warps);
  counts.coalesced = ratio(coalesced, warps);
  counts.uncoalesced = ratio(uncoalesced, warps);
  counts.barriers = ratio(barriers, warps);
  counts.folded = ratio(folded, warps);
  counts.slow = ratio(slow, warps);
  counts.atomics = ratio(atomics, warps);
  counts.reloads = ratio(lines_reloaded, lines_loaded);
  counts.shared_accesses = ratio(shared_accesses, warps);
  counts.shared_conflicts = ratio(shared_conflicts, warps);
  counts.transactions_per_coalesced = ratio(coalesced_transactions, coalesced);
  counts.transactions_per_uncoalesced = ratio(uncoalesced_transactions, uncoalesced);
  counts.bytes_per_access = ratio(bytes, coalesced + uncoalesced);
  counts.needed_per_access = ratio(needed, coalesced + uncoalesced);
  counts.warps_executed = warps;
  return counts;
}

std::optional<Error> misfit(const ptx::Function& entry, const codegen::Launch& launch) {
  if (entry.parameters.size() == launch.arguments.size()) return std::nullopt;
  return make_error(Fault::input, fmt::format("{} arguments for a kernel that takes {}",
                                              launch.arguments.size(), entry.parameters.size()));
}

CountedLaunch::CountedLaunch(const ptx::Module& module, const ptx::Function& entry,
                             const codegen::Launch& launch)
    : warps_((launch.all_threads() + exec::kWarpSize - 1) / exec::kWarpSize) {
  for (const codegen::BufferFill& fill : launch.fills)
    addresses_.push_back(
        memory_.allocate(fill.bytes, [&fill](std::uint64_t at, std::uint64_t bytes,
                                             std::uint8_t* out) { fill.write(at, bytes, out); }));
  std::vector<std::uint8_t> parameters;
  if (!entry.parameters.empty())
    parameters.resize(entry.parameters.back().address + entry.parameters.back().bytes);
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const ptx::Variable& parameter = entry.parameters[i];
    launch.arguments[i].write(std::span(parameters).subspan(parameter.address, parameter.bytes),
                              [&](std::size_t buffer) { return addresses_[buffer]; });
  }
  executor_.emplace(module, entry, grid_of(launch, entry), parameters, memory_);
}

exec::Grid grid_of(const codegen::Launch& launch, const ptx::Function& entry) {
  exec::Grid grid;
  grid.blocks = {launch.blocks, launch.blocks_down, launch.blocks_deep};
  grid.threads = {launch.threads, launch.threads_down, launch.threads_deep};
  grid.dynamic_shared_bytes = static_cast<std::uint32_t>(launch.shared_bytes);
  grid.cluster = entry.bounds.cluster;
  if (launch.cluster > 0) grid.cluster = {launch.cluster, 1, 1};
  return grid;
}

KernelCounter::KernelCounter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
KernelCounter::~KernelCounter() = default;
KernelCounter::KernelCounter(KernelCounter&&) noexcept = default;
KernelCounter& KernelCounter::operator=(KernelCounter&&) noexcept = default;

Result<KernelCounter> KernelCounter::make(const std::string& ptx, const std::string& symbol) {
  auto module = GPX_TRY(ptx::parse_entry(symbol, ptx));
  auto impl = std::make_unique<Impl>();
  impl->module = std::move(module);
  impl->entry = impl->module.find(symbol);
  return KernelCounter(std::move(impl));
}

Result<KernelCounter> KernelCounter::make(const codegen::Artifact& artifact) {
  auto made = make(artifact.ptx, artifact.entry);
  if (!made || !artifact.code_alone) return made;
  auto code = GPX_TRY(exec::read_machine_code(artifact.cubin, made->impl_->module, artifact.entry));
  auto image = GPX_TRY(codegen::sass::read_kernel_image(artifact.cubin, artifact.entry));
  made->impl_->module = std::move(code.module);
  made->impl_->entry = made->impl_->module.find(artifact.entry);
  made->impl_->image = std::move(image);
  return made;
}

Touched KernelCounter::Impl::touched(const codegen::Launch& launch) const {
  return image ? touched_by(*image, launch) : touched_by(module, *entry, launch);
}

std::uint64_t KernelCounter::static_shared_bytes() const {
  return impl_->entry->shared_bytes;
}

std::uint64_t KernelCounter::argument_bytes() const {
  return impl_->entry->parameter_bytes();
}

}  // namespace gpx::vgpu
