// Kernel IR: what holds of every kernel that leaves lowering or the parser.
// Interface: codegen/ir/kernel.h. Covered by tests/codegen/verify_test.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "codegen/ir/inline_ptx.h"
#include "codegen/ir/kernel.h"
#include "codegen/ir/operation.h"
#include "lang/atomics.h"
#include "lang/lists.h"

namespace gpx::codegen {
namespace {

// Names that the emitter gives to its own variables.
constexpr std::string_view kReserved[] = {
    "result",        "start", "end",    "order",   "fold",    "hit",     "sink",    "u32",
    "u64",           "even",  "odd",    "unknown", "again",   "more",    "pass",    "idle",
    "kept",          "row",   "part",   "role",    "passes",  "meet",    "on_rank", "cluster_rank",
    "cluster_ranks", "full",  "parity", "elected", "elector", "arrived", "token"};

bool is_identifier(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto other = [](char c) { return (c >= '0' && c <= '9') || c == '_'; };
  if (name.empty() || !letter(name[0])) return false;
  return std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || other(c); });
}

// An instruction of lang/atomics.h in a space that has atomics, of the op's width and operands.
bool is_atomic_of(std::string_view name, const OpInfo& row) {
  for (const AtomicName& atomic : atomic_names())
    for (const char* space : {"global", "shared", ""})
      if (atomic.ptx(space) == name)
        return atomic.row->bytes == row.bytes && atomic.returns == (row.result != '-') &&
               atomic.row->compares == row.name.starts_with("cas");
  return false;
}

// One pass over a kernel. The first mistake is kept: later ones often follow from it.
class Verifier {
 public:
  explicit Verifier(const Kernel& kernel)
      : kernel_(kernel),
        defined_(kernel.registers.size()),
        ready_(kernel.registers.size()),
        gone_(kernel.registers.size()) {}

  std::string run() {
    names();
    declared();
    list(kernel_.setup, Region::setup);
    ends_with(kernel_.setup, Op::ready, "setup");
    emitter_needs();
    in_setup_ = defined_;
    list(kernel_.timed, Region::timed);
    ends_with(kernel_.timed, Op::await, "timed");
    awaited();
    registers_fit();
    for (const Kernel& beside : kernel_.beside) {
      require(kernel_.placed, "a co-runner of a block that has no place");
      require(!beside.clocked() && beside.beside.empty(), "a co-runner observes");
      if (mistake_.empty()) mistake_ = Verifier(beside).run();
    }
    return mistake_;
  }

 private:
  template <typename... Args>
  void require(bool holds, fmt::format_string<Args...> text, Args&&... args) {
    if (!holds && mistake_.empty()) mistake_ = fmt::format(text, std::forward<Args>(args)...);
  }

  void names() {
    require(is_identifier(kernel_.name), "'{}' is not a name for a kernel", kernel_.name);
    require(kernel_.threads >= 1, "a block of 0 threads");
    require(kernel_.parameters <= kernel_.registers.size(), "more parameters than registers");
    std::set<std::string_view> seen(std::begin(kReserved), std::end(kReserved));
    for (std::size_t i = 0; i < kernel_.registers.size(); ++i) {
      const Register& reg = kernel_.registers[i];
      require(is_identifier(reg.name), "'{}' is not a name for a register", reg.name);
      require(seen.insert(reg.name).second, "the name %{} is taken", reg.name);
      if (i >= kernel_.parameters) continue;
      require(reg.type == Type::buffer || reg.type == Type::u64,
              "parameter {} is neither a buffer nor a u64", reg.name);
      require(i == 0 || reg.type != Type::buffer || kernel_.registers[i - 1].type == Type::buffer,
              "buffer {} stands after a scalar", reg.name);
      defined_[i] = true;
    }
  }

  void declared() {
    std::set<std::string_view> seen;
    for (const KernelArray& array : kernel_.arrays) {
      require(is_identifier(array.name), "'{}' is not a name for an array", array.name);
      require(seen.insert(array.name).second, "the array {} is there twice", array.name);
      require(array.bytes > 0, "array {} has 0 bytes", array.name);
    }
    for (const KernelMemory& memory : kernel_.memories) {
      require(is_identifier(memory.name), "'{}' is not a name for a memory", memory.name);
      require(seen.insert(memory.name).second, "the memory {} is there twice", memory.name);
      require(memory.bytes > 0 && memory.bytes % 4 == 0, "memory {} has {} bytes", memory.name,
              memory.bytes);
    }
    require(traits_of(kernel_.observe).has_key(Extent::accesses) == kernel_.each.has_value(),
            "observe each and its records go together");
  }

  void list(const std::vector<Instruction>& instructions, Region region) {
    for (std::size_t i = 0; i < instructions.size(); ++i)
      step(instructions[i], region, i + 1 == instructions.size());
  }

  // What a region defines has a value only there, but for what await names: that starts as 0.
  void nested(const std::vector<Instruction>& region) {
    const std::vector<bool> outside = defined_;
    ++depth_;
    list(region, Region::timed);
    --depth_;
    for (std::size_t i = 0; i < defined_.size(); ++i)
      if (defined_[i] && !outside[i]) gone_[i] = true;
    defined_ = outside;
  }

  void step(const Instruction& instruction, Region region, bool last) {
    if (!mistake_.empty()) return;
    const OpInfo& row = info(instruction.op);
    require(row.region == region || row.region == Region::both, "{} in the {} region", row.name,
            region == Region::setup ? "setup" : "timed");
    const bool cached = row.bytes > 0 || is_chase(instruction.op) ||
                        (is_copy(instruction.op) && !is_bulk(instruction.op));
    require(instruction.cache == CacheOp::unspecified || cached, "{} has a cache operator",
            row.name);
    copies(instruction, row);
    const bool whole = instruction.op == Op::sync || instruction.op == Op::sync_cluster;
    require(!whole || depth_ == 0, "{} in divergent code", row.name);
    const bool of_cluster =
        instruction.op == Op::ranks || instruction.op == Op::rank || is_on_rank(instruction.op) ||
        is_cluster_barrier(instruction.op) ||
        (instruction.op == Op::operate && instruction.name.starts_with("barrier.cluster"));
    require(!of_cluster || kernel_.clustered, "{} of a kernel without clusters", row.name);
    named(instruction, row);
    if (instruction.op == Op::loop) head(instruction);
    if (row.bytes > 0)
      require(instruction.immediate < kMaxOffset, "offset {} of {} is not below {}",
              instruction.immediate, row.name, kMaxOffset);
    for (std::uint32_t operand : instruction.operands) use(operand, instruction.op, region);
    operand_types(instruction, row);
    result(instruction, row);
    if (instruction.op == Op::ready && mistake_.empty()) {
      require(last, "ready is not the last of the setup");
      for (std::uint32_t operand : instruction.operands) ready_[operand] = true;
    }
    require(instruction.op != Op::await || (last && depth_ == 0),
            "await is not the last of the timed region");
    regions(instruction, row);
  }

  void copies(const Instruction& instruction, const OpInfo& row) {
    if (!is_copy(instruction.op) && !is_bulk(instruction.op)) return;
    require(depth_ == 0, "{} in divergent code", row.name);
    require(!is_copy(instruction.op) || contains(kernel_.memories, kCopied, &KernelMemory::name),
            "{} has no memory {}", row.name, kCopied);
    require(instruction.immediate < kMaxOffset && instruction.target < kMaxOffset,
            "an offset of {} is not below {}", row.name, kMaxOffset);
    box(instruction, row);
    const bool counted = is_copy(instruction.op) && is_bulk(instruction.op);
    require(!counted || (instruction.count > 0 && instruction.count % 16 == 0), "{} of {} bytes",
            row.name, instruction.count);
  }

  void box(const Instruction& instruction, const OpInfo& row) {
    constexpr std::uint32_t kMostSides = 5, kLongest = 256;
    const std::vector<std::uint32_t>& box = instruction.box;
    if (!is_tensor(instruction.op)) return require(box.empty(), "{} has a box", row.name);
    require(box.size() >= 3 && box.size() <= 1 + kMostSides, "{} of {} dimensions", row.name,
            box.empty() ? 0 : box.size() - 1);
    std::uint64_t bytes = 1;
    for (std::uint32_t side : box) {
      require(side > 0 && side <= kLongest, "a box with a side of {}", side);
      bytes *= side;
    }
    require(bytes == instruction.count, "{} of {} bytes: its box has {}", row.name,
            instruction.count, bytes);
  }

  // What a name stands for must be there.
  void named(const Instruction& instruction, const OpInfo& row) {
    const std::string& name = instruction.name;
    switch (instruction.op) {
      case Op::shared:
        return require(is_identifier(name) && shared_.insert(name).second,
                       "the shared word {} is there twice", name);
      case Op::ld_shared:
      case Op::st_shared:
        return require(shared_.count(name) > 0, "there is no shared word {}", name);
      case Op::stamp: return require(contains(kernel_.stamps, name), "there is no stamp {}", name);
      case Op::keep: return require(contains(kernel_.keeps, name), "nothing is kept as {}", name);
      case Op::base:
      case Op::link:
      case Op::base_rank:
      case Op::link_rank:
      case Op::chase_b32:
      case Op::chase_b64:
        return require(kernel_.find_array(name) != nullptr, "there is no array {}", name);
      case Op::at_shared:
      case Op::at_rank:
        return require(contains(kernel_.memories, name, &KernelMemory::name),
                       "there is no memory {}", name);
      case Op::atom_b32:
      case Op::atom_b64:
      case Op::cas_b32:
      case Op::cas_b64:
      case Op::red_b32:
      case Op::red_b64: return require(is_atomic_of(name, row), "{} is no {}", name, row.name);
      case Op::operate:
        require(find_operation(name) != nullptr || is_inline_ptx(name), "there is no operation {}",
                name);
        require(instruction.data == OperandData::usual || takes_data(name), "{} takes no data",
                name);
        require(find_operation(name, instruction.source) != nullptr,
                "no chain of {} runs through the source '{}'", name, instruction.source);
        return require(instruction.streams > 0 && instruction.count > 0 &&
                           instruction.count % instruction.streams == 0,
                       "{} executions of {} in {} streams", instruction.count, name,
                       instruction.streams);
      default: return require(name.empty(), "{} has a name", row.name);
    }
  }

  // The first region of a while defines its condition, and both regions may use what it defines.
  void head(const Instruction& instruction) {
    if (instruction.regions.size() != 2) return;  // regions() says so
    ++depth_;
    list(instruction.regions[0], Region::timed);
    --depth_;
  }

  void regions(const Instruction& instruction, const OpInfo& row) {
    const std::size_t wanted = instruction.op == Op::when || instruction.op == Op::loop ? 2
                               : instruction.op == Op::diverge                          ? 1
                                                                                        : 0;
    require(instruction.regions.size() == wanted, "{} has {} regions", row.name,
            instruction.regions.size());
    require((instruction.op == Op::diverge) == !instruction.values.empty(), "{} over {} values",
            row.name, instruction.values.size());
    if (!mistake_.empty()) return;
    for (std::size_t i = instruction.op == Op::loop ? 1 : 0; i < wanted; ++i)
      nested(instruction.regions[i]);
  }

  void use(std::uint32_t operand, Op op, Region region) {
    const OpInfo& row = info(op);
    require(operand < kernel_.registers.size(), "{} uses a register that is not there", row.name);
    if (!mistake_.empty()) return;
    const std::string& name = kernel_.registers[operand].name;
    const bool late = op == Op::await && gone_[operand];
    require(defined_[operand] || late, "{} uses %{} before it has a value", row.name, name);
    // Where a tensor's rows lie only what is behind the region asks.
    const bool later = is_tensor(op) && operand < kernel_.parameters;
    if (region == Region::timed && mistake_.empty() && in_setup_[operand] && !later)
      require(ready_[operand], "{} uses %{}, which is not ready", row.name, name);
  }

  void operand_types(const Instruction& instruction, const OpInfo& row) {
    if (!mistake_.empty()) return;
    std::size_t next = 0;
    const std::size_t given = instruction.operands.size();
    const auto type = [&](std::size_t i) {
      return kernel_.registers[instruction.operands[i]].type;
    };
    for (char letter : row.operands) {
      if (letter == 'i' || letter == 'j' || letter == 'k' || letter == 'n') continue;
      const bool any = letter == 'R' || letter == 'V';
      require(any || next < given, "{} has too few operands", row.name);
      for (; mistake_.empty() && next < given; ++next) {
        const bool fits = letter == 'R'   ? type(next) == Type::address || words(type(next)) > 0
                          : letter == 'V' ? words(type(next)) > 0
                                          : static_cast<char>(type(next)) == letter;
        require(fits, "{} cannot take %{}, a {}", row.name,
                kernel_.registers[instruction.operands[next]].name, to_string(type(next)));
        if (!any) break;
      }
      if (!any) ++next;
    }
    require(next >= given, "{} has too many operands", row.name);
  }

  void result(const Instruction& instruction, const OpInfo& row) {
    if (!mistake_.empty()) return;
    const bool has = instruction.result != kNoRegister;
    require(has == (row.result != '-'), "{} {}", row.name,
            has ? "gives no result" : "has no register for its result");
    if (!mistake_.empty() || !has) return;
    require(instruction.result < kernel_.registers.size(), "{} writes a register that is not there",
            row.name);
    if (!mistake_.empty()) return;
    const Register& reg = kernel_.registers[instruction.result];
    require(static_cast<char>(reg.type) == row.result, "{} cannot write %{}, a {}", row.name,
            reg.name, to_string(reg.type));
    require(!defined_[instruction.result] && !gone_[instruction.result], "%{} is written twice",
            reg.name);
    defined_[instruction.result] = true;
  }

  // The comparisons that tie clocks to values need something to compare.
  void emitter_needs() {
    if (!mistake_.empty()) return;
    const std::vector<std::string> scalars = kernel_.scalars();
    require(std::count(scalars.begin(), scalars.end(), "never") == 1,
            "there is no parameter never : u64");
    require(kernel_.clocked() || !kernel_.rehearses(),
            "a region without clocks has warm-up passes");
  }

  void ends_with(const std::vector<Instruction>& list, Op op, std::string_view region) {
    require(!list.empty() && list.back().op == op, "the {} region does not end with {}", region,
            info(op).name);
  }

  void awaited() {
    if (!mistake_.empty()) return;
    const std::vector<std::uint32_t>& values = kernel_.timed.back().operands;
    std::set<std::uint32_t> seen;
    for (std::uint32_t value : values) {
      require(!in_setup_[value], "await names %{}, which is not loaded in the timed region",
              kernel_.registers[value].name);
      require(seen.insert(value).second, "await names %{} twice", kernel_.registers[value].name);
    }
    for_each(kernel_.timed, [&](const Instruction& instruction) {
      // The next of a chain waits for it.
      if (is_atomic(instruction.op))
        seen.insert(instruction.operands.begin(), instruction.operands.end());
    });
    for_each(kernel_.timed, [&](const Instruction& instruction) {
      if (is_load(instruction.op) || is_chase(instruction.op))
        require(seen.count(instruction.result) > 0, "%{} is loaded and not awaited",
                kernel_.registers[instruction.result].name);
    });
  }

  void registers_fit() {
    if (!mistake_.empty() || kernel_.exact_registers > 0) return;
    const std::uint32_t need = register_need(kernel_);
    const std::uint32_t budget = register_budget(kernel_.threads);
    require(need <= budget, "{} registers a thread, {} are there in a block of {} threads", need,
            budget, kernel_.threads);
  }

  const Kernel& kernel_;
  std::vector<bool> defined_, in_setup_, ready_;
  std::vector<bool> gone_;  // Defined in a region that has ended.
  std::set<std::string_view> shared_;
  int depth_ = 0;
  std::string mistake_;
};

std::uint32_t operation_registers(const Instruction& operate) {
  return expand(operation_of(operate), operate.streams, operate.streams, "").registers;
}

}  // namespace

std::uint32_t register_budget(std::uint32_t threads) {
  // 65536 registers an SM, given out to warps; 255 is the most that an instruction can name.
  const std::uint32_t rounded = (std::max(threads, 1u) + 127) / 128 * 128;
  return std::min(255u, 65536 / rounded / 8 * 8);
}

std::uint32_t register_need(const Kernel& kernel) {
  // Measured as kFrameRegisters was: while it computes many addresses.
  constexpr std::uint32_t kScratch = 8;
  if (kernel.setup.empty()) return kFrameRegisters;
  std::uint32_t addresses = 0, need = kFrameRegisters;
  for (std::uint32_t operand : kernel.setup.back().operands) {
    const Type type = kernel.registers[operand].type;
    addresses += type == Type::address ? 1 : 0;
    need += type == Type::address ? 2 : 1;
  }
  if (addresses > 1) need += std::min(addresses - 1, kScratch);
  for_each(kernel.timed, [&](const Instruction& instruction) {
    if (is_load(instruction.op))
      need += std::max(words(kernel.registers[instruction.result].type),
                       info(instruction.op).bytes / 4);
    if (instruction.op == Op::operate) need += operation_registers(instruction);
    if (instruction.op == Op::stamp) need += 1;
  });
  return need;
}

Result<void> verify(const Kernel& kernel) {
  const std::string mistake = Verifier(kernel).run();
  if (mistake.empty()) return {};
  return fail(Fault::input, fmt::format("kernel {}: {}", kernel.name, mistake));
}

}  // namespace gpx::codegen
