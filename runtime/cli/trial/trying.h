// What gpx try does around trials: tables, JSON, and where kernels print.
// Covered by tests/cli/try_command_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "runtime/report/style.h"
#include "runtime/trial/trial.h"

namespace gpx::cli {

/// Of schema 1: a list of trials, and how many have each outcome.
std::string trials_json(const std::vector<Trial>& trials, const std::string& device);

/// A table of outcomes by folder below `path`, then each kernel that does not run; `all`: every
/// kernel.
std::string trials_text(const std::vector<Trial>& trials, const std::string& path,
                        const std::string& device, bool all, const report::Style& style);

/// While it lives, standard output is standard error: the driver of a real GPU writes there what
/// kernels print, between the outcomes.
class OutputAside {
 public:
  OutputAside();
  ~OutputAside();
  OutputAside(const OutputAside&) = delete;
  OutputAside& operator=(const OutputAside&) = delete;

 private:
  int kept_ = -1;
};

}  // namespace gpx::cli
