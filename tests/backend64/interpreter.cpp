// Interface: interpreter.h.
#include "tests/backend64/interpreter.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <queue>
#include <set>

namespace gpx::wave64 {
namespace {

using codegen::Instruction;
using codegen::Kernel;
using codegen::Op;

constexpr std::uint64_t kBufferSpan = std::uint64_t{1} << 48;  ///< Of addresses, for each buffer.
constexpr std::uint64_t kLine = 128;
constexpr double kIssue = 4, kPerLine = 0.05;  ///< Clocks of a wave load, and of each line more.

constexpr Op kExecuted[] = {Op::thread,  Op::const_u64, Op::add_u64,  Op::mul_u64,  Op::mulhi_u64,
                            Op::xor_u64, Op::shr_u64,   Op::at,       Op::word_b32, Op::wide,
                            Op::lane,    Op::warp,      Op::in_block, Op::block,    Op::const_b32,
                            Op::ready,   Op::ld_b8,     Op::ld_b16,   Op::ld_b32,   Op::ld_b64,
                            Op::ld_b128, Op::await};

/// One thread's registers. A loaded value is the sum of its words: that is all that is made of it.
class Thread {
 public:
  Thread(const codegen::Program& program, const codegen::Launch& launch, std::uint32_t block,
         std::uint32_t thread)
      : kernel_(program.kernels[launch.kernel]),
        registers_(kernel_.registers.size()),
        block_(block),
        thread_(thread),
        threads_(launch.threads) {
    std::size_t scalar = 0;
    for (std::uint32_t i = 0; i < kernel_.parameters; ++i) {
      if (kernel_.registers[i].type != codegen::Type::buffer) {
        registers_[i] = launch.scalars[scalar++];
        continue;
      }
      const auto buffer =
          std::ranges::find(program.buffers, kernel_.registers[i].name, &codegen::Buffer::name);
      registers_[i] = static_cast<std::uint64_t>(buffer - program.buffers.begin()) * kBufferSpan +
                      launch.offset_of(*buffer);
    }
    for (const Instruction& instruction : kernel_.setup)
      if (instruction.op != Op::ready) registers_[instruction.result] = setup(instruction);
  }

  std::uint64_t address(const Instruction& load) const {
    return registers_[load.operands[0]] + load.immediate;
  }

  /// Loads, and returns the address.
  std::uint64_t load(const Instruction& instruction, const Memory& memory) {
    const std::uint64_t at = address(instruction), offset = at % kBufferSpan;
    const auto& words = memory[at / kBufferSpan];
    const std::uint32_t bytes = codegen::info(instruction.op).bytes;
    std::uint32_t sum = 0;
    for (std::uint64_t byte = offset; byte < offset + bytes; byte += 4) sum += words[byte / 4];
    if (bytes < 4) sum = sum >> 8 * (offset % 4) & ((1u << 8 * bytes) - 1);
    registers_[instruction.result] = sum;
    return at;
  }

  std::uint32_t sum_of(const Instruction& await) const {
    std::uint32_t sum = 0;
    for (const std::uint32_t value : await.operands)
      sum += static_cast<std::uint32_t>(registers_[value]);
    return sum;
  }

 private:
  std::uint64_t setup(const Instruction& i) const {
    const auto in = [&](std::size_t n) { return registers_[i.operands[n]]; };
    switch (i.op) {
      case Op::thread: return std::uint64_t{block_} * threads_ + thread_;
      case Op::in_block: return thread_;
      case Op::block: return block_;
      case Op::lane: return thread_ % kLanes;
      case Op::warp: return thread_ / kLanes;
      case Op::const_u64:
      case Op::const_b32: return i.immediate;
      case Op::add_u64:
      case Op::at: return in(0) + in(1);
      case Op::mul_u64: return in(0) * in(1);
      case Op::mulhi_u64:
        return static_cast<std::uint64_t>(static_cast<unsigned __int128>(in(0)) * in(1) >> 64);
      case Op::xor_u64: return in(0) ^ in(1);
      case Op::shr_u64: return in(0) >> i.immediate;
      case Op::word_b32: return static_cast<std::uint32_t>(in(0));
      default: return in(0);  // wide
    }
  }

  const Kernel& kernel_;
  std::vector<std::uint64_t> registers_;
  std::uint32_t block_, thread_, threads_;
};

/// Entries are taken in order; a wave load that finds none free waits for the first to return.
class Table {
 public:
  void load(std::size_t lines) {
    if (returns_.size() == kEntries) {
      clock_ = std::max(clock_, returns_.top());
      returns_.pop();
    }
    clock_ += kIssue + kPerLine * static_cast<double>(lines);
    last_ = std::max(last_, clock_ + kRoundTrip);
    returns_.push(clock_ + kRoundTrip);
  }
  double last() const { return last_; }

 private:
  double clock_ = 0, last_ = 0;
  std::priority_queue<double, std::vector<double>, std::greater<>> returns_;
};

}  // namespace

Memory memory_of(const codegen::Program& program) {
  Memory memory;
  for (const codegen::Buffer& buffer : program.buffers) {
    auto& words = memory.emplace_back((buffer.bytes + 3) / 4);
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = codegen::initial_word(i);
  }
  return memory;
}

std::string not_executed(const Kernel& kernel) {
  if (kernel.observe != Observe::latency) return "what observes more than a latency";
  if (kernel.placed || !kernel.arrays.empty()) return "arrays, or blocks at their places";
  std::string missing;
  const auto look = [&](const Instruction& instruction) {
    if (std::ranges::find(kExecuted, instruction.op) == std::end(kExecuted))
      missing = codegen::info(instruction.op).name;
  };
  codegen::for_each(kernel.setup, look);
  codegen::for_each(kernel.timed, look);
  return missing;
}

BlockRun run_block(const codegen::Program& program, const codegen::Launch& launch,
                   std::uint32_t block, const Memory& memory) {
  std::vector<Thread> threads;
  for (std::uint32_t t = 0; t < launch.threads; ++t)
    threads.emplace_back(program, launch, block, t);
  BlockRun run;
  Table table;
  for (const Instruction& instruction : program.kernels[launch.kernel].timed) {
    if (instruction.op == Op::await) {
      for (const Thread& thread : threads) run.checksum += thread.sum_of(instruction);
      continue;
    }
    for (std::size_t first = 0; first < threads.size(); first += kLanes) {
      std::set<std::uint64_t> lines;
      for (std::size_t t = first; t < std::min(threads.size(), first + kLanes); ++t)
        lines.insert(threads[t].load(instruction, memory) / kLine);
      table.load(lines.size());
    }
  }
  run.clocks = table.last();
  return run;
}

}  // namespace gpx::wave64
