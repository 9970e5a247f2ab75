// Kernels that operate, made from the kernel IR's text.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "codegen/ir/kernel.h"
#include "lang/operations.h"
#include "lang/warpgroup.h"
#include "support.h"

namespace gpx::codegen::test {

inline Kernel parse_kernel(const std::string& text) {
  const Source source("test.kernel", text);
  auto kernels = parse_kernels(source);
  if (!kernels) FAIL(render(kernels.error()));
  if (auto verified = verify(kernels->front()); !verified) FAIL(render(verified.error()));
  return kernels->front();
}

/// One block of 128 threads that executes `operation`, `count` times in `streams` chains.
inline Kernel operating(std::string_view operation, int count, int streams) {
  std::string name(operation);
  for (char& c : name)
    if (c == '.') c = '_';
  return parse_kernel(fmt::format(
      "kernel {} {{ threads 128 param never : u64 setup {{ ready }} timed {{ operate {} x {} "
      "streams {} @ 1 await @ 1 }} observe latency {}}}",
      name, operation, count, streams,
      operation.starts_with("barrier.cluster") ? "clustered " : ""));
}

/// The rows of lang/operations.def: those of a rule have tests of their own (warpgroup_test.cpp).
inline std::vector<OperationName> table_rows() {
  std::vector<OperationName> rows = operation_names();
  std::erase_if(rows, [](const OperationName& row) { return find_warpgroup_product(row.name); });
  return rows;
}

/// The part of a golden listing that follows "// NAME".
inline std::string section(const std::string& golden, const std::string& name) {
  const std::string text = "\n" + read_text(golden_path(golden));
  const std::size_t begin = text.find("\n// " + name + "\n");
  CAPTURE(name);
  if (begin == std::string::npos) return {};
  return text.substr(begin + 1, text.find("\n// ", begin + 1) - begin);
}

}  // namespace gpx::codegen::test
