// Steps. Interface: step.h.
#include "runtime/device/vgpu/exec/sass/step.h"

#include <cstring>

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

/// The sum of an address' parts, before it is one of a space.
template <class Use>
void for_sums(Context& c, const Input& in, Use use) {
  const auto offset = static_cast<std::uint64_t>(in.offset);
  const auto part = [&](std::int32_t lo, std::int32_t hi, unsigned i) -> std::uint64_t {
    if (lo == Input::kNone) return 0;
    const std::uint64_t low = static_cast<std::uint32_t>(c.in(lo)[i]);
    return hi == Input::kNone ? low : low | c.in(hi)[i] << 32;
  };
  Lanes& to = c.r[in.to];
  for_lanes(c.mask, [&](unsigned i) {
    to[i] = use((part(in.lo, in.hi, i) << in.shift) + part(in.lo2, in.hi2, i) + offset);
  });
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
    case Kind::global:
      return for_sums(c, in, [](std::uint64_t v) { return v; });
    case Kind::shared:
      if (c.machine.shared_begin == 0)
        return for_sums(c, in, [](std::uint64_t v) { return v & 0xffffffff; });
      return for_sums(c, in, [own = std::uint64_t{c.block().rank}](std::uint64_t v) {
        return ranked_address(v & 0xffffffff, own);
      });
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
