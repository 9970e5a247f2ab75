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

template <class T>
Handler pick_load(bool vector) {
  return vector ? &load_vector<T> : &load<T>;
}
Handler pick_load(Type type, bool vector) {
  switch (type) {
    case Type::s8:
      return pick_load<std::int8_t>(vector);
    case Type::s16:
      return pick_load<std::int16_t>(vector);
    case Type::s32:
      return pick_load<std::int32_t>(vector);
    default:
      break;
  }
  switch (ptx::bytes_of(type)) {
    case 1:
      return pick_load<std::uint8_t>(vector);
    case 2:
      return pick_load<std::uint16_t>(vector);
    case 4:
      return pick_load<std::uint32_t>(vector);
    default:
      return pick_load<std::uint64_t>(vector);
  }
}
template <class T>
Handler pick_store(bool vector) {
  return vector ? &store_vector<T> : &store<T>;
}
Handler pick_store(Type type, bool vector) {
  switch (ptx::bytes_of(type)) {
    case 1:
      return pick_store<std::uint8_t>(vector);
    case 2:
      return pick_store<std::uint16_t>(vector);
    case 4:
      return pick_store<std::uint32_t>(vector);
    default:
      return pick_store<std::uint64_t>(vector);
  }
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

}  // namespace

Handler memory_handler(const ptx::Instruction& i) {
  bool vector = ptx::modifiers_of(i).vector() > 1;
  switch (ptx::id_of(i)) {
    case OpId::ld:
    case OpId::ldu:
      return pick_load(i.type, vector);
    case OpId::st:
      return pick_store(i.type, vector);
    case OpId::tex_1d:
      return &fetch;
    case OpId::membar:
    case OpId::fence:
    case OpId::fence_async:
    case OpId::fence_init:
    case OpId::fence_tensormap:
    case OpId::fence_tensormap_release:
    case OpId::fence_alias:
    case OpId::fence_generic:
      return &fence;
    default:
      return nullptr;
  }
}

}  // namespace gpx::vgpu::exec
