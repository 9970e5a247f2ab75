// Launches of machine code. Interface: launch.h.
//
// Bank 0 begins with the sizes of a block and of the grid; at 0x20 stands the window of local
// memory, at 0x28 the end of a thread's stack, from which it grows down.
#include "runtime/device/vgpu/exec/sass/launch.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "runtime/device/vgpu/exec/sass/step.h"

namespace gpx::vgpu::exec::sass {
namespace {

template <class T>
void put_at(std::vector<std::uint8_t>& bytes, std::size_t at, T value) {
  if (bytes.size() >= at + sizeof value) std::memcpy(bytes.data() + at, &value, sizeof value);
}

constexpr std::uint32_t kHopperParameters = 0x210;
struct Words {
  std::uint32_t begin, end;
};
/// Sizes of block and grid; before Hopper where shared memory begins, which is 0; the window of
/// local memory, the stack. Descriptors of memory, whose bits nothing reads, count as known.
constexpr Words kKnown[] = {{0, 0x1c}, {0x20, 0x2c}, {0x118, 0x120}};
constexpr Words kKnownOfHopper[] = {{0, 0x18},      {0x20, 0x30},   {0x40, 0x4c},   {0x6c, 0x70},
                                    {0xd0, 0xd8},   {0x114, 0x118}, {0x140, 0x168}, {0x188, 0x190},
                                    {0x198, 0x1a0}, {0x208, 0x210}};

/// From sm_90 on: a cooperative grid's workspace, sizes of shared memory and the part of it that
/// headers keep for themselves, clusters, the window of parameters. The bit at 0x18c chooses how
/// far a fence of the system reaches; at 0xd0 begin 24 bytes that are no global memory, here none.
void fill_hopper(Machine& m) {
  constexpr std::size_t kDynamicShared = 0x2c, kAllShared = 0x114, kClustered = 0x140,
                        kParameterWindow = 0x198, kDriverBytes = 0xd0, kClusterSize = 0x144,
                        kInverse = 0x150, kClusters = 0x15c, kClusterBlocks = 0x188;
  put_at(m.bank0, kDynamicShared, m.grid.dynamic_shared_bytes);
  put_at(m.bank0, kAllShared, static_cast<std::uint32_t>(m.shared_bytes));
  put_at(m.bank0, kWorkspaceWord, static_cast<std::uint32_t>(m.workspace >> 32));
  put_at(m.bank0, kWorkspaceWord + 4, static_cast<std::uint32_t>(m.workspace));
  const std::uint64_t kept = (m.shared_bytes + 15) / 16 * 16 + m.shared_begin;
  put_at(m.bank0, kReservedWord, static_cast<std::uint32_t>(kept));
  put_at(m.bank0, kClustered, std::uint32_t{m.grid.clustered() ? 1u : 0u});
  put_at(m.bank0, kParameterWindow, kParamWindow);
  put_at(m.bank0, kDriverBytes, std::uint64_t{0xffffffff} << 32);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::uint32_t size = std::max(m.grid.cluster[axis], 1u);
    put_at(m.bank0, kClusterSize + 4 * axis, size);
    put_at(m.bank0, kInverse + 4 * axis, 1.0f / static_cast<float>(size));
    put_at(m.bank0, kClusters + 4 * axis, m.grid.blocks[axis] / size);
  }
  put_at(m.bank0, kClusterBlocks, std::max(m.grid.cluster_blocks(), 1u));
}

void fill_bank0(Machine& m, const MachineProgram& program) {
  constexpr std::size_t kLocalWindowAt = 0x20, kStackAt = 0x28;
  m.bank0.assign(program.parameters_begin + m.parameters.size(), 0);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    put_at(m.bank0, 4 * axis, m.grid.threads[axis]);
    put_at(m.bank0, 12 + 4 * axis, m.grid.blocks[axis]);
  }
  if (program.parameters_begin == kHopperParameters) fill_hopper(m);
  put_at(m.bank0, kLocalWindowAt, kLocalHigh << 32);
  put_at(m.bank0, kStackAt, static_cast<std::uint32_t>(m.program->local_bytes));
  if (!m.parameters.empty())
    std::memcpy(m.bank0.data() + program.parameters_begin, m.parameters.data(),
                m.parameters.size());
}

void fill_banks(Machine& m, const MachineProgram& program) {
  m.banks = program.banks;
  for (const BankAddress& each : program.addresses) {
    std::uint64_t value = each.value;
    if (each.space == ptx::Space::global) value += m.module_base;
    if (each.space == ptx::Space::constant) value += kConstantWindow;
    put_at(m.banks[each.bank], each.offset, value);
  }
}

std::uint32_t word_of(const Machine& m, const LaunchConstant& constant) {
  std::span<const std::uint8_t> bytes;
  if (constant.bank == 0) {
    bytes = m.bank0;
  } else if (constant.bank == 3) {
    bytes = *m.constants;
  } else if (const auto found = m.banks.find(constant.bank); found != m.banks.end()) {
    bytes = found->second;
  }
  std::uint32_t word = 0;
  if (bytes.size() >= std::size_t{constant.offset} + 4)
    std::memcpy(&word, bytes.data() + constant.offset, 4);
  return word;
}

}  // namespace

bool is_known_constant(std::uint32_t offset, std::uint32_t parameters_begin) {
  if (offset >= parameters_begin) return true;
  const std::span<const Words> known = parameters_begin == kHopperParameters
                                           ? std::span<const Words>(kKnownOfHopper)
                                           : std::span<const Words>(kKnown);
  return std::ranges::any_of(
      known, [&](const Words& each) { return offset >= each.begin && offset < each.end; });
}

void prepare_launch(Machine& m) {
  const MachineProgram& program = *m.program->machine;
  fill_bank0(m, program);
  fill_banks(m, program);
  m.launch_rows = m.program->constants;
  for (const LaunchConstant& each : program.launch_constants)
    m.launch_rows[each.row].fill(word_of(m, each));
  m.rows = m.launch_rows.data();
  m.steps = program.steps.data();
}

}  // namespace gpx::vgpu::exec::sass
