// Interface: info.h. Covered by tests/runtime/device_facts_test.cpp.
#include "runtime/device/info.h"

namespace gpx {
namespace {

FactValue value_of(bool value) {
  return value;
}
FactValue value_of(const std::string& value) {
  return value;
}
FactValue value_of(const std::vector<std::uint32_t>& values) {
  return std::vector<double>(values.begin(), values.end());
}
template <typename Number>
FactValue value_of(const Number& value) {
  return static_cast<double>(value);
}

}  // namespace

std::vector<ReportedFact> reported_facts(const DeviceInfo& info) {
  std::vector<ReportedFact> all;
  for_each_fact(info, [&](const Fact& fact, const auto& member) {
    FactValue value = value_of(member);
    // The minor of 9.0 is 0.
    const bool minor = fact.key == "sm_minor" && info.sm_major > 0;
    if ((minor || value != FactValue(0.0)) && value != FactValue(std::string()))
      all.push_back({&fact, std::move(value)});
  });
  return all;
}

}  // namespace gpx
