// Interface: reduction.h.
#include "runtime/device/vgpu/exec/reduction.h"

#include <cstring>

namespace gpx::vgpu::exec {
namespace {

using ptx::Type;

template <class T>
void reduce_as(Reduction by, std::uint8_t* to, const std::uint8_t* from, std::uint64_t bytes) {
  for (std::uint64_t at = 0; at + sizeof(T) <= bytes; at += sizeof(T)) {
    T old, more;
    std::memcpy(&old, to + at, sizeof old);
    std::memcpy(&more, from + at, sizeof more);
    const T made = reduced_element(by, old, more);
    std::memcpy(to + at, &made, sizeof made);
  }
}

}  // namespace

void reduce_elements(Reduction by, Type type, std::uint8_t* to, const std::uint8_t* from,
                     std::uint64_t bytes) {
  switch (type) {
    case Type::s32: return reduce_as<std::int32_t>(by, to, from, bytes);
    case Type::s64: return reduce_as<std::int64_t>(by, to, from, bytes);
    case Type::u64:
    case Type::b64: return reduce_as<std::uint64_t>(by, to, from, bytes);
    case Type::f32: return reduce_as<float>(by, to, from, bytes);
    case Type::f64: return reduce_as<double>(by, to, from, bytes);
    case Type::f16: return reduce_as<Binary16>(by, to, from, bytes);
    case Type::bf16: return reduce_as<Bfloat16>(by, to, from, bytes);
    default: return reduce_as<std::uint32_t>(by, to, from, bytes);
  }
}

}  // namespace gpx::vgpu::exec
