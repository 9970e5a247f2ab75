// Evaluating an expression over a sweep: at every point where that is cheap, else at its ends.
// Covered by tests/lang/check_test.cpp.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lang/experiment.h"

namespace gpx {

/// Calls `visit` with points of the sweep (a value for each axis, as from Sweep::at) that differ in
/// the axes which `exprs` name: all of them up to 65,536 combinations, beyond that the first, last,
/// smallest and largest value of each axis. Stops when `visit` returns false.
void for_each_point(const Sweep& sweep, const std::vector<const Expr*>& exprs,
                    const std::function<bool(const std::vector<Value>&)>& visit);

/// "where n = 3 and threads = 64": the axes that `exprs` name, at `point`; "" if they name none.
std::string where(const Sweep& sweep, const std::vector<const Expr*>& exprs,
                  const std::vector<Value>& point);

}  // namespace gpx
