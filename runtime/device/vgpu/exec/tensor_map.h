// What a virtual GPU writes into a tensor map's memory, and its copies read there. On a real GPU
// these bytes are the driver's. Covered by tests/vgpu/exec_copy_test.cpp.
#pragma once

#include <array>
#include <cstdint>

#include "codegen/ir/program.h"

namespace gpx::vgpu::exec {

struct TensorWords {
  static constexpr std::uint64_t kMark = 0x7870675f736e6574;  ///< Nothing else begins so.
  std::uint64_t mark = 0;
  std::uint64_t address = 0;  ///< Of the first element.
  std::uint32_t sides = 0, element = 0;
  std::array<std::uint64_t, 5> extents = {};
  std::array<std::uint32_t, 5> box = {};
};
static_assert(sizeof(TensorWords) <= codegen::TensorMap::kBytes);

inline TensorWords tensor_words(const codegen::TensorMap& map, std::uint64_t address) {
  TensorWords made{TensorWords::kMark, address, static_cast<std::uint32_t>(map.box.size()),
                   map.element};
  for (std::size_t i = 0; i < map.box.size(); ++i)
    made.extents[i] = map.extents[i], made.box[i] = map.box[i];
  return made;
}

}  // namespace gpx::vgpu::exec
