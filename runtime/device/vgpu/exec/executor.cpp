// One step of one warp. Interface: executor.h. Covered by tests/vgpu/exec_control_test.cpp.
#include "runtime/device/vgpu/exec/executor.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "runtime/device/vgpu/exec/barrier.h"
#include "runtime/device/vgpu/exec/context.h"
#include "runtime/device/vgpu/exec/groups.h"
#include "runtime/device/vgpu/exec/paths.h"
#include "runtime/device/vgpu/exec/sass/launch.h"
#include "runtime/device/vgpu/exec/sass/step.h"
#include "runtime/device/vgpu/exec/values.h"

namespace gpx::vgpu::exec {

struct Executor::Impl : Machine {
  std::string trap;
  int trap_line = 0;
  Effect effect;
};

namespace {

// The image may end before the last variable without initial value: the rest is zeros.
void fill_globals(const std::shared_ptr<const std::vector<std::uint8_t>>& image,
                  std::uint64_t offset, std::uint64_t bytes, std::uint8_t* out) {
  std::uint64_t there = image->size() > offset ? std::min(bytes, image->size() - offset) : 0;
  if (there) std::memcpy(out, image->data() + offset, there);
  std::memset(out + there, 0, bytes - there);  // The page may have been another buffer's.
}

std::uint64_t global_bytes(const ptx::Module& module) {
  std::uint64_t end = 0;
  for (const ptx::Variable& v : module.variables) {
    if (v.space == ptx::Space::global) end = std::max(end, v.address + v.bytes);
  }
  return end;
}

/// An image with the addresses in it, which only a launch knows: its own copy where there are some.
using Image = std::shared_ptr<const std::vector<std::uint8_t>>;
Image relocated(const Image& image, std::span<const ptx::Relocation> relocations,
                std::uint64_t module_base) {
  if (relocations.empty()) return image;
  auto made = std::make_shared<std::vector<std::uint8_t>>(*image);
  for (const ptx::Relocation& each : relocations) {
    std::uint64_t value = each.address;
    if (each.space == ptx::Space::global) value += module_base;
    if (each.space == ptx::Space::constant && each.generic) value += kConstantWindow;
    value = (value & each.mask) >> std::countr_zero(each.mask);
    std::memcpy(made->data() + each.offset, &value, each.bytes);
  }
  return made;
}

inline void settle(Warp& warp, const Machine& m) {
  if (m.model == Model::stack) {
    settle_paths(warp);
  } else {
    settle_groups(warp, m.turn);
  }
}

/// How many instructions from the path's next one on it has executed. All lanes of the path execute
/// them, and it meets no other before they have.
std::uint32_t run_ahead(Context& c, std::uint32_t most) {
  const Path& path = c.path();
  const Op* const first = &c.machine.program->code[static_cast<std::size_t>(path.pc)];
  c.mask = path.mask;
  std::uint32_t count = 0;
  for (; count < most; ++count) {
    const Op& op = first[count];
    if (!op.computes || op.guard != ptx::Operand::kNoRegister) break;
    if (path.pc + static_cast<std::int32_t>(count) == path.reconvergence) break;
    op.run(c, op);
  }
  return count;
}

}  // namespace

Executor::Executor(const ptx::Module& module, const ptx::Function& entry, const Grid& grid,
                   std::span<const std::uint8_t> parameters, GlobalMemory& memory)
    : impl_(std::make_unique<Impl>()) {
  impl_->program = program_of(module, entry);
  impl_->grid = grid;
  impl_->parameters.assign(parameters.begin(), parameters.end());
  impl_->memory = &memory;
  impl_->constants = impl_->program->constant_memory;
  // A dynamic array may lie behind alignment that shared_bytes already includes.
  impl_->shared_bytes = entry.shared_bytes + grid.dynamic_shared_bytes;
  impl_->shared_begin = module.shared_begin;
  constexpr std::uint64_t kReserved = 1024;  // as an SM keeps for each block
  if (impl_->program->reserves_shared)
    impl_->reserved_shared = kReserved + (16 - impl_->shared_bytes % 16) % 16;
  impl_->threads = std::uint64_t{grid.threads[0]} * grid.threads[1] * grid.threads[2];
  if (std::uint64_t bytes = global_bytes(module)) {
    // Pages are filled later than the address is known.
    const auto image = impl_->program->global_image;
    auto filled = std::make_shared<Image>(image);
    impl_->module_base = memory.attach(
        image, bytes, [filled](std::uint64_t offset, std::uint64_t count, std::uint8_t* out) {
          fill_globals(*filled, offset, count, out);
        });
    *filled = relocated(image, *impl_->program->global_relocations, impl_->module_base);
  }
  impl_->constants =
      relocated(impl_->constants, *impl_->program->constant_relocations, impl_->module_base);
  impl_->rows = impl_->program->constants.data();
  // Two words, the second of which is the barrier: what the driver gives a cooperative launch.
  constexpr std::uint64_t kWorkspaceBytes = 8;
  if (impl_->program->cooperative)
    impl_->workspace = memory.attach(
        impl_->program, kWorkspaceBytes,
        [](std::uint64_t, std::uint64_t count, std::uint8_t* out) { std::memset(out, 0, count); });
  if (impl_->program->machine) sass::prepare_launch(*impl_);
}

Executor::~Executor() = default;

void Executor::set_model(Model model, std::uint32_t turn) {
  impl_->model = model;
  impl_->turn = turn;
}

Model Executor::model() const {
  return impl_->model;
}

void Executor::leave_values_out(bool rereads) {
  impl_->program = without_values(impl_->program, rereads);
  if (impl_->program->machine)
    impl_->steps = impl_->program->machine->steps.data();
  else
    impl_->rows = impl_->program->constants.data();
}

void Executor::set_constants(std::shared_ptr<const std::vector<std::uint8_t>> image) {
  impl_->constants = std::move(image);
  if (impl_->program->machine) sass::prepare_launch(*impl_);
}

std::uint64_t Executor::changes() const {
  return impl_->changes;
}

const DeviceOutput& Executor::output() const {
  return impl_->output;
}

bool Executor::cooperative() const {
  return impl_->program->cooperative;
}

const Grid& Executor::grid() const {
  return impl_->grid;
}

std::uint64_t Executor::shared_bytes() const {
  return impl_->shared_bytes;
}

void Executor::start(Block& block, const std::array<std::uint32_t, 3>& index) const {
  const Frame& entry = impl_->program->frames[0];
  std::uint64_t warps = (impl_->threads + kWarpSize - 1) / kWarpSize;
  block.index = index;
  block.warps.resize(warps);
  // In whole words: atomics of 8 and 16 bits change the word around them.
  const std::uint64_t shared = impl_->shared_begin + impl_->shared_bytes + impl_->reserved_shared;
  block.shared.assign((shared + 3) / 4 * 4, 0);
  block.local.assign(warps * kWarpSize * impl_->program->local_bytes);
  block.reductions = {};
  block.cluster = nullptr;
  block.rank = 0;
  block.live_threads = static_cast<std::uint32_t>(impl_->threads);
  for (std::uint64_t w = 0; w < warps; ++w) {
    Warp& warp = block.warps[w];
    std::uint64_t threads = std::min<std::uint64_t>(kWarpSize, impl_->threads - w * kWarpSize);
    warp.block = &block;
    warp.id = static_cast<std::uint32_t>(w);
    warp.launched = threads == kWarpSize ? kFull : (1u << threads) - 1;
    warp.stack.assign(1, Path{.pc = entry.begin, .mask = warp.launched});
    if (warp.registers.size() < entry.registers) warp.registers.resize(entry.registers);
    // Other registers are written before they are read: clearing them all would cost more than
    // most small launches.
    for (std::uint16_t r : entry.unwritten) warp.registers[r].fill(0);
    warp.meets.clear();
    warp.others.clear();
    warp.barrier = warp.reduction_pc = -1;
    warp.turn = 0;
    warp.cluster_phase = 0;
    warp.ahead = 0;
    warp.at_barrier = warp.retry = false;
    warp.stalled = 0;
    warp.released = 0;
  }
}

const ptx::Instruction& Executor::next(const Warp& warp) const {
  return *impl_->program->code[static_cast<std::size_t>(warp.pc())].source;
}

const Effect* Executor::step(Warp& warp, const Env& env, std::uint32_t ahead) {
  Impl& m = *impl_;
  Path& top = warp.stack.back();
  const Op& op = m.program->code[static_cast<std::size_t>(top.pc)];
  Effect& effect = m.effect = {};
  if (warp.ahead != 0) {
    --warp.ahead;
    effect.active = top.mask;
    ++top.pc;
    settle(warp, m);
    return &effect;
  }
  Context c{m, warp, env, warp.registers.data() + top.base, m.rows, top.mask, effect, m.trap};
  if (warp.reduction_pc >= 0) [[unlikely]] {
    finish_reduction(c, m.program->code[static_cast<std::size_t>(warp.reduction_pc)]);
  }
  if (op.guard != ptx::Operand::kNoRegister) {
    c.mask = predicate_mask(c.mask, c.r[op.guard], op.guard_negated);
  }
  effect.active = c.mask;
  ++top.pc;
  if (c.mask) {
    op.run(c, op);
    if (!m.trap.empty()) [[unlikely]] {
      m.trap_line = op.source->line;
      return nullptr;
    }
    if (ahead != 0 && op.computes && !warp.stack.back().passes_by && warp.others.empty())
      warp.ahead = run_ahead(c, ahead);
  }
  settle(warp, m);
  effect.exited = warp.stack.empty();
  return &effect;
}

Trap Executor::take_trap() {
  return {std::exchange(impl_->trap, {}), impl_->trap_line, std::exchange(impl_->deadlock, false)};
}

}  // namespace gpx::vgpu::exec
