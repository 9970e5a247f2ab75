// A text to its experiments, in one step: for who needs nothing of the tree between the two.
// Covered by tests/runtime/prepare_test.cpp.
#pragma once

#include "lang/language.h"

namespace gpx {

/// parse() and check().
inline Result<std::vector<Experiment>> read_experiments(const Source& source,
                                                        const std::vector<Setting>& settings = {}) {
  const auto ast = parse(source);
  if (!ast) return tl::unexpected<Error>(ast.error());
  return check(*ast, source, settings);
}

}  // namespace gpx
