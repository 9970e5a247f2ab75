// A device that reports all there is: a different value for each row of runtime/device/facts.def.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "runtime/device/info.h"

namespace gpx::test {

inline DeviceInfo all_facts() {
  DeviceInfo device;
  std::uint32_t row = 100;
  for_each_fact(device, [&](const Fact&, auto& member) {
    using Member = std::remove_reference_t<decltype(member)>;
    ++row;
    if constexpr (std::is_same_v<Member, std::string>)
      member = "text " + std::to_string(row);
    else if constexpr (std::is_same_v<Member, std::vector<std::uint32_t>>)
      member = {row, row + 1};
    else
      member = static_cast<Member>(row);
  });
  return device;
}

}  // namespace gpx::test
