// Steps. Interface: step.h.
#include "runtime/device/vgpu/exec/sass/step.h"

namespace gpx::vgpu::exec::sass {
namespace {

/// From sm_90 on an address has its block's rank in the cluster above the lower 24 bits. Without
/// comparisons, which vectors of 64 bits lack on every host: `apart` is all ones for other ranks.
std::uint64_t ranked_address(std::uint64_t address, std::uint64_t own) {
  const std::uint64_t rank = address >> kRankShift, apart = 0 - ((0 - (rank ^ own)) >> 63);
  return ((rank + 1) << kRankShift & apart) + (address & ((1u << kRankShift) - 1));
}

std::uint64_t generic_address(const Context& c, std::uint64_t address) {
  const auto low = static_cast<std::uint32_t>(address);
  if (address >> 32 == kSharedHigh) return kSharedWindow + shared_address(c, low);
  return address >> 32 == kLocalHigh ? kLocalWindow + low : address;
}

constexpr Lanes kZeros{};

/// The parts of an address, before it is one of a space; zeros where one is missing.
struct Sum {
  const Lanes &low, &high, &low2, &high2;
  unsigned shift;
  std::uint64_t offset;

  std::uint64_t operator()(unsigned i) const {
    const std::uint64_t first = static_cast<std::uint32_t>(low[i]) | high[i] << 32,
                        second = static_cast<std::uint32_t>(low2[i]) | high2[i] << 32;
    return (first << shift) + second + offset;
  }
};

Sum sum_of(const Context& c, const Input& in) {
  const auto row = [&](std::int32_t source) -> const Lanes& {
    return source == Input::kNone ? kZeros : c.in(source);
  };
  return {row(in.lo),  row(in.hi), row(in.lo2),
          row(in.hi2), in.shift,   static_cast<std::uint64_t>(in.offset)};
}

template <class Use>
void for_sums(Context& c, const Input& in, Use use) {
  const Sum sum = sum_of(c, in);
  Lanes& to = c.r[in.to];
  for_lanes(c.mask, [&](unsigned i) { to[i] = use(sum(i)); });
}

/// Sums of all lanes & `keep`, and the bits above that differ from `above` in some of them.
[[gnu::always_inline]] inline std::uint64_t add_up(const Sum& sum, std::uint64_t keep,
                                                   std::uint64_t above, Lanes& to) {
  std::uint64_t differ = 0;
#ifndef __clang__
#pragma GCC ivdep
#endif
  for (unsigned i = 0; i < kWarpSize; ++i) {
    const std::uint64_t each = sum(i) & 0xffffffff;
    differ |= (each ^ above) & ~keep;
    to[i] = each & keep;
  }
  return differ;
}
std::uint64_t add_up_plain(const Sum& sum, std::uint64_t keep, std::uint64_t above, Lanes& to) {
  return add_up(sum, keep, above, to);
}
#if defined(__x86_64__)
[[gnu::target("avx2")]] std::uint64_t add_up_wide(const Sum& sum, std::uint64_t keep,
                                                  std::uint64_t above, Lanes& to) {
  return add_up(sum, keep, above, to);
}
const auto add_up_all = __builtin_cpu_supports("avx2") ? &add_up_wide : &add_up_plain;
#else
const auto add_up_all = &add_up_plain;
#endif

/// Addresses of shared memory; nearly always all are of the warp's own block.
void shared_addresses(Context& c, const Input& in) {
  const std::uint64_t own = c.block().rank, inside = (std::uint64_t{1} << kRankShift) - 1;
  if (c.mask == kFull && add_up_all(sum_of(c, in), inside, own << kRankShift, c.r[in.to]) == 0)
    return;
  for_sums(c, in, [own](std::uint64_t v) { return ranked_address(v & 0xffffffff, own); });
}

template <class Use>
void for_words(Context& c, const Input& in, Use use) {
  Lanes& to = c.r[in.to];
  const Lanes& lo = c.in(in.lo);
  if (in.hi == Input::kNone) {
    for_lanes(c.mask,
              [&](unsigned i) { to[i] = use(std::uint64_t{static_cast<std::uint32_t>(lo[i])}); });
    return;
  }
  const Lanes& hi = c.in(in.hi);
  for_lanes(c.mask,
            [&](unsigned i) { to[i] = use(static_cast<std::uint32_t>(lo[i]) | hi[i] << 32); });
}

void gather(Context& c, const Input& in) {
  using Kind = Input::Kind;
  constexpr std::uint64_t kInfinity = 0x7ffull << 52, kMagnitude = ~(1ull << 63);
  const std::uint64_t keep = in.keep, flip = in.flip;
  switch (in.kind) {
    case Kind::bits:
      return for_words(c, in, [&](std::uint64_t v) { return (v >> in.shift & keep) ^ flip; });
    case Kind::minus:
      return for_words(
          c, in, [](std::uint64_t v) { return std::uint64_t{0u - static_cast<std::uint32_t>(v)}; });
    case Kind::real64:
      return for_words(c, in, [&](std::uint64_t v) {
        return (v & kMagnitude) > kInfinity ? v : (v & keep) ^ flip;
      });
    case Kind::low:
      return for_words(c, in,
                       [&](std::uint64_t v) { return ((v & 0xffff) * 0x10001 & keep) ^ flip; });
    case Kind::high:
      return for_words(
          c, in, [&](std::uint64_t v) { return ((v >> 16 & 0xffff) * 0x10001 & keep) ^ flip; });
    case Kind::active:
      return for_lanes(c.mask, [&, mask = c.mask](unsigned i) { c.r[in.to][i] = mask; });
    case Kind::global: return for_sums(c, in, [](std::uint64_t v) { return v; });
    case Kind::shared:
      if (c.machine.shared_begin == 0)
        return for_sums(c, in, [](std::uint64_t v) { return v & 0xffffffff; });
      return shared_addresses(c, in);
    case Kind::local:
      return for_sums(c, in,
                      [](std::uint64_t v) { return std::uint64_t{static_cast<std::uint32_t>(v)}; });
    case Kind::generic:
      return for_sums(c, in, [&](std::uint64_t v) { return generic_address(c, v); });
  }
}

}  // namespace

std::uint64_t shared_address(const Context& c, std::uint32_t address) {
  return c.machine.shared_begin == 0 ? address : ranked_address(address, c.block().rank);
}

void run_step(Context& c, const Op& op) {
  const Step& step = step_of(c, op);
  for (const Input& input : step.inputs) gather(c, input);
  step.run(c, step.inner);
  if (!c.trap.empty() || c.effect.retried) return;
  for (const Output& output : step.outputs) {
    const Lanes& from = c.in(output.from);
    Lanes &lo = c.r[output.lo], &hi = c.r[output.hi];
    for_lanes(c.mask, [&](unsigned i) {
      const std::uint64_t value = from[i];
      lo[i] = static_cast<std::uint32_t>(value);
      hi[i] = value >> 32;
    });
  }
}

}  // namespace gpx::vgpu::exec::sass
