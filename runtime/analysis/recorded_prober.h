// A prober that keeps a log of what it is asked, and one that answers from a log.
// Covered by tests/runtime/probe_log_test.cpp.
#pragma once

#include <deque>
#include <string>
#include <unordered_map>

#include "runtime/analysis/probe_log.h"
#include "runtime/analysis/prober.h"

namespace gpx {

/// Passes requests on and keeps them; both must outlive it.
class RecordingProber final : public Prober {
 public:
  RecordingProber(Prober& prober, ProbeLog& log);
  Result<std::vector<double>> ask(const ProbeRequest& request) override;
  std::uint64_t most_bytes(Space space) const override;

 private:
  Prober& prober_;
  ProbeLog& log_;
};

/// Answers each request as the log does: of requests that are the same, the first one by the first
/// answer. The log must outlive it.
class ReplayProber final : public Prober {
 public:
  explicit ReplayProber(const ProbeLog& log);
  /// One error more: the log lacks the request.
  Result<std::vector<double>> ask(const ProbeRequest& request) override;
  std::uint64_t most_bytes(Space space) const override;
  /// The first request that the log lacks. What an analysis made of such an error is worth nothing.
  const std::optional<Error>& lacked() const { return lacked_; }

 private:
  const ProbeLog& log_;
  std::unordered_map<std::string_view, std::deque<std::size_t>> left_;  ///< Places in the log.
  std::optional<Error> lacked_;
};

}  // namespace gpx
