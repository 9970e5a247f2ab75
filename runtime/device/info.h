// What a driver reports about a device. Of it an analysis sees the facts that facts.def marks; of a
// device it may know nothing else. Covered by tests/runtime/device_facts_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lang/value.h"

namespace gpx {

/// One member for each row of facts.def.
struct DeviceInfo {
#define GPX_FACT(type, member, initial, ...) type member = initial;
#include "runtime/device/facts.def"
#undef GPX_FACT

  bool operator==(const DeviceInfo&) const = default;
};

/// A row of facts.def.
struct Fact {
  std::string_view key;  ///< The member's name: in JSON, Lua and libgpx.
  Unit unit;
  bool seen;  ///< By analyses.
  std::string_view label, about;
};

inline constexpr Fact kFacts[] = {
#define GPX_SEEN_yes true
#define GPX_SEEN_no false
#define GPX_FACT(type, member, initial, unit, seen, label, about) \
  {#member, Unit::unit, GPX_SEEN_##seen, label, about},
#include "runtime/device/facts.def"
#undef GPX_FACT
#undef GPX_SEEN_yes
#undef GPX_SEEN_no
};

/// visit(fact, member) for each, in the table's order. `Info`: DeviceInfo, const or not.
template <typename Info, typename Visit>
void for_each_fact(Info& info, Visit&& visit) {
  std::size_t row = 0;
#define GPX_FACT(type, member, ...) visit(kFacts[row++], info.member);
#include "runtime/device/facts.def"
#undef GPX_FACT
}

/// Any member's value, for what treats all alike.
using FactValue = std::variant<bool, double, std::string, std::vector<double>>;

struct ReportedFact {
  const Fact* fact;
  FactValue value;
};

/// All facts of a device, in the table's order, without those that it does not report.
std::vector<ReportedFact> reported_facts(const DeviceInfo& info);

}  // namespace gpx
