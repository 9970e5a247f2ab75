// Lines of a warp, or the half-warp rules of the first devices. Interface: coalescer.h.
// Covered by tests/vgpu/timing_test.cpp and memory_queue_test.cpp.
#include "runtime/vgpu/timing/coalescer.h"

#include <algorithm>
#include <bit>

namespace gpx::vgpu::timing {
namespace {

constexpr unsigned kHalf = exec::kWarpSize / 2;

void add(Requests& out, std::uint64_t line, unsigned lanes, unsigned bytes, unsigned seen) {
  const unsigned at = out.count++;
  out.line[at] = line;
  out.lanes_of[at] = static_cast<std::uint8_t>(lanes);
  out.bytes_of[at] = static_cast<std::uint16_t>(bytes);
  out.complete_after[at] = static_cast<std::uint8_t>(seen);
}

/// Requests of 128 B that so many bytes need.
unsigned fewest(unsigned bytes) {
  return std::max(1u, (bytes + 127) / 128);
}

}  // namespace

/// What a half-warp's rule works on.
struct Coalescer::Half {
  exec::Mask active;
  const exec::Lanes& addresses;
  unsigned bytes;     // of a lane
  unsigned seen;      // active lanes up to its last one
  unsigned requests;  // of the halves before

  std::uint64_t address(exec::Mask lanes) const {
    return addresses[static_cast<unsigned>(std::countr_zero(lanes))];
  }
  unsigned lanes() const { return static_cast<unsigned>(std::popcount(active)); }
};

Coalescer::Coalescer(std::uint64_t line, CoalescingRule rule)
    : shift_(static_cast<unsigned>(std::countr_zero(line))), rule_(rule) {}

void Coalescer::coalesce(exec::Mask active, const exec::Lanes& addresses, Requests& out,
                         unsigned bytes) const {
  out.count = out.lanes = 0;
  out.coalesced = true;
  if (rule_ == CoalescingRule::lines) {
    by_line(active, addresses, out);
    out.coalesced = out.count <= fewest(out.lanes * bytes);
    for (unsigned i = 0; i < out.count; ++i)
      out.bytes_of[i] =
          static_cast<std::uint16_t>(std::min<unsigned>(bytes * out.lanes_of[i], 1u << shift_));
  } else {
    constexpr exec::Mask kLow = (1u << kHalf) - 1;
    for (const exec::Mask mask : {active & kLow, active & ~kLow}) {
      if (mask == 0) continue;
      out.lanes += static_cast<unsigned>(std::popcount(mask));
      by_half({mask, addresses, bytes, out.lanes, out.count}, out);
    }
  }
}

void Coalescer::by_line(exec::Mask active, const exec::Lanes& addresses, Requests& out) const {
  unsigned count = 0, seen = 0, last = 0;
  std::uint64_t highest = 0;
  for (exec::Mask rest = active; rest != 0; rest &= rest - 1) {
    const std::uint64_t line = addresses[std::countr_zero(rest)] >> shift_;
    ++seen;
    unsigned at = count;
    if (count != 0 && line == out.line[last]) {
      at = last;
    } else if (count != 0 && line <= highest) {  // beyond the highest line nothing can match
      for (at = 0; at < count && out.line[at] != line;) ++at;
    }
    if (at == count) {
      out.line[at] = line;
      out.lanes_of[at] = 0;
      ++count;
      if (line > highest) highest = line;
    }
    ++out.lanes_of[at];
    out.complete_after[at] = static_cast<std::uint8_t>(seen);
    last = at;
  }
  out.count = count;
  out.lanes = seen;
}

// The second half's requests that are coalesced join those of the first in the same line: the
// paper's model counts one transaction for a warp whose accesses are all coalesced.
void Coalescer::by_half(const Half& half, Requests& out) const {
  if (rule_ == CoalescingRule::cc10)
    by_order(half, out);
  else
    by_segment(half, out);
  out.coalesced = out.coalesced && out.count - half.requests <= fewest(half.lanes() * half.bytes);
  if (!out.coalesced) return;
  unsigned kept = half.requests;
  for (unsigned i = half.requests; i < out.count; ++i) {
    const auto end = out.line.begin() + half.requests;
    const auto same = std::find(out.line.begin(), end, out.line[i]);
    if (same == end) {
      out.line[kept] = out.line[i];
      out.lanes_of[kept] = out.lanes_of[i];
      out.bytes_of[kept] = out.bytes_of[i];
      out.complete_after[kept++] = out.complete_after[i];
      continue;
    }
    const auto at = static_cast<std::size_t>(same - out.line.begin());
    out.lanes_of[at] = static_cast<std::uint8_t>(out.lanes_of[at] + out.lanes_of[i]);
    out.bytes_of[at] = static_cast<std::uint16_t>(out.bytes_of[at] + out.bytes_of[i]);
    out.complete_after[at] = out.complete_after[i];
  }
  out.count = kept;
}

// Lane k of a half-warp must access word k of a segment that is aligned to 16 words of 4, 8 or 16
// bytes; lanes may be missing (NVIDIA CUDA Programming Guide 2.1, section 5.1.2.1).
void Coalescer::by_order(const Half& half, Requests& out) const {
  const std::uint64_t segment = kHalf * half.bytes;
  const unsigned first = static_cast<unsigned>(std::countr_zero(half.active));
  const std::uint64_t base = half.addresses[first] - std::uint64_t{first % kHalf} * half.bytes;
  bool in_order = base % segment == 0 && half.bytes >= 4 && half.bytes <= 16;
  for (exec::Mask rest = half.active; rest != 0 && in_order; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    in_order = half.addresses[lane] == base + std::uint64_t{lane % kHalf} * half.bytes;
  }
  if (in_order) {
    const std::uint64_t piece = std::min<std::uint64_t>(segment, 128);
    for (std::uint64_t at = base; at < base + segment; at += piece) {
      unsigned lanes = 0;
      for (exec::Mask rest = half.active; rest != 0; rest &= rest - 1)
        lanes += half.address(rest) / piece == at / piece;
      if (lanes != 0) add(out, at >> shift_, lanes, lanes * half.bytes, half.seen);
    }
    return;
  }
  out.coalesced = false;
  unsigned seen = half.seen - half.lanes();
  for (exec::Mask rest = half.active; rest != 0; rest &= rest - 1)
    add(out, half.address(rest) >> shift_, 1, half.bytes, ++seen);
}

// The segment of the lowest lane's address takes all lanes that lie in it (section 5.1.2.1, compute
// capability 1.2), and then the next. It is halved, down to 32 B, while one half has all lanes.
void Coalescer::by_segment(const Half& half, Requests& out) const {
  const std::uint64_t most = half.bytes == 1 ? 32 : half.bytes == 2 ? 64 : 128;
  for (exec::Mask rest = half.active; rest != 0;) {
    const std::uint64_t segment = half.address(rest) / most;
    std::uint64_t low = UINT64_MAX, high = 0;
    unsigned served = 0;
    for (exec::Mask lanes = rest; lanes != 0; lanes &= lanes - 1) {
      const std::uint64_t address = half.address(lanes);
      if (address / most != segment) continue;
      low = std::min(low, address);
      high = std::max(high, address + half.bytes - 1);
      ++served;
      rest &= ~(lanes & ~(lanes - 1));
    }
    std::uint64_t size = most;
    while (size > 32 && low / (size / 2) == high / (size / 2)) size /= 2;
    add(out, (segment * most) >> shift_, served,
        static_cast<unsigned>(std::min<std::uint64_t>(size, std::uint64_t{served} * half.bytes)),
        half.seen);
  }
}

}  // namespace gpx::vgpu::timing
