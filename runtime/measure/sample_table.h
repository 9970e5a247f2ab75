// SampleTable: the samples of an experiment while its measures run, one launch's rows at a time.
//
// Columns: the axes, `measure` where the measures have names, `repetition`, the keys of the
// records, what any measure observes, then what is derived of it. Covered by
// tests/runtime/sample_table_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "codegen/ir/program.h"
#include "codegen/proof/timed_region.h"
#include "lang/diagnostic.h"
#include "lang/experiment.h"
#include "runtime/device/backend.h"
#include "runtime/measure/samples.h"

namespace gpx {

/// A measure of an experiment, ready to run.
struct LoweredMeasure {
  const Measure* measure = nullptr;
  codegen::Program program;
  std::vector<codegen::Artifact> artifacts;  ///< One for each kernel of the program.
  /// The proof of each kernel's timed region; none of a kernel from a file.
  std::vector<codegen::RegionReport> regions = {};
  // Of a kernel from a file: columns that describe a launch, and their values for each.
  struct FactColumn {
    std::string name;
    Unit unit = Unit::none;
    bool is_text = false;
  };
  std::vector<FactColumn> fact_columns = {};
  std::vector<std::vector<Value>> facts = {};
  double clock_hz = 0;           ///< For the column `clocks`; 0: there is none.
  std::string kernel_file = {};  ///< The path of the kernel's file; artifacts have its text.
};

class SampleTable {
 public:
  /// Both must outlive the table. All columns are there from the start; with `of_shard` also those
  /// of shard.h, the last ones.
  SampleTable(const Experiment& experiment, std::span<const LoweredMeasure> measures,
              bool of_shard = false);

  /// Appends the rows of a point: for each repetition one row, or one for each record that was
  /// written, if any. Each completed repetition must have result_words() results.
  void append(std::size_t measure, std::uint64_t point, const JobResult& job);
  /// Which point the rows from `first_row` on are of, and what its kernel read; only a shard's
  /// table keeps it.
  void mark(std::size_t first_row, std::uint64_t point, const std::string& values);

  /// Begins with rows of an earlier table. An error: its columns are not those of this one.
  Result<void> restore(const Samples& samples);

  const Samples& samples() const { return samples_; }
  Samples take() { return std::move(samples_); }

 private:
  /// Where the parts of one measure's repetition go, as indices of columns.
  struct Places {
    std::vector<std::pair<std::size_t, std::size_t>> slots;  ///< Result slot, column.
    std::vector<std::size_t> keys;                           ///< Of Records::keys.
    std::vector<std::size_t> columns;                        ///< Of Records::columns.
    std::size_t seconds = kNone;
    std::size_t clocks = kNone;
    std::size_t energy = kNone, idle_power = kNone, sm_clock = kNone;
    std::size_t blocks_run = kNone, sample_error = kNone;
    std::vector<std::size_t> facts;  ///< Of LoweredMeasure::fact_columns.
    std::size_t outcome = kNone;
    std::size_t bytes = kNone;
  };
  static constexpr std::size_t kNone = ~std::size_t{0};

  std::size_t column(const std::string& name, Unit unit, Column::Role role, bool is_text = false);
  void add_axes(std::span<const LoweredMeasure> measures);
  void add_keys(std::span<const LoweredMeasure> measures);
  void add_observed(std::size_t measure);
  void add_derived();
  void start_row(std::size_t measure, const std::vector<Value>& point, std::size_t repetition);
  void put(std::size_t column, const Value& value);
  void put_number(std::size_t column, double number) {
    samples_.columns[column].numbers.back() = number;
  }
  void put_facts(std::size_t measure, std::uint64_t point);
  void put_derived(std::size_t measure, const std::vector<Value>& point);
  void put_results(std::size_t measure, const Repetition& repetition, double accesses);
  void put_key(std::size_t column, const codegen::Records::Key& key, std::uint64_t value);
  void put_record(std::size_t measure, const codegen::Launch& launch, const Repetition& repetition,
                  std::uint64_t record);
  std::vector<std::uint64_t> written_records(std::size_t measure, const codegen::Launch& launch,
                                             const Repetition& repetition) const;

  const Experiment& experiment_;
  std::span<const LoweredMeasure> measures_;
  Samples samples_;
  std::vector<Places> places_;        ///< Of each measure.
  std::vector<std::size_t> derived_;  ///< Columns, in the order of Experiment::derived.
  std::size_t measure_column_ = kNone;
  std::size_t repetition_column_ = 0;
  std::size_t point_column_ = kNone, values_column_ = kNone;  ///< Of a shard.
};

/// The 64-bit words of a completed repetition: result slots, then records.
std::uint64_t result_words(const codegen::Program& program, const codegen::Launch& launch);

/// "completed", "deadlock", "launch_failure": the values of the column `outcome`.
std::string_view to_string(Outcome outcome);

}  // namespace gpx
