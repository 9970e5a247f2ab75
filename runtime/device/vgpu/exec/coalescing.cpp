// Interface: coalescing.h. Covered by tests/vgpu/transactions_test.cpp, timing_test.cpp and
// memory_queue_test.cpp.
#include "runtime/device/vgpu/exec/coalescing.h"

#include <algorithm>
#include <bit>

namespace gpx::vgpu {
namespace {

constexpr unsigned kHalf = exec::kWarpSize / 2;
constexpr std::uint64_t kSector = 32, kLine = 128;

void add(Requests& out, std::uint64_t line, unsigned lanes, unsigned bytes, unsigned seen) {
  const unsigned at = out.count++;
  out.line[at] = line;
  out.lanes_of[at] = static_cast<std::uint8_t>(lanes);
  out.bytes_of[at] = static_cast<std::uint16_t>(bytes);
  out.complete_after[at] = static_cast<std::uint8_t>(seen);
}

/// Where a line is among those of an access, by hashing: lanes that lie anywhere would else be
/// compared with all before them.
class Places {
 public:
  /// Its place among the first `count` of `lines`; `count`, which it now has, where it is new.
  unsigned of(std::uint64_t line, const std::array<std::uint64_t, exec::kWarpSize>& lines,
              unsigned count) {
    std::size_t slot = line * 0x9e3779b97f4a7c15ull >> (64 - kBits);
    while (place_[slot] != 0 && lines[place_[slot] - 1u] != line) slot = (slot + 1) % kSlots;
    if (place_[slot] == 0) place_[slot] = static_cast<std::uint8_t>(count + 1);
    return place_[slot] - 1u;
  }

 private:
  static constexpr unsigned kBits = 7;  // four times the lanes of a warp
  static constexpr std::size_t kSlots = std::size_t{1} << kBits;
  std::array<std::uint8_t, kSlots> place_{};  // 0: none
};

/// Different addresses of the lanes; in most accesses each is higher than the one before.
unsigned distinct(exec::Mask active, const exec::Lanes& addresses) {
  std::array<std::uint64_t, exec::kWarpSize> seen;
  unsigned count = 0;
  bool rising = true;
  for (exec::Mask rest = active; rest != 0; rest &= rest - 1) {
    seen[count] = addresses[static_cast<unsigned>(std::countr_zero(rest))];
    rising = rising && (count == 0 || seen[count] > seen[count - 1]);
    ++count;
  }
  if (rising) return count;
  std::sort(seen.begin(), seen.begin() + count);
  return static_cast<unsigned>(std::unique(seen.begin(), seen.begin() + count) - seen.begin());
}

/// Lanes that are served at a time.
unsigned lanes_at_a_time(CoalescingRule rule, unsigned bytes) {
  if (rule != CoalescingRule::split_lines) return kHalf;
  return bytes >= 16 ? exec::kWarpSize / 4 : bytes == 8 ? kHalf : exec::kWarpSize;
}

}  // namespace

/// Lanes that are served at a time.
struct Coalescer::Part {
  exec::Mask active;
  const exec::Lanes& addresses;
  unsigned bytes;     // of a lane
  unsigned seen;      // active lanes up to its last one
  unsigned requests;  // of the parts before

  std::uint64_t address(exec::Mask lanes) const {
    return addresses[static_cast<unsigned>(std::countr_zero(lanes))];
  }
  unsigned lanes() const { return static_cast<unsigned>(std::popcount(active)); }
};

Coalescer::Coalescer(std::uint64_t line, CoalescingRule rule)
    : shift_(static_cast<unsigned>(std::countr_zero(line))), rule_(rule) {}

/// Requests that so many bytes need.
unsigned Coalescer::fewest(unsigned bytes) const {
  return std::max(1u, (bytes + (1u << shift_) - 1) >> shift_);
}

void Coalescer::coalesce(exec::Mask active, const exec::Lanes& addresses, Requests& out,
                         unsigned bytes) const {
  out.count = out.lanes = 0;
  out.coalesced = true;
  if (rule_ == CoalescingRule::lines) return by_line(active, addresses, out, bytes);
  const unsigned width = lanes_at_a_time(rule_, bytes);
  const exec::Mask first = width == exec::kWarpSize ? ~exec::Mask{0} : (exec::Mask{1} << width) - 1;
  for (unsigned from = 0; from < exec::kWarpSize; from += width) {
    const exec::Mask mask = active & (first << from);
    if (mask == 0) continue;
    out.lanes += static_cast<unsigned>(std::popcount(mask));
    by_part({mask, addresses, bytes, out.lanes, out.count}, out);
  }
}

void Coalescer::by_line(exec::Mask active, const exec::Lanes& addresses, Requests& out,
                        unsigned bytes) const {
  if (active != 0 && exec::differing_bits(active, addresses) >> shift_ == 0) {
    const auto lanes = static_cast<unsigned>(std::popcount(active));
    add(out, addresses[static_cast<unsigned>(std::countr_zero(active))] >> shift_, lanes,
        std::min(bytes * lanes, 1u << shift_), lanes);
    out.lanes = lanes;
    return;
  }
  unsigned count = 0, seen = 0, last = 0;
  Places places;
  for (exec::Mask rest = active; rest != 0; rest &= rest - 1) {
    const std::uint64_t line = addresses[std::countr_zero(rest)] >> shift_;
    ++seen;
    unsigned at = last;
    if (count == 0 || line != out.line[last]) at = places.of(line, out.line, count);
    if (at == count) {
      out.line[at] = line;
      out.lanes_of[at] = 0;
      ++count;
    }
    ++out.lanes_of[at];
    out.complete_after[at] = static_cast<std::uint8_t>(seen);
    last = at;
  }
  out.count = count;
  out.lanes = seen;
  for (unsigned i = 0; i < count; ++i)
    out.bytes_of[i] =
        static_cast<std::uint16_t>(std::min<unsigned>(bytes * out.lanes_of[i], 1u << shift_));
  // Lanes that share a word need it once.
  out.coalesced = count <= 1 || (count <= fewest(seen * bytes) &&
                                 count <= fewest(distinct(active, addresses) * bytes));
}

// A later part's requests that are coalesced join those of the parts before in the same line: the
// paper's model counts one transaction for a warp whose accesses are all coalesced.
void Coalescer::by_part(const Part& part, Requests& out) const {
  if (rule_ == CoalescingRule::in_order)
    by_order(part, out);
  else
    by_segment(part, out,
               rule_ == CoalescingRule::split_lines || part.bytes > 2 ? kLine : 32 * part.bytes);
  if (!out.coalesced) return;
  unsigned kept = part.requests;
  for (unsigned i = part.requests; i < out.count; ++i) {
    const auto end = out.line.begin() + part.requests;
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
void Coalescer::by_order(const Part& half, Requests& out) const {
  const std::uint64_t segment = kHalf * half.bytes;
  const unsigned first = static_cast<unsigned>(std::countr_zero(half.active));
  const std::uint64_t base = half.addresses[first] - std::uint64_t{first % kHalf} * half.bytes;
  bool in_order = base % segment == 0 && half.bytes >= 4 && half.bytes <= 16;
  for (exec::Mask rest = half.active; rest != 0 && in_order; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    in_order = half.addresses[lane] == base + std::uint64_t{lane % kHalf} * half.bytes;
  }
  if (in_order) {
    const std::uint64_t piece = std::min(segment, kLine);
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
void Coalescer::by_segment(const Part& part, Requests& out, std::uint64_t most) const {
  for (exec::Mask rest = part.active; rest != 0;) {
    const std::uint64_t segment = part.address(rest) / most;
    std::uint64_t low = UINT64_MAX, high = 0;
    unsigned served = 0;
    for (exec::Mask lanes = rest; lanes != 0; lanes &= lanes - 1) {
      const std::uint64_t address = part.address(lanes);
      if (address / most != segment) continue;
      low = std::min(low, address);
      high = std::max(high, address + part.bytes - 1);
      ++served;
      rest &= ~(lanes & ~(lanes - 1));
    }
    std::uint64_t size = most;
    while (size > kSector && low / (size / 2) == high / (size / 2)) size /= 2;
    add(out, (segment * most) >> shift_, served,
        static_cast<unsigned>(std::min<std::uint64_t>(size, std::uint64_t{served} * part.bytes)),
        part.seen);
  }
  out.coalesced = out.coalesced && out.count - part.requests <= fewest(part.lanes() * part.bytes);
}

void Coalescer::count_same(exec::Mask active, const exec::Lanes& addresses, Requests& out) const {
  std::fill_n(out.same_of.begin(), out.count, std::uint8_t{1});
  while (active != 0) {
    const std::uint64_t address = addresses[static_cast<unsigned>(std::countr_zero(active))];
    unsigned lanes = 0;
    for (exec::Mask rest = active; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      if (addresses[lane] != address) continue;
      ++lanes;
      active &= ~(exec::Mask{1} << lane);
    }
    for (unsigned i = 0; i < out.count; ++i)
      if (out.line[i] == address >> shift_)
        out.same_of[i] = static_cast<std::uint8_t>(std::max<unsigned>(out.same_of[i], lanes));
  }
}

CoalescingRule coalescing_rule(int sm_major, int sm_minor) {
  if (sm_major == 1) return sm_minor < 2 ? CoalescingRule::in_order : CoalescingRule::segments;
  return sm_major == 2 ? CoalescingRule::split_lines : CoalescingRule::lines;
}

std::string_view to_string(CoalescingRule rule) {
  switch (rule) {
    case CoalescingRule::in_order: return "half-warps in order (1.0, 1.1)";
    case CoalescingRule::segments: return "segments of half-warps (1.2, 1.3)";
    case CoalescingRule::split_lines: return "lines of 128 B (2.x)";
    case CoalescingRule::lines: return "sectors of 32 B";
  }
  return "";
}

std::optional<std::uint32_t> bytes_of_transaction(CoalescingRule rule, const WarpAccess& access) {
  if (rule == CoalescingRule::lines) return kSector;
  if (rule == CoalescingRule::split_lines) return access.past_l1 ? kSector : kLine;
  return std::nullopt;
}

Transactions transactions_of(CoalescingRule rule, const WarpAccess& access,
                             const exec::Lanes& addresses) {
  if (rule == CoalescingRule::split_lines && access.past_l1) rule = CoalescingRule::lines;
  const std::uint64_t line = rule == CoalescingRule::lines ? kSector : kLine;
  Requests requests;
  Coalescer(line, rule).coalesce(access.active, addresses, requests, access.bytes);
  const auto whole = bytes_of_transaction(rule, access);
  std::uint32_t needed = 0;
  for (unsigned i = 0; i < requests.count; ++i) needed += requests.bytes_of[i];
  const std::uint32_t bytes = whole ? *whole * requests.count : needed;
  if (!requests.coalesced) return {false, requests.count, bytes, needed};
  const auto end = requests.line.begin() + requests.count;
  for (auto at = requests.line.begin(); at != end; ++at) *at /= kLine / line;
  std::sort(requests.line.begin(), end);
  const auto lines = std::unique(requests.line.begin(), end) - requests.line.begin();
  return {true, static_cast<std::uint32_t>(lines), bytes, needed};
}

}  // namespace gpx::vgpu
