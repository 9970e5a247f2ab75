// Interface: recorded_prober.h. Covered by tests/runtime/probe_log_test.cpp.
#include "runtime/analysis/recorded_prober.h"

#include <fmt/format.h>

#include "lang/vocabulary.h"

namespace gpx {

RecordingProber::RecordingProber(Prober& prober, ProbeLog& log) : prober_(prober), log_(log) {
  for (const std::string& name : names_of(TermKind::space))
    if (const auto space = space_of(name)) log_.most_bytes[*space] = prober.most_bytes(*space);
}

Result<std::vector<double>> RecordingProber::ask(const ProbeRequest& request) {
  auto answer = prober_.ask(request);
  ProbeRecord& record = log_.records.emplace_back();
  record.question = request.question();
  if (answer) {
    record.answer = *answer;
  } else {
    record.fault = answer.error().fault;
    record.why = answer.error().diagnostics.front().message;
  }
  return answer;
}

std::uint64_t RecordingProber::most_bytes(Space space) const {
  return prober_.most_bytes(space);
}

ReplayProber::ReplayProber(const ProbeLog& log) : log_(log) {
  for (std::size_t i = 0; i < log.records.size(); ++i) left_[log.records[i].question].push_back(i);
}

Result<std::vector<double>> ReplayProber::ask(const ProbeRequest& request) {
  const std::string question = request.question();
  const auto found = left_.find(question);
  if (found == left_.end() || found->second.empty()) {
    const Error error = make_error(
        Fault::device, fmt::format("the log of probes lacks a request: {}", question),
        found == left_.end() ? "" : "it has fewer records of this request than are needed");
    if (!lacked_) lacked_ = error;
    return tl::unexpected(error);
  }
  const ProbeRecord& record = log_.records[found->second.front()];
  found->second.pop_front();
  if (record.why) return fail(record.fault, *record.why);
  return record.answer;
}

std::uint64_t ReplayProber::most_bytes(Space space) const {
  const auto found = log_.most_bytes.find(space);
  return found == log_.most_bytes.end() ? 0 : found->second;
}

}  // namespace gpx
