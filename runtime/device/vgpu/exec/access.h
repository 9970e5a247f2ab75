// How a memory instruction finds the host bytes behind its addresses: one accessor for each space.
//
// An accessor maps a lane's address to host memory, or explains why it cannot. Shared by load_store
// and atomic. Covered by tests/vgpu/exec_control_test.cpp.
#pragma once

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "runtime/device/vgpu/exec/context.h"

namespace gpx::vgpu::exec {

/// Computes the addresses of the active lanes into Machine::addresses.
inline void compute_addresses(Context& c, const Op& op) {
  Lanes& out = c.machine.addresses;
  auto offset = static_cast<std::uint64_t>(op.value);
  if (op.module_address) offset += c.machine.module_base;
  if (op.a == ptx::Operand::kNoRegister) {
    out.fill(offset);
    return;
  }
  const Lanes& base = c.r[op.a];
  if (op.wide_address) {
    for_lanes(c.mask, [&](unsigned i) { out[i] = base[i] + offset; });
  } else {
    for_lanes(c.mask, [&](unsigned i) { out[i] = static_cast<std::uint32_t>(base[i] + offset); });
  }
}

/// An address of a space of a few megabytes for a message: one before its begin has wrapped round,
/// in a register of 32 or of 64 bits, and is shown as what it was computed as.
inline std::string shown_address(std::uint64_t address) {
  const bool narrow = address >> 32 == 0;
  const std::int64_t value =
      narrow ? std::int64_t{static_cast<std::int32_t>(static_cast<std::uint32_t>(address))}
             : static_cast<std::int64_t>(address);
  return value < 0 ? fmt::format("{}", value) : fmt::format("0x{:x}", address);
}

/// `reads`: nothing is written by way of its pointers.
template <bool reads = false>
class GlobalAccess {
 public:
  static constexpr bool kOfLane = false;    ///< Lanes have memories of their own.
  static constexpr bool kScattered = true;  ///< Over more than the host's caches hold.
  explicit GlobalAccess(Context& c)
      : memory_(*c.machine.memory), constants_(c.machine.constants.get()) {}
  std::uint8_t* operator()(std::uint64_t address, unsigned bytes, unsigned lane) {
    if (!inside(address, bytes)) {
      if constexpr (reads) {
        std::uint8_t* const own = computed_[lane].data();
        const bool words = bytes % 4 == 0 && bytes <= GlobalMemory::kMostComputed;
        if (words && memory_.computed(address, bytes, own)) return own;
      }
      window_ = memory_.window(address);
      if (!inside(address, bytes)) return constant(address, bytes);
    }
    return window_.data + (address - window_.address);
  }
  std::string error(std::uint64_t address) const {
    return fmt::format("global address 0x{:x} is outside every buffer", address);
  }

 private:
  bool inside(std::uint64_t address, unsigned bytes) const {
    std::uint64_t offset = address - window_.address;
    return offset < window_.bytes && window_.bytes - offset >= bytes;
  }
  /// A generic address of a .const variable is one of global memory, too: compilers read by it.
  std::uint8_t* constant(std::uint64_t address, unsigned bytes) const {
    const std::uint64_t offset = address - kConstantWindow;
    const bool there = reads && offset < constants_->size() && constants_->size() - offset >= bytes;
    return there ? const_cast<std::uint8_t*>(constants_->data()) + offset : nullptr;
  }
  GlobalMemory& memory_;
  const std::vector<std::uint8_t>* constants_;
  GlobalMemory::Window window_;
  struct None {};
  using Computed = std::array<std::array<std::uint8_t, GlobalMemory::kMostComputed>, kWarpSize>;
  [[no_unique_address]] std::conditional_t<reads, Computed, None> computed_;
};

/// A space that is one array of bytes.
class ArrayAccess {
 public:
  static constexpr bool kOfLane = false, kScattered = false;
  ArrayAccess(std::string_view name, const std::uint8_t* data, std::uint64_t bytes)
      : name_(name), data_(const_cast<std::uint8_t*>(data)), bytes_(bytes) {}
  std::uint8_t* operator()(std::uint64_t address, unsigned bytes, unsigned) const {
    return address < bytes_ && bytes_ - address >= bytes ? data_ + address : nullptr;
  }
  std::string error(std::uint64_t address) const {
    return fmt::format("{} address {} is out of range: there are {} bytes", name_,
                       shown_address(address), bytes_);
  }

 private:
  std::string_view name_;
  std::uint8_t* data_;
  std::uint64_t bytes_;
};

/// Shared memory: the block's own, and by addresses that mapa gave that of the cluster's blocks.
class SharedAccess {
 public:
  static constexpr bool kOfLane = false, kScattered = false;
  SharedAccess(Context& c, bool cluster)
      : own_(c.block()),
        begin_(c.machine.shared_begin),
        bytes_(c.block().shared.size() - begin_),
        cluster_(cluster) {}
  std::uint8_t* operator()(std::uint64_t address, unsigned bytes, unsigned) const {
    const std::uint64_t offset = address % kWindowBytes;
    Block* block = address < kWindowBytes ? &own_ : of_rank(address / kWindowBytes - 1);
    const std::uint64_t at = offset - begin_;
    return block && at < bytes_ && bytes_ - at >= bytes ? block->shared.data() + offset : nullptr;
  }
  std::string error(std::uint64_t address) const {
    const std::uint64_t rank = address / kWindowBytes - 1;
    // Of no window of a cluster: an index that is negative or far too large.
    if (!own_.cluster || (address >= kWindowBytes && rank >= kMostClusterBlocks))
      return fmt::format("shared address {} is out of range: {}", shown_address(address), range());
    if (address >= kWindowBytes && rank != own_.rank && !cluster_)
      return fmt::format(
          "shared address 0x{:x} is of the block of rank {}: .shared::cluster "
          "reaches it",
          address, rank);
    if (address >= kWindowBytes && !of_rank(rank))
      return fmt::format("shared address 0x{:x}: there is no block of rank {}, or it has ended",
                         address, rank);
    return fmt::format("shared address 0x{:x} is out of range: {}", address % kWindowBytes,
                       range());
  }

 private:
  std::string range() const {
    return fmt::format("there are {} bytes{}", bytes_,
                       begin_ == 0 ? "" : fmt::format(" from 0x{:x} on", begin_));
  }
  Block* of_rank(std::uint64_t rank) const {
    if (rank == own_.rank && own_.cluster) return &own_;
    if (!cluster_ || !own_.cluster || rank >= own_.cluster->blocks.size()) return nullptr;
    return own_.cluster->blocks[rank];
  }

  Block& own_;
  std::uint64_t begin_, bytes_;
  bool cluster_;
};
inline ArrayAccess constant_access(Context& c) {
  const auto& bytes = *c.machine.constants;
  return {"constant", bytes.data(), bytes.size()};
}
inline ArrayAccess param_access(Context& c) {
  return {"parameter", c.machine.parameters.data(), c.machine.parameters.size()};
}

class LocalAccess {
 public:
  static constexpr bool kOfLane = true, kScattered = false;
  explicit LocalAccess(Context& c)
      : memory_(c.block().local),
        bytes_(c.machine.program->local_bytes),
        begin_(std::uint64_t{c.warp.id} * kWarpSize * bytes_) {}
  std::uint8_t* operator()(std::uint64_t address, unsigned bytes, unsigned lane) const {
    const bool inside = address < bytes_ && bytes_ - address >= bytes;
    return inside ? memory_.data() + begin_ + lane * bytes_ + address : nullptr;
  }
  std::string error(std::uint64_t address) const {
    return fmt::format("local address {} is out of range: a thread has {} bytes",
                       shown_address(address), bytes_);
  }

 private:
  ZeroedBytes& memory_;
  std::uint64_t bytes_, begin_;
};

/// The space that a generic address lies in, and its address there.
inline ptx::Space resolve_generic(std::uint64_t& address) {
  using ptx::Space;
  constexpr Space kSpaces[] = {Space::local, Space::constant, Space::param};
  constexpr std::uint64_t kFirst = kLocalWindow / kWindowBytes;
  const std::uint64_t window = address / kWindowBytes;
  if (window == 0 || window >= kFirst + std::size(kSpaces)) return Space::global;
  if (window < kFirst) return address -= kSharedWindow, Space::shared;
  address %= kWindowBytes;
  return kSpaces[window - kFirst];
}

class GenericAccess {
 public:
  static constexpr bool kOfLane = true, kScattered = false;
  explicit GenericAccess(Context& c)
      : global_(c),
        shared_(c, true),
        constant_(constant_access(c)),
        param_(param_access(c)),
        local_(c) {}
  std::uint8_t* operator()(std::uint64_t address, unsigned bytes, unsigned lane) {
    switch (resolve_generic(address)) {
      case ptx::Space::shared: return shared_(address, bytes, lane);
      case ptx::Space::local: return local_(address, bytes, lane);
      case ptx::Space::constant: return constant_(address, bytes, lane);
      case ptx::Space::param: return param_(address, bytes, lane);
      default: return global_(address, bytes, lane);
    }
  }
  std::string error(std::uint64_t address) const {
    return fmt::format("generic address 0x{:x} is outside every buffer", address);
  }

 private:
  GlobalAccess<> global_;
  SharedAccess shared_;
  ArrayAccess constant_, param_;
  LocalAccess local_;
};

/// Rewrites generic addresses into those of the space that the access is reported in.
inline ptx::Space report_generic(Context& c) {
  Lanes& addresses = c.machine.addresses;
  ptx::Space first = ptx::Space::none;
  bool mixed = false;
  std::uint64_t global = 0;
  for (Mask m = c.mask; m; m &= m - 1) {
    std::uint64_t address = addresses[static_cast<unsigned>(std::countr_zero(m))];
    ptx::Space space = resolve_generic(address);
    if (space == ptx::Space::global) global = address;
    mixed |= first != ptx::Space::none && first != space;
    if (first == ptx::Space::none || space == ptx::Space::global) first = space;
  }
  for (Mask m = c.mask; m; m &= m - 1) {
    std::uint64_t& address = addresses[static_cast<unsigned>(std::countr_zero(m))];
    ptx::Space space = resolve_generic(address);
    if (mixed && space != first && first == ptx::Space::global) address = global;
  }
  return first;
}

/// Calls use(pointer, lane) for each active lane. Traps on the first bad address; `bytes` is also
/// the alignment. Fills the effect. Where a lane has the address of the one before, it has its
/// pointer: warps often access one word. Lanes of a large array lie all over the host's memory: it
/// is asked for all of them before the first is used.
template <class Access, class Use>
void for_accesses(Context& c, Access access, unsigned bytes, Use use) {
  const Lanes& addresses = c.machine.addresses;
  std::array<std::uint8_t*, kWarpSize> found;
  std::uint64_t before = 0;
  std::uint8_t* data = nullptr;
  for (Mask m = c.mask; m; m &= m - 1) {
    auto lane = static_cast<unsigned>(std::countr_zero(m));
    std::uint64_t address = addresses[lane];
    if (address != before || !data || Access::kOfLane) {
      if (address & (bytes - 1)) {
        c.trap =
            fmt::format("address 0x{:x} is not a multiple of the access' {} bytes", address, bytes);
        return;
      }
      data = access(address, bytes, lane);
      if (!data) {
        c.trap = access.error(address);
        return;
      }
      before = address;
      if constexpr (Access::kScattered) __builtin_prefetch(data);
    }
    if constexpr (Access::kScattered)
      found[lane] = data;
    else
      use(data, lane);
  }
  if constexpr (Access::kScattered)
    for_lanes(c.mask, [&](unsigned lane) { use(found[lane], lane); });
}

/// Writes a value, and notes whether that changed anything.
template <class T>
void write_element(Context& c, std::uint8_t* data, T value) {
  // Compilers call memcmp here, which took 6 % of a sweep's time.
  using Bits = std::conditional_t<
      sizeof(T) == 8, std::uint64_t,
      std::conditional_t<sizeof(T) == 4, std::uint32_t,
                         std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint8_t>>>;
  static_assert(sizeof(Bits) == sizeof(T));
  Bits before;
  std::memcpy(&before, data, sizeof before);
  c.machine.changes += before != std::bit_cast<Bits>(value);
  std::memcpy(data, &value, sizeof(T));
}

/// An access of an instruction whose values decide nothing: it fails as others do.
void check_accesses(Context& c, ptx::Space space, unsigned bytes, bool reads, bool cluster);

/// Picks the accessor of the instruction's space; the addresses are in Machine::addresses.
template <class Use>
void access_computed(Context& c, const Op& op, unsigned bytes, Use use) {
  using ptx::Space;
  constexpr bool reads = std::is_invocable_v<Use, const std::uint8_t*, unsigned>;
  Space space = op.source->space;
  bool frame = ptx::modifiers_of(*op.source).frame_param();
  if (frame || (space == Space::local && op.a == ptx::Operand::kNoRegister)) {
    // A variable of the frame. An address in a register includes the frame's begin already.
    if (op.a == ptx::Operand::kNoRegister) {
      for_lanes(c.mask, [&](unsigned i) { c.machine.addresses[i] += c.path().local_base; });
    }
    space = Space::local;
  }
  c.effect.space = op.source->space;
  c.effect.bytes = static_cast<std::uint8_t>(bytes);
  c.effect.addresses = &c.machine.addresses;
  if (op.blind)
    return check_accesses(c, space, bytes, reads, ptx::modifiers_of(*op.source).cluster());
  switch (space) {
    case Space::global: return for_accesses(c, GlobalAccess<reads>(c), bytes, use);
    case Space::shared:
      return for_accesses(c, SharedAccess(c, ptx::modifiers_of(*op.source).cluster()), bytes, use);
    case Space::constant: return for_accesses(c, constant_access(c), bytes, use);
    case Space::param: return for_accesses(c, param_access(c), bytes, use);
    case Space::local: return for_accesses(c, LocalAccess(c), bytes, use);
    default: break;
  }
  for_accesses(c, GenericAccess(c), bytes, use);
  if (c.trap.empty()) c.effect.space = report_generic(c);
}

/// The same by the operand's addresses.
template <class Use>
void access_memory(Context& c, const Op& op, unsigned bytes, Use use) {
  compute_addresses(c, op);
  access_computed(c, op, bytes, use);
}

}  // namespace gpx::vgpu::exec
