// What analyses and the process that asked for them say to each other, as bytes.
// Covered by tests/runtime/analysis_wire_test.cpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codegen/confined/wire.h"
#include "runtime/analysis/analysis.h"
#include "runtime/analysis/prober.h"

namespace gpx {

wire::Bytes to_bytes(const Result<AnalysisResult>& result);
Result<AnalysisResult> analysis_from(const wire::Bytes& bytes);

/// A line that a script printed, to which the answer is empty.
wire::Bytes printed_bytes(const std::string& line);
/// Nothing: these bytes are no such line.
std::optional<std::string> printed_from(const wire::Bytes& bytes);

/// Of each kind of request; the other process is not trusted to have made one of them.
wire::Bytes to_bytes(const ProbeRequest& request);
/// nullptr: these bytes are no request.
std::unique_ptr<ProbeRequest> request_from(const wire::Bytes& bytes);

wire::Bytes to_bytes(const Result<std::vector<double>>& answer);
Result<std::vector<double>> answer_from(const wire::Bytes& bytes);

}  // namespace gpx
