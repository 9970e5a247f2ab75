// Rows from launches. Interface: sample_table.h. Covered by tests/runtime/sample_table_test.cpp.
#include "runtime/measure/sample_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "lang/assert.h"
#include "lang/observe.h"
#include "runtime/measure/shard.h"

namespace gpx {
namespace {

/// Of a whole number of clocks that whole number: a time that was made of one has lost digits.
double clocks_of(double seconds, double hz) {
  constexpr double kLost = 1e-9;
  const double clocks = seconds * hz, whole = std::round(clocks);
  return std::abs(clocks - whole) <= kLost * whole ? whole : clocks;
}

using codegen::Launch;
using codegen::Program;
using codegen::Records;
using codegen::ResultSlot;

constexpr double kNotObserved = std::numeric_limits<double>::quiet_NaN();

/// By name: results and records carry none.
Unit unit_of(std::string_view name) {
  const ObservedColumn* column = observed_column(name);
  return column ? column->unit : Unit::none;
}

double number_of(std::uint64_t word) {
  return word == codegen::kNotKept ? kNotObserved : static_cast<double>(word);
}

bool is_named(const LoweredMeasure& measure) {
  return !measure.measure->name.empty();
}

/// Accesses of a thread's chases at a point: what `observe average` divides by.
double accesses_of(const std::vector<Statement>& body, const Scope& scope) {
  double accesses = 0;
  for (const Statement& statement : body) {
    const auto* chase = std::get_if<Chase>(&statement.node);
    if (!chase) continue;
    const auto count = evaluate(chase->count, scope);
    if (count && std::holds_alternative<Quantity>(*count))
      accesses += std::get<Quantity>(*count).value;
  }
  return accesses;
}

/// The values of the keys of a record: the last runs fastest.
std::vector<std::uint64_t> key_values(const Launch& launch, std::uint64_t record) {
  std::vector<std::uint64_t> values(launch.record_extents.size());
  for (std::size_t k = values.size(); k-- > 0;) {
    const std::uint64_t extent = std::max<std::uint64_t>(launch.record_extents[k], 1);
    values[k] = record % extent;
    record /= extent;
  }
  return values;
}

/// A word, or an integer that no double is.
bool is_text_value(const Value& value) {
  const auto* number = std::get_if<Quantity>(&value);
  return number ? number->rest != 0 : std::holds_alternative<std::string>(value);
}

}  // namespace

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::completed: return "completed";
    case Outcome::deadlock: return "deadlock";
    case Outcome::launch_failure: return "launch_failure";
  }
  return "completed";
}

std::uint64_t result_words(const Program& program, const Launch& launch) {
  return program.results.size() + launch.record_rows() * program.records.columns.size();
}

SampleTable::SampleTable(const Experiment& experiment, std::span<const LoweredMeasure> measures,
                         bool of_shard)
    : experiment_(experiment), measures_(measures), places_(measures.size()) {
  add_axes(measures);
  repetition_column_ = column("repetition", Unit::none, Column::Role::repetition);
  add_keys(measures);
  for (std::size_t m = 0; m < measures.size(); ++m) add_observed(m);
  // Behind all that is observed, whichever measure has it.
  for (std::size_t m = 0; m < measures.size(); ++m) {
    if (measures[m].program.outcomes)
      places_[m].outcome = column("outcome", Unit::none, Column::Role::observed, true);
  }
  add_derived();
  if (!of_shard) return;
  point_column_ = column(kShardPoint, Unit::none, Column::Role::observed);
  values_column_ = column(kShardValues, Unit::none, Column::Role::observed, true);
}

/// The column of this name; a new one where there is none.
std::size_t SampleTable::column(const std::string& name, Unit unit, Column::Role role,
                                bool is_text) {
  const auto known = std::ranges::find(samples_.columns, name, &Column::name);
  if (known != samples_.columns.end())
    return static_cast<std::size_t>(known - samples_.columns.begin());
  samples_.columns.push_back({name, unit, role, is_text, {}, {}});
  return samples_.columns.size() - 1;
}

void SampleTable::add_axes(std::span<const LoweredMeasure> measures) {
  for (const Axis* axis : experiment_.sweep.axes()) {
    const bool is_text = std::ranges::any_of(axis->values, is_text_value);
    samples_.columns.push_back({axis->name, axis->unit, Column::Role::axis, is_text, {}, {}});
  }
  if (std::ranges::any_of(measures, is_named))
    measure_column_ = column("measure", Unit::none, Column::Role::axis, true);
}

/// A key whose values have labels in any measure is a text in all.
void SampleTable::add_keys(std::span<const LoweredMeasure> measures) {
  for (std::size_t m = 0; m < measures.size(); ++m) {
    for (const Records::Key& key : measures[m].program.records.keys) {
      const std::size_t at = column(key.name, Unit::none, Column::Role::record);
      samples_.columns[at].is_text |= !key.labels.empty();
      places_[m].keys.push_back(at);
    }
  }
}

void SampleTable::add_observed(std::size_t measure) {
  const Program& program = measures_[measure].program;
  Places& places = places_[measure];
  const auto observed = [&](const std::string& name, Unit unit) {
    return column(name, unit, Column::Role::observed);
  };
  for (std::size_t i = 0; i < program.results.size(); ++i) {
    const ResultSlot& slot = program.results[i];
    if (slot.role != ResultSlot::Role::sample) continue;
    places.slots.emplace_back(i, observed(slot.name, unit_of(slot.name)));
  }
  for (const std::string& name : program.records.columns)
    places.columns.push_back(observed(name, unit_of(name)));
  const ObserveTraits& traits = traits_of(measures_[measure].measure->observe);
  if (!traits.clocked)
    places.seconds = observed(traits.columns.front().name, traits.columns.front().unit);
  if (traits.observe == Observe::energy) {
    places.energy = observed("energy", Unit::none);
    places.idle_power = observed("idle_power", Unit::none);
    places.sm_clock = observed("sm_clock", Unit::hertz);
  }
  if (measures_[measure].clock_hz > 0) places.clocks = observed("clocks", Unit::clock);
  if (program.user) {
    places.blocks_run = observed("blocks_run", Unit::none);
    places.sample_error = observed("sample_error", Unit::none);
  }
  for (const auto& fact : measures_[measure].fact_columns)
    places.facts.push_back(column(fact.name, fact.unit, Column::Role::observed, fact.is_text));
}

void SampleTable::add_derived() {
  for (std::size_t m = 0; m < measures_.size(); ++m)
    if (measures_[m].measure->bytes)
      places_[m].bytes = column("bytes", Unit::byte, Column::Role::observed);
  for (const Derived& derived : experiment_.derived)
    derived_.push_back(column(derived.name, derived.unit, Column::Role::observed));
}

Result<void> SampleTable::restore(const Samples& samples) {
  const auto same = [](const Column& a, const Column& b) {
    return a.name == b.name && a.unit == b.unit && a.role == b.role && a.is_text == b.is_text;
  };
  if (!std::ranges::equal(samples_.columns, samples.columns, same))
    return fail(Fault::input, "the samples of the earlier run have other columns");
  samples_ = samples;
  return {};
}

void SampleTable::append(std::size_t measure, std::uint64_t point, const JobResult& job) {
  GPX_ASSERT(point < measures_[measure].program.launches.size());
  const Launch& launch = measures_[measure].program.launches[point];
  const std::vector<Value> values = experiment_.sweep.at(point);
  const Measure& what = *measures_[measure].measure;
  const double accesses =
      traits_of(what.observe).per_access ? accesses_of(what.body, experiment_.scope(values)) : 1;
  for (std::size_t r = 0; r < job.repetitions.size(); ++r) {
    const Repetition& repetition = job.repetitions[r];
    const auto add_row = [&] {
      start_row(measure, values, r);
      put_facts(measure, point);
      put_results(measure, repetition, accesses);
      if (places_[measure].blocks_run != kNone && repetition.outcome == Outcome::completed) {
        put_number(places_[measure].blocks_run,
                   static_cast<double>(repetition.blocks_run > 0 ? repetition.blocks_run
                                                                 : launch.all_blocks()));
        put_number(places_[measure].sample_error, repetition.sample_error);
      }
    };
    const std::vector<std::uint64_t> records = written_records(measure, launch, repetition);
    if (records.empty()) {
      add_row();
      put_derived(measure, values);
    }
    for (const std::uint64_t record : records) {
      add_row();
      put_record(measure, launch, repetition, record);
      put_derived(measure, values);
    }
  }
}

void SampleTable::mark(std::size_t first_row, std::uint64_t point, const std::string& values) {
  if (point_column_ == kNone) return;
  for (std::size_t row = first_row; row < samples_.rows(); ++row) {
    samples_.columns[point_column_].numbers[row] = static_cast<double>(point);
    samples_.columns[values_column_].texts[row] = values;
  }
}

/// The numbers of the records that a thread wrote.
std::vector<std::uint64_t> SampleTable::written_records(std::size_t measure, const Launch& launch,
                                                        const Repetition& repetition) const {
  std::vector<std::uint64_t> records;
  if (repetition.outcome != Outcome::completed) return records;
  const Program& program = measures_[measure].program;
  GPX_ASSERT(repetition.results.size() == result_words(program, launch));
  const std::uint64_t* words = repetition.results.data() + program.results.size();
  for (std::uint64_t record = 0; record < launch.record_rows(); ++record) {
    if (words[record * program.records.columns.size()] != codegen::kNotKept)
      records.push_back(record);
  }
  return records;
}

void SampleTable::start_row(std::size_t measure, const std::vector<Value>& point,
                            std::size_t repetition) {
  for (Column& column : samples_.columns) {
    if (column.is_text) column.texts.emplace_back();
    if (!column.is_text) column.numbers.push_back(kNotObserved);
  }
  for (std::size_t i = 0; i < point.size(); ++i) put(i, point[i]);
  if (measure_column_ != kNone) put(measure_column_, measures_[measure].measure->name);
  put_number(repetition_column_, static_cast<double>(repetition));
}

void SampleTable::put(std::size_t column, const Value& value) {
  Column& target = samples_.columns[column];
  if (const auto* text = std::get_if<std::string>(&value)) {
    target.texts.back() = *text;
  } else if (const auto* truth = std::get_if<bool>(&value)) {
    target.numbers.back() = *truth ? 1 : 0;
  } else if (target.is_text) {
    target.texts.back() = to_string(std::get<Quantity>(value));
  } else {
    target.numbers.back() = std::get<Quantity>(value).value;
  }
}

void SampleTable::put_facts(std::size_t measure, std::uint64_t point) {
  const LoweredMeasure& lowered = measures_[measure];
  for (std::size_t i = 0; i < places_[measure].facts.size(); ++i)
    put(places_[measure].facts[i], lowered.facts[point][i]);
}

void SampleTable::put_results(std::size_t measure, const Repetition& repetition, double accesses) {
  const Places& places = places_[measure];
  if (places.outcome != kNone)
    samples_.columns[places.outcome].texts.back() = to_string(repetition.outcome);
  if (repetition.outcome != Outcome::completed) return;
  for (const auto& [slot, column] : places.slots) {
    const bool divided = slot < traits_of(measures_[measure].measure->observe).result_slots();
    put_number(column, number_of(repetition.results[slot]) / (divided ? accesses : 1));
  }
  if (places.seconds != kNone) put_number(places.seconds, repetition.seconds);
  if (places.energy != kNone && repetition.metered) {
    const Metered& metered = *repetition.metered;
    put_number(places.energy, metered.joules);
    put_number(places.idle_power, metered.idle_watts);
    put_number(places.sm_clock, metered.clock_hz > 0 ? metered.clock_hz : kNotObserved);
  }
  if (places.clocks != kNone)
    put_number(places.clocks, clocks_of(repetition.seconds, measures_[measure].clock_hz));
}

// Of the row as it is: what was not observed, and a division by zero, gives no number.
void SampleTable::put_derived(std::size_t measure, const std::vector<Value>& point) {
  const Scope given = experiment_.scope(point);
  const auto number_of = [](const Expr& expr, const Scope& scope) {
    const auto value = evaluate(expr, scope);
    const auto* quantity = value ? std::get_if<Quantity>(&*value) : nullptr;
    return quantity ? quantity->value : kNotObserved;
  };
  const Measure& what = *measures_[measure].measure;
  if (what.bytes) put_number(places_[measure].bytes, number_of(*what.bytes, given));
  std::map<std::string, Value, std::less<>> cells;  // What the scope points to.
  const Scope row = [&](std::string_view name) -> const Value* {
    if (const Value* value = given(name)) return value;
    const Column* column = samples_.find(name);
    if (!column || column->is_text) return nullptr;
    const Quantity cell{column->numbers.back(), column->unit};
    return &(cells.insert_or_assign(std::string(name), cell).first->second);
  };
  for (std::size_t i = 0; i < derived_.size(); ++i)
    put_number(derived_[i], number_of(what.derived[i], row));
}

void SampleTable::put_key(std::size_t column, const Records::Key& key, std::uint64_t value) {
  if (!samples_.columns[column].is_text) return put_number(column, static_cast<double>(value));
  samples_.columns[column].texts.back() =
      value < key.labels.size() ? key.labels[value] : fmt::format("{}", value);
}

void SampleTable::put_record(std::size_t measure, const Launch& launch,
                             const Repetition& repetition, std::uint64_t record) {
  const Places& places = places_[measure];
  const Program& program = measures_[measure].program;
  const std::uint64_t* words =
      repetition.results.data() + program.results.size() + record * places.columns.size();
  const std::vector<std::uint64_t> keys = key_values(launch, record);
  for (std::size_t k = 0; k < keys.size(); ++k)
    put_key(places.keys[k], program.records.keys[k], keys[k]);
  for (std::size_t c = 0; c < places.columns.size(); ++c)
    put_number(places.columns[c], number_of(words[c]));
}

}  // namespace gpx
