// Interface: convention.h. Covered by tests/codegen/program_text_test.cpp.
#include "codegen/ir/convention.h"

#include <fmt/format.h>

#include "lang/observe.h"

namespace gpx::codegen {

std::vector<ResultSlot> results_of(const Kernel& kernel) {
  using Role = ResultSlot::Role;
  std::vector<ResultSlot> slots;
  if (kernel.observe == Observe::latency || kernel.observe == Observe::average)
    slots.push_back({"latency", 0, Role::sample});
  slots.push_back({"checksum", 0, Role::checksum});
  slots.push_back({"sink", 0, Role::scratch});
  if (kernel.placed) {
    slots.push_back({"over", 0, Role::scratch});
    slots.push_back({std::string(kMet), 0, Role::scratch});
    for (std::size_t i = 0; i <= kernel.beside.size(); ++i)
      slots.push_back({fmt::format("claim{}", i), 0, Role::scratch});
  }
  for (const std::string& column : kernel.keeps) slots.push_back({column, kNotKept, Role::sample});
  return slots;
}

Records records_of(const Kernel& kernel) {
  const ObserveTraits& traits = traits_of(kernel.observe);
  Records records;
  for (const ObservedKey& key : traits.keys)
    records.keys.push_back(
        {key.name, key.has_labels() ? kernel.stamps : std::vector<std::string>()});
  if (traits.keys.empty()) return records;
  for (const ObservedColumn& column : traits.columns) records.columns.emplace_back(column.name);
  return records;
}

}  // namespace gpx::codegen
