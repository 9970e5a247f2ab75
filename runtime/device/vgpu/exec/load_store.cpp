// ld and st of every space, width and vector size; texture fetches; fences. Interface:
// memory_handler in decode.h. Covered by tests/vgpu/exec_control_test.cpp.
#include <cstring>

#include "runtime/device/vgpu/exec/access.h"

namespace gpx::vgpu::exec {
namespace {

using ptx::OpId;
using ptx::Type;

/// An element from memory as a register holds it: signed types fill it, others end in zeros.
template <class T>
std::uint64_t load_element(const std::uint8_t* data) {
  T value;
  std::memcpy(&value, data, sizeof(T));
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
}

template <class T>
void load(Context& c, const Op& op) {
  c.effect.is_load = true;
  Lanes& d = c.r[op.d];
  access_memory(c, op, sizeof(T),
                [&](const std::uint8_t* data, unsigned lane) { d[lane] = load_element<T>(data); });
}
template <class T>
void load_vector(Context& c, const Op& op) {
  c.effect.is_load = true;
  const std::int32_t* list = c.machine.program->lists.data() + op.list;
  access_memory(c, op, sizeof(T) * op.count, [&](const std::uint8_t* data, unsigned lane) {
    for (unsigned k = 0; k < op.count; ++k) {
      c.r[list[k]][lane] = load_element<T>(data + k * sizeof(T));
    }
  });
}
template <class T>
void store(Context& c, const Op& op) {
  c.effect.is_store = true;
  const Lanes& b = c.in(op.b);
  access_memory(c, op, sizeof(T), [&](std::uint8_t* data, unsigned lane) {
    write_element(c, data, static_cast<T>(b[lane]));
  });
}
template <class T>
void store_vector(Context& c, const Op& op) {
  c.effect.is_store = true;
  const std::int32_t* list = c.machine.program->lists.data() + op.list;
  access_memory(c, op, sizeof(T) * op.count, [&](std::uint8_t* data, unsigned lane) {
    for (unsigned k = 0; k < op.count; ++k) {
      write_element(c, data + k * sizeof(T), static_cast<T>(c.in(list[k])[lane]));
    }
  });
}

Handler pick_load(Type type, bool vector) {
  return of_bits(type, [&]<class T>(T) -> Handler {
    using S = std::make_signed_t<T>;
    if (ptx::is_signed(type)) return vector ? &load_vector<S> : &load<S>;
    return vector ? &load_vector<T> : &load<T>;
  });
}
Handler pick_store(Type type, bool vector) {
  return of_bits(type,
                 [&]<class T>(T) -> Handler { return vector ? &store_vector<T> : &store<T>; });
}

// A texture object of 32-bit words without filtering: a fetch gives the word of its coordinate; the
// other components of a one-component texel are 0.
void fetch(Context& c, const Op& op) {
  c.effect.is_load = true;
  c.effect.space = ptx::Space::texture;
  c.effect.bytes = 4;
  c.effect.addresses = &c.machine.addresses;
  const Lanes &handle = c.in(op.a), &coordinate = c.in(op.b);
  for_lanes(c.mask, [&](unsigned i) {
    const std::uint64_t begin = texture_address(handle[i]);
    if (begin == 0)
      c.trap = fmt::format(
          "0x{:x} is no texture object: a kernel from a file cannot use textures; "
          "read the array through a pointer, with __ldg where it is read-only",
          handle[i]);
    c.machine.addresses[i] =
        begin + 4 * static_cast<std::uint64_t>(std::int64_t{get<std::int32_t>(coordinate[i])});
  });
  if (!c.trap.empty()) return;
  const std::int32_t* list = c.machine.program->lists.data() + op.list;
  for_accesses(c, GlobalAccess<true>(c), 4, [&](const std::uint8_t* data, unsigned lane) {
    c.r[list[0]][lane] = load_element<std::uint32_t>(data);
    for (unsigned k = 1; k < op.count; ++k) c.r[list[k]][lane] = 0;
  });
}

// Every access is complete when its instruction is: there is nothing to wait for.
void fence(Context&, const Op&) {}

// ---- accesses that move nothing

/// `holds(begin, bytes)`: all of them are there. `slowly`: lane by lane, which says what fails.
template <class Holds, class Slowly>
void check_lanes(Context& c, unsigned bytes, Holds holds, Slowly slowly) {
  const Lanes& addresses = c.machine.addresses;
  const std::uint64_t first = addresses[static_cast<unsigned>(std::countr_zero(c.mask))];
  const std::uint64_t differ = differing_bits(c.mask, addresses);
  if (((first | differ) & (bytes - 1)) == 0 && differ >> 60 == 0) {
    const std::uint64_t span = std::bit_ceil(differ + 1);
    if (holds(first & ~(span - 1), span - 1 + bytes)) return;
    std::uint64_t low = first, high = first;
    for (Mask m = c.mask; m != 0; m &= m - 1) {
      const std::uint64_t address = addresses[static_cast<unsigned>(std::countr_zero(m))];
      low = std::min(low, address), high = std::max(high, address);
    }
    if (holds(low, high - low + bytes)) return;
  }
  slowly();
}

}  // namespace

void check_accesses(Context& c, ptx::Space space, unsigned bytes, bool reads, bool cluster) {
  const auto looks = [](const std::uint8_t*, unsigned) {};
  if (space == ptx::Space::global) {
    const auto slowly = [&] {
      if (reads)
        for_accesses(c, GlobalAccess<true>(c), bytes, looks);
      else
        for_accesses(c, GlobalAccess<false>(c), bytes, looks);
    };
    check_lanes(
        c, bytes,
        [&](std::uint64_t at, std::uint64_t count) { return c.machine.memory->holds(at, count); },
        slowly);
  } else if (space == ptx::Space::shared) {
    const SharedAccess access(c, cluster);
    const auto holds = [&](std::uint64_t at, std::uint64_t count) {
      const std::uint64_t last = at + count - 1;
      return at / kWindowBytes == last / kWindowBytes && access(at, 1, 0) && access(last, 1, 0);
    };
    check_lanes(c, bytes, holds, [&] { for_accesses(c, access, bytes, looks); });
  } else {
    const std::uint64_t all = c.machine.program->local_bytes;
    const auto holds = [&](std::uint64_t at, std::uint64_t count) {
      return at <= all && count <= all - at;
    };
    check_lanes(c, bytes, holds, [&] { for_accesses(c, LocalAccess(c), bytes, looks); });
  }
}

Handler memory_handler(const ptx::Instruction& i) {
  bool vector = ptx::modifiers_of(i).vector() > 1;
  switch (ptx::id_of(i)) {
    case OpId::ld:
    case OpId::ldu: return pick_load(i.type, vector);
    case OpId::st: return pick_store(i.type, vector);
    case OpId::tex_1d: return &fetch;
    case OpId::membar:
    case OpId::fence:
    case OpId::fence_async:
    case OpId::fence_init:
    case OpId::fence_tensormap:
    case OpId::fence_tensormap_release:
    case OpId::fence_alias:
    case OpId::fence_generic: return &fence;
    default: return nullptr;
  }
}

}  // namespace gpx::vgpu::exec
