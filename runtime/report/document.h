// Document: a JSON document of gpx (docs/output.md, schema 1), read back as the run that it is of,
// so that a report of a stored run is the report of the run. Covered by
// tests/report/document_test.cpp.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lang/source.h"
#include "runtime/pipeline.h"

namespace gpx::report {

/// A run and what is known of its making beyond it.
struct Document {
  std::string version;  ///< Of the gpx that measured it.
  RunResult result;
  /// What the document's own `provenance` says (name, value), for people.
  std::vector<std::pair<std::string, std::string>> provenance;
};

/// Documents of earlier versions lack fields; what they do not say stays empty, and the columns'
/// roles are told by their names. Errors, with a place: no JSON, not a document of gpx, a field of
/// another type, a table whose rows do not fit its columns.
Result<Document> read_document(const Source& text);

}  // namespace gpx::report
