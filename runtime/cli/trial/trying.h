// What gpx try does around a trial: a process for each kernel, tables, JSON.
// Covered by tests/cli/try_command_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "runtime/report/style.h"
#include "runtime/trial/trial.h"

namespace gpx::cli {

struct TryLimits {
  double seconds = 20;                                  ///< Wall and processor, of a kernel.
  std::uint64_t memory_bytes = std::uint64_t{8} << 30;  ///< Of addresses, on a virtual GPU.
};
inline constexpr TryLimits kTryLimits;

/// The trial in a process of this program, which is killed when its time is over.
Trial try_apart(const std::string& program, const std::string& device, const FoundKernel& kernel,
                double seconds);

/// Of schema 1: a list of trials, and how many have each outcome.
std::string trials_json(const std::vector<Trial>& trials, const std::string& device);
std::vector<Trial> read_trials(const std::string& json);

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
