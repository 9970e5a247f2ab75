// Random kernels executed on the host: all threads of a block in lockstep. Interface: program.h.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "program.h"

namespace gpx::random_kernels {
namespace {

using Kind = Statement::Kind;
using Leaf = Expression::Leaf;
using Threads = std::vector<u32>;

/// A thread within one function.
struct Frame {
  std::array<std::array<u64, kVariables>, 4> variables{};
  std::array<u32, kArray> array{};
  u64 result = 0;
  bool returned = false, broke = false, continued = false;
  bool runs() const { return !returned && !broke && !continued; }
};

class Lockstep {
 public:
  Lockstep(const Kernel& kernel, const Shape& shape, Memory& memory)
      : kernel_(kernel), shape_(shape), memory_(memory) {}

  void block(u32 number) {
    block_ = number;
    shared_.resize(shape_.threads);
    floats_.assign(shape_.threads, 0);
    doubles_.assign(shape_.threads, 0);
    std::vector<Frame> frames(shape_.threads);
    Threads all;
    for (u32 t = 0; t < shape_.threads; ++t) {
      all.push_back(t);
      shared_[t] = t;
      start(frames[t], t);
    }
    const u32 first = number * shape_.threads;
    run(kernel_.body, frames, all);
    for (u32 t = 0; t < shape_.threads; ++t)
      memory_.out[first + t] = frames[t].returned ? frames[t].result : digest(frames[t]);
  }

 private:
  static void start(Frame& frame, u32 t) {
    for (std::size_t type = 0; type < 4; ++type)
      frame.variables[type][0] = type < 2    ? t
                                 : type == 2 ? std::bit_cast<u32>(static_cast<float>(t))
                                             : std::bit_cast<u64>(static_cast<double>(t));
  }
  static u64 digest(const Frame& frame) {
    u64 r = 0;
    for (Type type : kTypes)
      for (u64 bits : frame.variables[static_cast<std::size_t>(type)])
        r = r * 0x100000001b3ull ^ canonical(type, bits);
    for (u32 word : frame.array) r = r * 0x100000001b3ull ^ word;
    return r;
  }

  u64 value(const Expression& e, const Frame& frame, u32 t) const {
    switch (e.leaf) {
      case Leaf::constant: return e.value;
      case Leaf::variable: return frame.variables[static_cast<std::size_t>(e.type)][e.value];
      case Leaf::thread: return t;
      case Leaf::lane: return t & 31;
      case Leaf::block: return block_;
      case Leaf::input: return memory_.in[value(e.arguments[0], frame, t) & (kInputs - 1)];
      case Leaf::array: return frame.array[value(e.arguments[0], frame, t) & (kArray - 1)];
      default: break;
    }
    u64 v[3] = {};
    for (std::size_t k = 0; k < e.arguments.size(); ++k) v[k] = value(e.arguments[k], frame, t);
    return e.op->value(v[0], v[1], v[2]);
  }

  void run(const std::vector<Statement>& list, std::vector<Frame>& frames, const Threads& threads) {
    for (const Statement& s : list) {
      Threads active;
      for (u32 t : threads)
        if (frames[t].runs()) active.push_back(t);
      if (!active.empty()) one(s, frames, active);
    }
  }

  void one(const Statement& s, std::vector<Frame>& frames, const Threads& active) {
    const auto e = [&](std::size_t k, u32 t) { return value(s.e[k], frames[t], t); };
    switch (s.kind) {
      case Kind::assign:
        for (u32 t : active) frames[t].variables[static_cast<std::size_t>(s.type)][s.to] = e(0, t);
        break;
      case Kind::store_array:
        for (u32 t : active) frames[t].array[e(0, t) & (kArray - 1)] = static_cast<u32>(e(1, t));
        break;
      case Kind::branch: {
        Threads sides[2];
        for (u32 t : active) sides[e(0, t) != 0 ? 0 : 1].push_back(t);
        for (int k : {0, 1}) run(s.bodies[static_cast<std::size_t>(k)], frames, sides[k]);
        break;
      }
      case Kind::loop: return loop(s, frames, active);
      case Kind::leave_loop:
      case Kind::next_turn:
        for (u32 t : active)
          (s.kind == Kind::leave_loop ? frames[t].broke : frames[t].continued) |= e(0, t) != 0;
        break;
      case Kind::choose: return choose(s, frames, active);
      case Kind::give_back:
        for (u32 t : active)
          if (e(0, t) != 0) frames[t].returned = true, frames[t].result = e(1, t);
        break;
      case Kind::never: break;
      case Kind::call: return call(s, frames, active);
      default:
        if (s.kind >= Kind::atomic_wide)
          for (u32 t : active) atomic(s, frames[t], t);
        else
          together(s, frames, active);
    }
  }

  void loop(const Statement& s, std::vector<Frame>& frames, const Threads& active) {
    std::vector<u64> trips(shape_.threads);
    for (u32 t : active) trips[t] = value(s.e[0], frames[t], t) % (s.n + 1);
    for (u64 turn = 0; turn <= s.n; ++turn) {
      Threads goes_on;
      for (u32 t : active)
        if (turn < trips[t] && frames[t].runs()) goes_on.push_back(t);
      run(s.bodies[0], frames, goes_on);
      for (u32 t : goes_on) frames[t].continued = false;
    }
    for (u32 t : active) frames[t].broke = false;
  }

  void choose(const Statement& s, std::vector<Frame>& frames, const Threads& active) {
    std::vector<u64> at(shape_.threads);
    for (u32 t : active) at[t] = value(s.e[0], frames[t], t) % s.bodies.size();
    for (std::size_t k = 0; k < s.bodies.size(); ++k) {
      Threads here;
      for (u32 t : active)
        if (at[t] == k) here.push_back(t);
      run(s.bodies[k], frames, here);
      for (u32 t : here)
        if (s.falls[k]) at[t] = k + 1;
    }
  }

  void call(const Statement& s, std::vector<Frame>& frames, const Threads& active) {
    const Function& f = kernel_.functions[s.n];
    std::vector<Frame> inner(shape_.threads);
    for (u32 t : active)
      for (std::size_t type = 0; type < 4; ++type)
        inner[t].variables[type][0] = value(s.e[type], frames[t], t);
    run(f.body, inner, active);
    for (u32 t : active)
      frames[t].variables[0][s.to] =
          inner[t].returned ? inner[t].result : value(f.result, inner[t], t);
  }

  /// Warp by warp: x and k of its lanes, and which of them run.
  struct Lanes {
    u32 first = 0, live = 0;
    std::array<u64, 32> x{};
    std::array<u32, 32> k{};
  };

  void together(const Statement& s, std::vector<Frame>& frames, const Threads& active) {
    std::vector<Lanes> warps((shape_.threads + 31) / 32);
    for (u32 t : active) {
      Lanes& warp = warps[t / 32];
      warp.first = t & ~31u;
      warp.live |= 1u << (t & 31);
      warp.x[t & 31] = value(s.e[0], frames[t], t);
      warp.k[t & 31] = static_cast<u32>(value(s.e[1], frames[t], t));
    }
    if (s.kind == Kind::exchange_block || s.kind == Kind::count_block)
      return block_together(s, frames, active, warps);
    for (const Lanes& warp : warps) {
      std::array<u64, 32> result{};
      if (s.kind == Kind::exchange_warp)
        each(warp.live, [&](u32 i) { shared_[warp.first + i] = static_cast<u32>(warp.x[i]); });
      each(warp.live, [&](u32 i) { result[i] = exchanged(s, warp, i); });
      if (s.kind == Kind::aggregate) count(warp);
      each(warp.live, [&](u32 i) {
        frames[warp.first + i].variables[static_cast<std::size_t>(s.type)][s.to] = result[i];
      });
    }
  }

  void block_together(const Statement& s, std::vector<Frame>& frames, const Threads& active,
                      const std::vector<Lanes>& warps) {
    u32 trues = 0;
    for (u32 t : active) {
      const Lanes& warp = warps[t / 32];
      if (s.kind == Kind::exchange_block) shared_[t] = static_cast<u32>(warp.x[t & 31]);
      trues += (warp.x[t & 31] & 1u << (warp.k[t & 31] & 3)) != 0;
    }
    const u32 counted[] = {trues, trues == active.size(), trues != 0};
    for (u32 t : active)
      frames[t].variables[0][s.to] = s.kind == Kind::exchange_block
                                         ? shared_[(t + 1 + s.n * 7) % shape_.threads]
                                         : counted[s.n % 3];
  }

  template <class F>
  static void each(u32 mask, F f) {
    for (u32 i = 0; i < 32; ++i)
      if (mask >> i & 1) f(i);
  }
  static u32 first(u32 mask) { return static_cast<u32>(std::countr_zero(mask)); }
  static bool has(u32 mask, u32 lane) { return lane < 32 && (mask >> lane & 1); }
  static u32 peers(const Lanes& w, u32 i) {
    u32 mask = 0;
    each(w.live, [&](u32 j) { mask |= (w.k[j] & 7) == (w.k[i] & 7) ? 1u << j : 0; });
    return mask;
  }

  u64 exchanged(const Statement& s, const Lanes& w, u32 i) const {
    const u32 j = (s.n * 5 + 1) & 31, p = peers(w, i);
    const auto from = [&](u32 mask, u32 lane) { return has(mask, lane) ? w.x[lane] : w.x[i]; };
    switch (s.kind) {
      case Kind::exchange_warp:
        return has(w.live, (i ^ (1 + s.n)) & 31) ? shared_[w.first + (i ^ (1 + s.n))] : w.x[i];
      case Kind::shuffle:
      case Kind::shuffle_wide: {
        const u32 lanes[] = {w.k[i] & 31, i - j, i + j, i ^ j};
        return from(w.live, lanes[s.n % 4]);
      }
      case Kind::shuffle_tile: {
        const u32 width = 2u << ((block_ + s.n) & 3), at = i & ~(width - 1);
        const u32 tile = (width == 32 ? ~0u : (1u << width) - 1) << at & w.live;
        return from(tile, i ^ (s.n & (width - 1)));
      }
      case Kind::partition:
        return static_cast<u32>(w.x[first(p)] + static_cast<u32>(std::popcount(p)));
      case Kind::reduce: return reduced(s.n % 6, w, p);
      case Kind::vote: {
        u32 trues = 0;
        each(p, [&](u32 l) { trues |= w.x[l] & 4 ? 1u << l : 0; });
        const u32 results[] = {trues, trues != 0, trues == p};
        return results[s.n % 3];
      }
      case Kind::vote_branch: {
        u32 q = 0;
        each(w.live, [&](u32 l) { q |= w.k[l] & 2 ? 1u << l : 0; });
        if (w.k[i] & 2) return static_cast<u32>(w.x[first(q)]) ^ static_cast<u32>(std::popcount(q));
        return reduced(0, w, w.live & ~q);
      }
      default:  // aggregate
        return static_cast<u32>(memory_.votes[vote(w, i)] +
                                static_cast<u32>(std::popcount(p & ((1u << i) - 1))) +
                                (w.x[i] & 1));
    }
  }
  static u32 reduced(unsigned n, const Lanes& w, u32 mask) {
    u32 r = static_cast<u32>(w.x[first(mask)]);
    each(mask & (mask - 1), [&](u32 l) {
      const u32 x = static_cast<u32>(w.x[l]);
      const u32 results[] = {
          r + x,
          r ^ x,
          std::min(r, x),
          static_cast<u32>(std::max(static_cast<std::int32_t>(r), static_cast<std::int32_t>(x))),
          r & x,
          r | x};
      r = results[n];
    });
    return r;
  }
  std::size_t vote(const Lanes& w, u32 i) const {
    return (block_ * ((shape_.threads + 31) / 32) + w.first / 32) * 8 + (w.k[i] & 7);
  }
  void count(const Lanes& w) {
    each(w.live, [&](u32 i) { ++memory_.votes[vote(w, i)]; });
  }

  void atomic(const Statement& s, Frame& frame, u32 t) {
    const u64 x = value(s.e[0], frame, t);
    const u32 k = static_cast<u32>(value(s.e[1], frame, t)), at = block_ * shape_.threads + t;
    u64& result = frame.variables[0][s.to];
    if (s.kind == Kind::atomic_wide) {
      u64& w = memory_.slots[s.to * kSlotWords + (k & (kSlotWords - 1))];
      const auto less = static_cast<std::int64_t>(w) < static_cast<std::int64_t>(x);
      const u64 results[] = {w + x, std::min(w, x), std::max(w, x), w & x,
                             w | x, w ^ x,          less ? x : w,   w + 3 * x};
      w = results[s.n % 8];
    } else if (s.kind == Kind::atomic_own) {
      u64& w = memory_.own[4 * at];
      const u64 old = w;
      const u32 low = static_cast<u32>(w), v = static_cast<u32>(x);
      const u64 high = w & ~u64{0xffffffff};
      const bool less = static_cast<std::int64_t>(x) < static_cast<std::int64_t>(w);
      const u64 results[] = {w + x,
                             x,
                             (k & 1) ? w : x,
                             less ? x : w,
                             high | (low >= v ? 0 : low + 1),
                             high | (low == 0 || low > v ? v : low - 1),
                             high | static_cast<u32>(low - v),
                             w ^ (x << 32)};
      w = results[s.n % 8];
      result = s.n % 8 == 7 ? old >> 32 : static_cast<u32>(old);
    } else {
      result = s.type == Type::real ? add(s, s.n & 2 ? doubles_[t] : memory_.own[4 * at + 2], x)
                                    : add_float(s, at, t, static_cast<u32>(x));
    }
  }
  u32 add(const Statement&, u64& place, u64 x) const {
    const u64 old = place;
    place = canonical(Type::real,
                      std::bit_cast<u64>(std::bit_cast<double>(old) + std::bit_cast<double>(x)));
    return static_cast<u32>(canonical(Type::real, old) ^ place);
  }
  // Sums in global memory flush subnormals.
  u32 add_float(const Statement& s, u32 at, u32 t, u32 x) {
    const bool shared = s.n & 2;
    const u32 old = shared ? floats_[t] : static_cast<u32>(memory_.own[4 * at + 1]);
    const auto flush = [&](float v) {
      return !shared && std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.0f, v) : v;
    };
    const float sum = flush(flush(std::bit_cast<float>(old)) + flush(std::bit_cast<float>(x)));
    const u32 next = static_cast<u32>(canonical(Type::single, std::bit_cast<u32>(sum)));
    if (shared)
      floats_[t] = next;
    else
      memory_.own[4 * at + 1] = (memory_.own[4 * at + 1] & ~u64{0xffffffff}) | next;
    return static_cast<u32>(canonical(Type::single, old)) ^ next;
  }

  const Kernel& kernel_;
  const Shape& shape_;
  Memory& memory_;
  u32 block_ = 0;
  std::vector<u32> shared_, floats_;
  std::vector<u64> doubles_;
};

}  // namespace

void execute(const Kernel& kernel, const Shape& shape, Memory& memory) {
  Lockstep threads(kernel, shape, memory);
  for (u32 b = 0; b < shape.blocks; ++b) threads.block(b);
}

}  // namespace gpx::random_kernels
