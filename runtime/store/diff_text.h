// A comparison of two runs for other programs and for papers: JSON, Markdown, LaTeX.
// Covered by tests/store/diff_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "runtime/report/overlay.h"
#include "runtime/report/text_table.h"
#include "runtime/store/diff.h"

namespace gpx::store {

/// docs/output.md has its fields. `a` and `b`: the two runs, in the order of `all`'s values.
std::string diff_json(const std::vector<Comparison>& all, const report::Run& a,
                      const report::Run& b);
/// A table of the findings and one of the curves.
std::string diff_table(report::TableFormat format, const std::vector<Comparison>& all,
                       const report::Run& a, const report::Run& b);

}  // namespace gpx::store
