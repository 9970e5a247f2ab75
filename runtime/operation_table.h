// The table of operations on one device: what each row of lang/operations.def costs there.
//
// Rows are measured in batches, each an experiment of its own that `pipelines` analyses: a chain of
// one warp, and a full block. A batch that fails is halved until the row that fails stands alone,
// so that one row loses no other. Covered by tests/experiments/operation_table_test.cpp.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/pipeline.h"

namespace gpx {

struct OperationLine {
  std::string name;                   ///< "fma.rn.f32"
  std::string type;                   ///< Of the value that runs through the chain: "f32"
  std::string rounding;               ///< "rn", "rz ftz"; "" where the instruction names none.
  std::string sources;                ///< That a chain can run through: "a b c".
  std::string unit;                   ///< "alu", as device files call it.
  std::optional<Finding> latency;     ///< Clocks.
  std::optional<Finding> throughput;  ///< Executions of threads a clock of an SM.
  std::string opcodes;  ///< Machine instructions of an execution: "FFMA", "2 IADD3"; "" not known.
  std::string proof;    ///< Of the timed region: "verified", "unverified"; "" where none was made.
  std::string reason;   ///< Of an unverified region.
  std::string refused;  ///< Why the device has no numbers: then there are none.
};

struct OperationTable {
  DeviceInfo device;
  std::vector<OperationLine> lines;   ///< In the order of lang/operations.def.
  std::vector<std::string> warnings;  ///< Of its runs, each once.
  double seconds = 0;
  bool interrupted = false;  ///< Rows that were not reached have neither numbers nor a refusal.
};

struct OperationTableOptions {
  std::string device = "auto";  ///< As RunOptions::device.
  /// Names, what names begin with (`fma`), types and units of rows; empty: all.
  std::vector<std::string> only;
  std::uint64_t seed = 1;
  const std::atomic<bool>* stop = nullptr;
  std::function<void(std::size_t ended, std::size_t all)> on_batch;  ///< Rows.
};

/// Errors: a word of `only` that no row has, a device that cannot be opened.
Result<OperationTable> measure_operations(const Paths& paths, const OperationTableOptions& options);

}  // namespace gpx
