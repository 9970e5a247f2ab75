// Kernel IR -> CUDA C++: the kernel around the asm block. Interface and the shape of the code:
// codegen/emit/emit.h. Covered by tests/codegen/emit_test.cpp.
#include "codegen/emit/emit.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "codegen/emit/region.h"
#include "codegen/ir/shared_layout.h"

namespace gpx::codegen {
namespace {

constexpr std::string_view kPrelude =
    "typedef unsigned int u32;\n"
    "typedef unsigned long long u64;\n";

constexpr std::uint32_t kNoPart = 0xffffffff;
// Of a block beside another one; many times what any observation takes.
constexpr std::uint32_t kMostPasses = 1 << 20;

// Blocks wait for each other, but not for ever: one that never came is told by the count.
constexpr std::string_view kMeet =
    "\n__device__ __forceinline__ void meet(u64* met, u64 blocks) {\n"
    "  __syncthreads();\n"
    "  if (threadIdx.x == 0) {\n"
    "    atomicAdd(met, 1ull);\n"
    "    u32 polls = 0;\n"
    "    while ((u32)*(volatile u64*)met < (u32)blocks && polls < 65536) ++polls;\n"
    "    if (polls == 65536) atomicAdd(met, 1ull << 32);\n"
    "  }\n"
    "  __syncthreads();\n"
    "}\n";

std::string_view c_type(Type type) {
  switch (type) {
    case Type::buffer: return "unsigned char*";
    case Type::address:
    case Type::u64:
    case Type::wide: return "u64";
    default: return "u32";
  }
}

// Of clusters. The address of a variable in the shared memory of the block of a rank is generic.
constexpr std::string_view kCluster =
    "\n__device__ __forceinline__ u32 cluster_rank() {\n"
    "  u32 rank;\n"
    "  asm(\"mov.u32 %0, %%cluster_ctarank;\" : \"=r\"(rank));\n"
    "  return rank;\n"
    "}\n"
    "__device__ __forceinline__ u32 cluster_ranks() {\n"
    "  u32 ranks;\n"
    "  asm(\"mov.u32 %0, %%cluster_nctarank;\" : \"=r\"(ranks));\n"
    "  return ranks;\n"
    "}\n"
    "__device__ __forceinline__ u64 on_rank(const void* own, u32 rank) {\n"
    "  u64 there;\n"
    "  asm(\"mapa.u64 %0, %1, %2;\" : \"=l\"(there) : \"l\"(own), \"r\"(rank));\n"
    "  return there;\n"
    "}\n";

constexpr const char* kDynamicShared = "dynamic_shared";

class Emitter {
 public:
  Emitter(const Kernel& kernel, std::string_view file)
      : kernel_(kernel), file_(file), shared_(kernel) {
    slots_ = static_cast<std::uint32_t>(traits_of(kernel.observe).result_slots());
    sink_ = sink_slot(kernel);
    spans_ = slots_ > 0 && only_operations(kernel);
    for_each(kernel.timed, [&](const Instruction& i) {
      if (is_chase(i.op)) chases_.push_back(&i);
      if (line_ == 0) line_ = i.line;
    });
  }

  std::string run() {
    out_ += kPrelude;
    if (kernel_.placed) out_ += kMeet;
    if (kernel_.clustered) out_ += kCluster;
    constants();
    signature();
    if (kernel_.placed) places();
    if (shared_.dynamic_bytes > 0)
      put("  extern __shared__ __align__(128) unsigned char {}[];\n", kDynamicShared);
    for (const KernelArray& array : kernel_.arrays) place(array);
    memories();
    copies();
    own_memory();
    for (const Instruction& instruction : kernel_.setup) expression(instruction);
    locals();
    if (spans_) out_ += "  __shared__ u64 first;\n  if (threadIdx.x == 0) first = ~0ull;\n";
    if (kernel_.placed) put("  meet(result + {}, blocks_met);\n", sink_ + 2);
    region();
    if (kernel_.placed)
      put("  if (threadIdx.x == 0) *(volatile u64*)(result + {}) = 1;\n", sink_ + 1);
    tail();
    out_ += "}\n";
    return std::move(out_);
  }

  // The block that runs beside another one: once before they meet, then until the other is over.
  std::string beside(std::uint32_t sink) {
    sink_ = sink;
    for (const KernelArray& array : kernel_.arrays) place(array);
    for (const Instruction& instruction : kernel_.setup) expression(instruction);
    locals();
    put("  for (u32 passes = 0;; ++passes) {{\n");
    region();
    put("    if (passes == 0) meet(result + {}, blocks_met);\n"
        "    if (*(volatile u64*)(result + {}) != 0) return;\n"
        "    if (passes == {}) break;\n  }}\n"
        "  if (threadIdx.x == 0) atomicAdd(result + {}, 1ull << 32);\n  return;\n",
        sink_ + 2, sink_ + 1, kMostPasses, sink_ + 2);
    return std::move(out_);
  }

 private:
  template <typename... Args>
  void put(fmt::format_string<Args...> text, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), text, std::forward<Args>(args)...);
  }

  const std::string& name(std::uint32_t reg) const { return kernel_.registers[reg].name; }
  Type type(std::uint32_t reg) const { return kernel_.registers[reg].type; }

  void constants() {
    std::set<std::string_view> known;
    const auto declare = [&](const Kernel& kernel) {
      for (const KernelArray& array : kernel.arrays)
        if (array.space == Space::constant && known.insert(array.name).second)
          put("extern \"C\" {{\n__constant__ u32 {}[{}];\n}}\n", array.name, array.bytes / 4);
    };
    declare(kernel_);
    for (const Kernel& other : kernel_.beside) declare(other);
  }

  // A GPU puts blocks where it likes: there are enough of them to be everywhere. The first one on
  // an SM that is wanted takes what is to be done there; those that find nothing to do leave.
  void places() {
    const std::size_t claims = sink_ + 3;
    put("  __shared__ u32 part;\n  if (threadIdx.x == 0) {{\n    u32 sm;\n"
        "    asm volatile(\"mov.u32 %0, %%smid;\" : \"=r\"(sm));\n    part = {}u;\n",
        kNoPart);
    for (std::size_t i = 0; i <= kernel_.beside.size(); ++i)
      put("    {}if (sm == (u32)sm{} && atomicAdd(result + {}, 1ull) == 0) part = {};\n",
          i > 0 ? "else " : "", i, claims + i, i);
    put("  }}\n  __syncthreads();\n  const u32 role = part;\n  if (role == {}u) return;\n"
        "  const struct {{ u32 x; }} blockIdx = {{role}};\n",
        kNoPart);
    for (std::size_t i = 0; i < kernel_.beside.size(); ++i)
      put("  if (role == {}) {{\n{}  }}\n", i + 1, Emitter(kernel_.beside[i], file_).beside(sink_));
  }

  // A kernel that is to take exactly so many registers may take no more; the cubin's own number is
  // raised to it (set_cubin_registers()).
  void signature() {
    put("\nextern \"C\" __global__ void ");
    if (kernel_.exact_registers > 0) {
      put("__maxnreg__({})", kernel_.exact_registers);
    } else {
      put("__launch_bounds__({})", kernel_.threads);
    }
    if (kernel_.clustered) out_ += " __cluster_dims__()";  // The launch says how many blocks.
    put("\n{}(u64* result", kernel_.name);
    for (std::uint32_t i = 0; i < kernel_.parameters; ++i) {
      // A texture's handle is a number.
      const KernelArray* array = find_array(name(i));
      const bool handle = array && array->space == Space::texture;
      put(", {} {}", handle ? "u64" : c_type(type(i)), name(i));
    }
    out_ += ") {\n";
  }

  const KernelArray* find_array(const std::string& array) const {
    if (const KernelArray* own = kernel_.find_array(array)) return own;
    for (const Kernel& other : kernel_.beside)
      if (const KernelArray* found = other.find_array(array)) return found;
    return nullptr;
  }

  // ---- memory that the kernel lays out ----------------------------------------------------

  // `NAME_base` is what an offset is added to, `NAME_origin` what the links of the copy that is
  // chased have more than those of the buffer.
  void place(const KernelArray& array) {
    const std::string& at = array.name;
    if (is_global_memory(array.space) || array.space == Space::texture)
      put("  const u64 {}_base = (u64){};\n", at, at);
    if (array.space == Space::constant)
      put("  const u64 {}_base = __cvta_generic_to_constant({});\n", at, at);
    if (!has_own_copy(array.space)) return put("  const u64 {}_origin = 0;\n", at);
    const bool shared = array.space == Space::shared;
    const std::string_view link = is_wide(array) ? "u64" : "u32";
    const std::uint64_t links = array.bytes / (is_wide(array) ? 8 : 4);
    if (shared)
      declare_shared(link, at, "_own", links, "");
    else
      put("  {} {}_own[{}];\n", link, at, links);
    if (is_on_rank(array))
      put("  const u64 {0}_base = on_rank({0}_own, cluster_rank());\n", at);
    else
      put("  const u64 {0}_base = __cvta_generic_to_{1}({0}_own);\n", at,
          shared ? "shared" : "local");
    put("  const u64 {0}_origin = {0}_base;\n", at);
    put("  for (u64 i = {0}; i < {1}_bytes / sizeof({2}); i += {3})\n"
        "    {1}_own[i] = (({2}*){1})[i] + ({2}){1}_base;\n",
        shared ? "threadIdx.x" : "0", at, link, shared ? "blockDim.x" : "1");
  }

  void declare_shared(std::string_view type, const std::string& name, std::string_view suffix,
                      std::uint64_t count, std::string_view alignment) {
    const auto found = shared_.offsets.find(name);
    if (found == shared_.offsets.end())
      put("  __shared__ {}{} {}{}[{}];\n", alignment, type, name, suffix, count);
    else
      put("  {0}* const {1}{2} = ({0}*)({3} + {4});\n", type, name, suffix, kDynamicShared,
          found->second);
  }

  // What patterns reach in shared memory.
  void memories() {
    for (const KernelMemory& memory : kernel_.memories) {
      declare_shared("u32", memory.name, "", memory.bytes / 4,
                     memory.name == kCopied ? "__align__(128) " : "__align__(16) ");
      put("  const u64 {0}_base = __cvta_generic_to_shared({0});\n"
          "  for (u32 i = threadIdx.x; i < {1}; i += blockDim.x) {0}[i] = i * 2654435761u;\n",
          memory.name, memory.bytes / 4);
    }
    if (!kernel_.memories.empty()) out_ += "  __syncthreads();\n";
  }

  // Bulk copies are not ordered with what threads wrote before: hence the fence. The mbarrier of
  // loads expects one arrival a phase.
  void copies() {
    if (!has_bulk(kernel_)) return;
    if (has_bulk_loads(kernel_))
      out_ +=
          "  __shared__ __align__(8) u64 copies_barrier;\n"
          "  const u32 full = (u32)__cvta_generic_to_shared(&copies_barrier);\n"
          "  if (threadIdx.x == 0)\n"
          "    asm volatile(\"mbarrier.init.shared::cta.b64 [%0], 1;\" : : \"r\"(full) : "
          "\"memory\");\n";
    for (const std::string& map : tensor_maps(kernel_))
      put("  asm volatile(\"fence.proxy.tensormap::generic.acquire.gpu [%0], 128;\" : : \"l\"({}) "
          ": "
          "\"memory\");\n",
          map);
    out_ +=
        "  asm volatile(\"fence.proxy.async;\" : : : \"memory\");\n"
        "  __syncthreads();\n";
  }

  bool is_on_rank(const KernelArray& array) const {
    return std::any_of(chases_.begin(), chases_.end(), [&](const Instruction* chase) {
      return chase->name == array.name && codegen::is_on_rank(kernel_, *chase);
    });
  }

  bool is_wide(const KernelArray& array) const {
    return std::any_of(chases_.begin(), chases_.end(), [&](const Instruction* chase) {
      return chase->name == array.name && chase->op == Op::chase_b64;
    });
  }

  // Shared variables and the records of `observe each`.
  void own_memory() {
    const SharedWords shared(kernel_);
    if (!shared.words.empty())
      put("  __shared__ u32 shared_words[{}];\n"
          "  const u32 words = (u32)__cvta_generic_to_shared(shared_words);\n",
          shared.words.size());
    if (!kernel_.each) return;
    const std::uint32_t capacity = kernel_.each->streamed ? 1 : kernel_.each->capacity;
    put("  __shared__ {} each_index[{}];\n"
        "  const u32 indices = (u32)__cvta_generic_to_shared(each_index);\n",
        chases_.front()->op == Op::chase_b64 ? "u64" : "u32", capacity);
    if (kernel_.each->streamed)
      return put("  u64* const rows = result + {};\n", kernel_.result_slots());
    put("  __shared__ u32 each_latency[{}];\n"
        "  const u32 latencies = (u32)__cvta_generic_to_shared(each_latency);\n",
        capacity);
  }

  // ---- the region -------------------------------------------------------------------------

  void expression(const Instruction& instruction) {
    const OpInfo& row = info(instruction.op);
    if (row.result == '-') return;
    const std::string& result = name(instruction.result);
    if (row.region == Region::both) {
      put("  u32 {0};\n  asm(\"{1}\" : \"=r\"({0}) : \"r\"({2}), \"r\"({3}));\n", result,
          spell(instruction, [&](std::uint32_t reg) { return number(instruction, reg); }),
          name(instruction.operands[0]), name(instruction.operands[1]));
      return;
    }
    put("  const {} {} = {};\n", c_type(type(instruction.result)), result,
        spell(instruction, [this](std::uint32_t reg) { return name(reg); }));
  }

  // Operand of an asm statement for one instruction: the result, then the two operands.
  static std::string number(const Instruction& instruction, std::uint32_t reg) {
    if (reg == instruction.result) return "%0";
    return reg == instruction.operands[0] ? "%1" : "%2";
  }

  void locals() {
    put("  u64* const sink = result + {};\n", sink_);
    if (kernel_.clocked()) out_ += "  u64 start, end;\n";
    if (has_sum(kernel_)) out_ += "  u32 fold;\n";
    if (kernel_.stamps.empty()) return;
    out_ += "  u32 idle";
    for (std::size_t i = 0; i < kernel_.stamps.size(); ++i) put(", stamp{}", i);
    out_ += ";\n";
  }

  void region() {
    if (!file_.empty()) put("#line {} \"{}\"\n", std::max(line_, 1u), escaped(file_));
    out_ += RegionEmitter(kernel_).run();
    if (!file_.empty())
      put("#line {} \"{}.cu\"\n", std::count(out_.begin(), out_.end(), '\n') + 2, kernel_.name);
  }

  // ---- after the end clock ----------------------------------------------------------------

  void tail() {
    // What each observation writes, in the order of lang/observe.def.
    static constexpr void (Emitter::*kWrites[])() = {
        &Emitter::latency,   // latency
        nullptr,             // time
        nullptr,             // energy
        &Emitter::accesses,  // each
        &Emitter::latency,   // average
        &Emitter::timeline,  // timeline
        &Emitter::issue,     // issue
    };
    static_assert(std::size(kWrites) == kObserveNames.size());
    if (const auto write = kWrites[static_cast<std::size_t>(kernel_.observe)]) (this->*write)();
    if (has_copies(kernel_)) copied();
    // Which atomic came first, and what it found, no two launches agree on.
    if (!has_sum(kernel_) || has_atomics(kernel_)) return;
    // Where the whole grid is timed, one thread of each block stands for the others.
    if (!kernel_.clocked()) out_ += "  if (threadIdx.x == 0)\n  ";
    put("  atomicAdd(result + {}, (u64)fold);\n", slots_);
  }

  // What copies left, each word times an odd number of its own: where it lies counts.
  void copied() {
    out_ += "  u64 copied_sum = 0;\n";
    const auto add = [&](const std::string& words, std::uint64_t count) {
      put("  for (u32 i = threadIdx.x; i < {0}; i += blockDim.x)\n"
          "    copied_sum += (u64){1}[i] * (2 * i + 1);\n",
          count, words);
    };
    for (const Instruction& i : kernel_.timed)
      if (i.op == Op::bulk_store)
        add(fmt::format("((volatile u32*)({} + {}))", name(i.operands[0]), i.immediate),
            i.count / 4);
    for (const Instruction& i : kernel_.timed)
      if (i.op == Op::tensor_store) stored_box(i);
    for (const KernelMemory& memory : kernel_.memories)
      if (memory.name == kCopied) add(memory.name, memory.bytes / 4);
    put("  atomicAdd(result + {}, copied_sum);\n", slots_);
  }

  // Its rows lie a row of the tensor apart; the tensor is as high as the boxes of a block.
  void stored_box(const Instruction& i) {
    const std::uint32_t row = i.box[0] * i.box[1] / 4;
    const std::uint64_t rows_before = i.immediate * (i.count / 4 / row / i.box.back());
    put("  for (u32 i = threadIdx.x; i < {0}; i += blockDim.x)\n"
        "    copied_sum += (u64)*(volatile u32*)(target + (u64){1} * {2} + (i / {3} + {4}ull) * "
        "{5} + "
        "i % {3} * 4) * (2 * i + 1);\n",
        i.count / 4, name(i.operands[1]), i.box[0], row, rows_before, name(i.operands[2]));
  }

  // All lanes of a warp read the same clock: one of them reports it. Warps that fill a pipe need
  // not share it evenly: some begin late, when others have gone ahead. What the block takes is the
  // time from the first begin to the last end.
  void latency() {
    const std::string_view one = "  if (threadIdx.x % 32 == 0) ";
    if (spans_) put("{}atomicMin(&first, start);\n  __syncthreads();\n", one);
    put("{}atomicMax(result, end - {});\n", one, spans_ ? "first" : "start");
  }

  // A stamp is the low half of a clock that has passed `start`.
  void timeline() {
    put("  u32 sm;\n  asm volatile(\"mov.u32 %0, %%smid;\" : \"=r\"(sm));\n");
    put("  u64* const row = result + {} + ((u64)blockIdx.x * blockDim.x + threadIdx.x) * {};\n",
        kernel_.result_slots(), 2 * kernel_.stamps.size());
    for (std::size_t i = 0; i < kernel_.stamps.size(); ++i)
      put("  if (stamp{0} != idle) row[{1}] = start + (u32)(stamp{0} - (u32)start), row[{2}] = "
          "sm;\n",
          i, 2 * i, 2 * i + 1);
  }

  // All lanes of a warp read the same clock: one of them reports what lies between two reads.
  void issue() {
    const std::size_t statements = kernel_.stamps.size() - 1;
    put("  if (threadIdx.x % 32 == 0) {{\n    const u64 warp = (u64)blockIdx.x * "
        "((blockDim.x + 31) / 32) + threadIdx.x / 32;\n"
        "    u64* const row = result + {} + warp * {};\n",
        kernel_.result_slots(), statements);
    for (std::size_t i = 0; i < statements; ++i)
      put("    row[{}] = (u32)(stamp{} - stamp{});\n", i, i + 1, i);
    out_ += "  }\n";
  }

  // Access k read the place that access k - 1 was led to.
  void accesses() {
    if (kernel_.each->streamed) return;  // They are written within the region.
    const Instruction& chase = *chases_.front();
    put("  for (u32 k = 0; k < {}; ++k) {{\n", name(chase.operands[2]));
    put("    result[{} + 2 * (u64)k] = each_latency[k];\n", kernel_.result_slots());
    // On a rank the links are addresses of that block's copy.
    const std::string origin =
        codegen::is_on_rank(kernel_, chase) ? name(chase.operands[1]) : chase.name + "_origin";
    put("    result[{} + 2 * (u64)k] = (k == 0 ? {} : each_index[k - 1]) - {};\n  }}\n",
        kernel_.result_slots() + 1, name(chase.operands[0]), origin);
  }

  static std::string escaped(std::string_view text) {
    std::string made;
    for (char c : text) {
      if (c == '"' || c == '\\') made += '\\';
      made += c == '\n' ? ' ' : c;
    }
    return made;
  }

  const Kernel& kernel_;
  std::string_view file_;
  SharedLayout shared_;
  std::uint32_t slots_ = 1;  // Of what is observed.
  std::uint32_t sink_ = 2;   // Its result slot; where blocks meet lies behind it.
  bool spans_ = false;       ///< Its latency is the whole block's.
  std::uint32_t line_ = 0;
  std::vector<const Instruction*> chases_;
  std::string out_;
};

}  // namespace

std::string emit_cuda(const Kernel& kernel, std::string_view file) {
  return Emitter(kernel, file).run();
}

}  // namespace gpx::codegen
