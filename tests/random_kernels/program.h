// A random kernel as a tree: what the generator draws, the emitter prints as CUDA C++, and the
// reference executes on the host. The reference shares nothing with gpx's interpreter: values come
// from the rows of operations.cpp, control flow from masks of threads that run in lockstep.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gpx::random_kernels {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

enum class Type : std::uint8_t { word, wide, single, real };
inline constexpr Type kTypes[] = {Type::word, Type::wide, Type::single, Type::real};
inline constexpr unsigned kVariables = 4;  ///< Of each type, in each function.
inline constexpr unsigned kArray = 8;      ///< Words of a function's local array, a power of 2.

/// An operation: how CUDA C++ writes it and what it gives. Values are bits, the upper ones zeros.
struct Operation {
  const char* kind;  ///< "integer", "wide", "float", "double", "half", "conversion"
  Type result;
  std::vector<Type> arguments;
  const char* text;  ///< "{0}", "{1}", "{2}" are the arguments.
  u64 (*value)(u64, u64, u64);
};
const std::vector<Operation>& operations();
/// Prepended to the kernels: helpers that the texts of operations use.
const char* operations_prelude();
/// Any NaN is one NaN: the sign and payload of a result are not defined.
u64 canonical(Type type, u64 bits);

struct Expression {
  enum class Leaf : std::uint8_t { none, constant, variable, thread, lane, block, input, array };
  Leaf leaf = Leaf::none;
  Type type = Type::word;
  u64 value = 0;                        ///< A constant, a variable's number.
  const Operation* op = nullptr;        ///< leaf == none
  std::vector<Expression> arguments{};  ///< Of an operation; of input and array the index.
};

struct Statement {
  enum class Kind : std::uint8_t {
    assign,       ///< variable `to` = e[0]
    store_array,  ///< array[e[0]] = e[1]
    branch,       ///< if (e[0]) bodies[0] else bodies[1]
    loop,         ///< e[0] % (n + 1) times bodies[0]
    leave_loop,   ///< if (e[0]) break
    next_turn,    ///< if (e[0]) continue
    choose,       ///< switch (e[0] % bodies.size()); a body falls through where falls[k]
    give_back,    ///< if (e[0]) return e[1]: of the kernel, after a store
    never,        ///< the same where the condition never holds
    call,         ///< variable `to` = function n(e...)
    // With all threads of the block that have not returned:
    exchange_block,  ///< through shared memory and __syncthreads
    count_block,     ///< __syncthreads_count, _and, _or by n
    exchange_warp,   ///< through shared memory and __syncwarp
    shuffle,         ///< __shfl_sync, n: idx, up, down, xor
    shuffle_wide,    ///< of 64 bits
    shuffle_tile,    ///< within a tile of e[1] lanes, by its mask
    partition,       ///< __match_any_sync, then __shfl_sync among the peers
    reduce,          ///< __reduce_*_sync by n among the peers
    vote,            ///< ballot, any, all by n among the peers
    vote_branch,     ///< both sides of a branch exchange among themselves
    aggregate,       ///< atomics aggregated by key, as match-any finds them
    // Atomics, anywhere:
    atomic_wide,   ///< on slots of all threads: operation n commutes
    atomic_own,    ///< on the thread's own slot, with its old value; n: operation
    atomic_float,  ///< n: global or shared memory, by its space or a generic pointer
  };
  Kind kind = Kind::assign;
  Type type = Type::word;
  unsigned to = 0, n = 0;
  std::vector<Expression> e{};
  std::vector<std::vector<Statement>> bodies{};
  std::vector<bool> falls{};
};

struct Function {
  bool inlined = false;
  std::vector<Statement> body;  ///< Variables 0 of each type are the arguments.
  Expression result;            ///< u32
};

struct Kernel {
  std::vector<Function> functions;  ///< Called by the kernel and by later ones; 0 may call itself.
  std::vector<Statement> body;
  bool alone = true;   ///< Threads exchange nothing.
  unsigned slots = 0;  ///< Of atomic_wide.
  std::string kinds;   ///< What it was drawn for.
};

struct Shape {
  u32 blocks = 2, threads = 80;
  u32 all() const { return blocks * threads; }
};
inline constexpr unsigned kInputs = 256;   ///< Words of the input, a power of 2.
inline constexpr unsigned kSlotWords = 4;  ///< Of a slot of atomic_wide.

/// What a launch leaves in memory.
struct Memory {
  std::vector<u32> in;     ///< kInputs
  std::vector<u64> out;    ///< One for each thread.
  std::vector<u64> slots;  ///< kernel.slots * kSlotWords
  std::vector<u64> own;    ///< Four words for each thread.
  std::vector<u32> votes;  ///< 8 for each warp: counters of `aggregate`.
};
Memory initial_memory(const Kernel& kernel, const Shape& shape, u64 seed);

class Random {
 public:
  explicit Random(u64 seed) : state_(seed * 0x9e3779b97f4a7c15ull + 0x2545f4914f6cdd1dull) {}
  u64 bits() {
    u64 z = state_ += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
  }
  unsigned below(unsigned n) { return static_cast<unsigned>((bits() >> 32) * n >> 32); }
  bool one_in(unsigned n) { return below(n) == 0; }

 private:
  u64 state_;
};

/// An integer at an edge, or the bits of such a number.
u64 edge(Random& random, Type type);

Kernel draw(u64 seed);
/// `name` is the entry; nothing outside it is shared with other kernels of a text.
std::string emit(const Kernel& kernel, const std::string& name);
void execute(const Kernel& kernel, const Shape& shape, Memory& memory);

}  // namespace gpx::random_kernels
