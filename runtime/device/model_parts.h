// Model parts: what a modelled device may leave out. An experiment that asks for it sees no effect,
// which is no finding about anything. Covered by tests/vgpu/model_parts_test.cpp.
#pragma once

#include <string>
#include <string_view>

namespace gpx {

struct ModelPart {
  enum class Name {
    l1,
    l2,
    translation,
    shared_banks,
    constant_caches,
    texture_caches,
    instruction_caches,
    operation_costs,
    operand_latency,
    atomic_contention
  };
  Name name;
  std::string_view label;  ///< "banks of shared memory"
  bool modelled;
  std::string_view without;  ///< What an experiment sees where it is left out.
};

/// What a model was made with, for people: "L2", "1536 KB, 12 ways, ...". No analysis sees it.
struct ModelValue {
  std::string part, value;
};

}  // namespace gpx
