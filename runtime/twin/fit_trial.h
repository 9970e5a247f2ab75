// Trial: the experiments of a group of fields on drafts, point by point beside the device.
// Covered by tests/twin/fit_test.cpp.
#pragma once

#include <atomic>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/pipeline.h"
#include "runtime/scratch_folder.h"
#include "runtime/twin/draft.h"
#include "runtime/twin/fit_table.h"

namespace gpx::twin {

/// ln(modelled / measured) of each point, in an order that stays.
using Residuals = std::vector<double>;

class Trial {
 public:
  /// Takes of `measured` what the row's experiments gave, each as it was measured last.
  Trial(const Paths& paths, const FitRow& row, const std::vector<Measured>& measured);

  /// Whether any experiment of the row was measured.
  bool measured() const { return !reference_.experiments.empty(); }
  /// Reads the experiments, for the device of this draft. Errors: no scratch folder, an experiment
  /// that the library lacks, text to leave out that is not there, a draft that is no device file.
  Result<void> prepare(const std::string& draft);
  /// Runs them on each draft, in as many threads. nullopt: the draft is no device file, it lacks a
  /// point that an earlier one had, or `stop` became true.
  std::vector<std::optional<Residuals>> run(const std::vector<std::string>& drafts,
                                            std::size_t threads, const std::atomic<bool>* stop);

  std::string experiments() const;  ///< Their names: "train_stores, twin_stores"
  /// Those of the row that were not, by the reason: "not measured", "failed: ...".
  std::map<std::string, std::vector<std::string>> missing(
      const std::vector<Measured>& measured) const;

 private:
  struct Listed {
    Source source;
    const FitRuns* runs;
  };
  Result<void> add(const FitRuns& runs, const std::string& device);
  std::string write(const std::string& draft);
  bool is_measured(const std::string& experiment) const;
  std::optional<Residuals> residuals(const std::vector<std::optional<RunResult>>& models);

  const Paths& paths_;
  const FitRow& row_;
  RunResult reference_;
  ScratchFolder scratch_;
  std::vector<Listed> listed_;
  std::size_t points_ = 0;
  unsigned files_ = 0;
};

}  // namespace gpx::twin
