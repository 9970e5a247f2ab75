// Document: a JSON document of gpx (docs/output.md, schema 1) as the run that it is of, with what
// its text says beyond it (plots, sweep, expectations), so that a report of a document is the
// report of the run. Covered by tests/report/document_test.cpp.
#pragma once

#include "runtime/report/report.h"

namespace gpx::report {

/// As from_json(); errors are prefixed alike. The text of the experiments is checked again: where
/// this gpx no longer takes it, or the document of an earlier version does not have it, axes are
/// those of the samples, and plots are the usual ones.
Result<ReadRun> read_document(const std::string& text, const std::string& name);

}  // namespace gpx::report
