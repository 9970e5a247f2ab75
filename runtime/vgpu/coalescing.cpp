// Interface: coalescing.h. Covered by tests/vgpu/transactions_test.cpp.
#include "runtime/vgpu/coalescing.h"

#include <algorithm>
#include <array>

namespace gpx::vgpu {
namespace {

constexpr std::uint64_t kSector = 32, kLine = 128;

/// The addresses of the active lanes of one group, with their lane numbers in the group.
struct Group {
  std::array<std::uint64_t, exec::kWarpSize> address{};
  std::array<unsigned, exec::kWarpSize> lane{};
  unsigned size = 0;
};

Group group_of(const WarpAccess& access, const exec::Lanes& addresses, unsigned first,
               unsigned lanes) {
  Group group;
  for (unsigned i = 0; i < lanes; ++i) {
    if (!(access.active >> (first + i) & 1)) continue;
    group.address[group.size] = addresses[first + i];
    group.lane[group.size++] = i;
  }
  return group;
}

/// Different pieces of `unit` bytes that the lanes touch: of 4 bytes and more, or of a lane's size.
unsigned pieces(const Group& group, unsigned bytes, std::uint64_t unit) {
  constexpr std::size_t kMostOfLane = 32 / 4 + 1;  // 32 B, not aligned
  std::array<std::uint64_t, kMostOfLane * exec::kWarpSize> seen;
  unsigned count = 0;
  for (unsigned i = 0; i < group.size; ++i) {
    const std::uint64_t last = (group.address[i] + bytes - 1) / unit;
    for (std::uint64_t piece = group.address[i] / unit; piece <= last; ++piece)
      seen[count++] = piece;
  }
  std::sort(seen.begin(), seen.begin() + count);
  return static_cast<unsigned>(std::unique(seen.begin(), seen.begin() + count) - seen.begin());
}

/// Lanes k at words k of one aligned segment.
bool in_order(const Group& group, unsigned bytes) {
  if (bytes != 4 && bytes != 8 && bytes != 16) return false;
  const std::uint64_t base = group.address[0] - std::uint64_t{group.lane[0]} * bytes;
  if (base % (16 * bytes) != 0) return false;
  for (unsigned i = 0; i < group.size; ++i)
    if (group.address[i] != base + std::uint64_t{group.lane[i]} * bytes) return false;
  return true;
}

/// The segments that the lanes touch; that one is halved changes its bytes, not their number.
unsigned segments(const Group& group, unsigned bytes) {
  return pieces(group, bytes, bytes == 1 ? 32 : bytes == 2 ? 64 : 128);
}

struct Served {
  unsigned transactions = 0;
  bool whole = false;  ///< As few as there can be.
};

Served serve(CoalescingRule rule, const Group& group, const WarpAccess& access) {
  switch (rule) {
    case CoalescingRule::in_order:
      if (in_order(group, access.bytes)) return {access.bytes == 16 ? 2u : 1u, true};
      return {group.size, false};
    case CoalescingRule::segments: {
      const unsigned count = segments(group, access.bytes);
      return {count, count == 1};
    }
    case CoalescingRule::lines: {
      const unsigned count = pieces(group, access.bytes, kLine);
      return {count, count == 1};
    }
    case CoalescingRule::sectors:
      break;
  }
  const unsigned count = pieces(group, access.bytes, kSector);
  const unsigned granule = std::min(access.bytes, 4u);
  const std::uint64_t used = std::uint64_t{pieces(group, access.bytes, granule)} * granule;
  return {count, count == (used + kSector - 1) / kSector};
}

/// Lanes that are served at a time.
unsigned lanes_of(CoalescingRule rule, unsigned bytes) {
  if (rule == CoalescingRule::in_order) return 16;
  if (rule == CoalescingRule::segments) return bytes == 16 ? 8 : 16;
  if (rule == CoalescingRule::lines) return bytes == 16 ? 8 : bytes == 8 ? 16 : 32;
  return exec::kWarpSize;
}

}  // namespace

CoalescingRule coalescing_rule(int sm_major, int sm_minor) {
  if (sm_major == 1) return sm_minor < 2 ? CoalescingRule::in_order : CoalescingRule::segments;
  return sm_major == 2 ? CoalescingRule::lines : CoalescingRule::sectors;
}

std::string_view to_string(CoalescingRule rule) {
  switch (rule) {
    case CoalescingRule::in_order:
      return "half-warps in order (1.0, 1.1)";
    case CoalescingRule::segments:
      return "segments of half-warps (1.2, 1.3)";
    case CoalescingRule::lines:
      return "lines of 128 B (2.x)";
    case CoalescingRule::sectors:
      return "sectors of 32 B";
  }
  return "";
}

Transactions transactions_of(CoalescingRule rule, const WarpAccess& access,
                             const exec::Lanes& addresses) {
  if (rule == CoalescingRule::lines && access.past_l1) rule = CoalescingRule::sectors;
  const unsigned lanes = lanes_of(rule, access.bytes);
  Transactions out{true, 0};
  for (unsigned first = 0; first < exec::kWarpSize; first += lanes) {
    const Group group = group_of(access, addresses, first, lanes);
    if (group.size == 0) continue;
    const Served served = serve(rule, group, access);
    out.coalesced &= served.whole;
    out.count += served.transactions;
  }
  if (out.coalesced)
    out.count = pieces(group_of(access, addresses, 0, exec::kWarpSize), access.bytes, kLine);
  return out;
}

}  // namespace gpx::vgpu
