// The names of the table. Interface: operations.h.
#include "lang/operations.h"

#include <algorithm>

namespace gpx {

const std::vector<OperationName>& operation_names() {
  static const std::vector<OperationName> names = {
#define GPX_OPERATION(name, type, pipe, sm, ptx, sass, help) {name, help},
#include "lang/operations.def"
#undef GPX_OPERATION
  };
  return names;
}

bool is_operation(std::string_view name) {
  const auto& names = operation_names();
  return std::any_of(names.begin(), names.end(),
                     [&](const OperationName& row) { return row.name == name; });
}

}  // namespace gpx
