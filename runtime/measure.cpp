#include "runtime/measure.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <chrono>

namespace gpx {
namespace {

using codegen::Launch;
using codegen::Program;

Unit unit_of_result(std::string_view name) {
  return name == "latency" ? Unit::clock : Unit::none;
}

/// The columns that rows are appended to: axes, repetition, observed results, seconds if asked for.
class Table {
 public:
  Table(const Experiment& experiment, const Program& program) : experiment_(experiment) {
    for (const Axis* axis : experiment.sweep.axes()) {
      Column column;
      column.name = axis->name;
      column.unit = axis->unit;
      column.is_text = std::holds_alternative<std::string>(axis->values.front());
      samples_.columns.push_back(std::move(column));
    }
    add("repetition", Unit::none, Column::Role::repetition);
    for (std::size_t i = 0; i < program.results.size(); ++i) {
      if (program.results[i].role != codegen::ResultSlot::Role::sample) continue;
      const std::string& name = program.results[i].name;
      sampled_.push_back(i);
      add(name, unit_of_result(name), Column::Role::observed);
    }
    if (experiment.measures.front().observe == Observe::time)
      add("time", Unit::second, Column::Role::observed);
  }

  void append(std::uint64_t point, const JobResult& job) {
    const std::vector<Value> axes = experiment_.sweep.at(point);
    for (std::size_t r = 0; r < job.repetitions.size(); ++r) {
      std::size_t next = 0;
      for (const Value& value : axes) put(next++, value);
      samples_.columns[next++].numbers.push_back(static_cast<double>(r));
      for (std::size_t slot : sampled_)
        samples_.columns[next++].numbers.push_back(
            static_cast<double>(job.repetitions[r].results[slot]));
      if (experiment_.measures.front().observe == Observe::time)
        samples_.columns[next].numbers.push_back(job.repetitions[r].seconds);
    }
  }

  Samples take() { return std::move(samples_); }

 private:
  void add(std::string name, Unit unit, Column::Role role) {
    Column column;
    column.name = std::move(name);
    column.unit = unit;
    column.role = role;
    samples_.columns.push_back(std::move(column));
  }

  void put(std::size_t index, const Value& value) {
    Column& column = samples_.columns[index];
    if (const auto* text = std::get_if<std::string>(&value)) {
      column.texts.push_back(*text);
    } else if (const auto* truth = std::get_if<bool>(&value)) {
      column.numbers.push_back(*truth ? 1 : 0);
    } else {
      column.numbers.push_back(std::get<Quantity>(value).value);
    }
  }

  const Experiment& experiment_;
  Samples samples_;
  std::vector<std::size_t> sampled_;
};

/// Folds the checksums into one digest, and insists that every
/// repetition of a point gave the same ones.
class ValuesDigest {
 public:
  explicit ValuesDigest(const Program& program) : program_(program) {}

  Result<void> add(std::uint64_t point, const JobResult& job) {
    for (std::size_t slot = 0; slot < program_.results.size(); ++slot) {
      if (program_.results[slot].role != codegen::ResultSlot::Role::checksum) continue;
      const std::uint64_t first = job.repetitions.front().results[slot];
      for (const Repetition& repetition : job.repetitions)
        if (repetition.results[slot] != first)
          return fail(
              Fault::device,
              fmt::format("point {}: two repetitions read different values ({}: {:#x} and "
                          "{:#x}); the device's memory or the kernel is not to be trusted",
                          point, program_.results[slot].name, first, repetition.results[slot]));
      hash_ = XXH3_64bits_withSeed(&first, sizeof first, hash_ + slot);
    }
    return {};
  }

  std::string text() const { return fmt::format("{:016x}", hash_); }

 private:
  const Program& program_;
  std::uint64_t hash_ = 0;
};

/// Sizes batches so that one takes about a tenth of a second.
class BatchSize {
 public:
  std::uint64_t next() const { return size_; }
  void took(std::chrono::duration<double> elapsed) {
    if (elapsed.count() < 0.05) size_ = std::min<std::uint64_t>(size_ * 2, 1 << 14);
    if (elapsed.count() > 0.2) size_ = std::max<std::uint64_t>(size_ / 2, 1);
  }

 private:
  std::uint64_t size_ = 32;
};

std::uint64_t point_seed(std::uint64_t seed, std::uint64_t point) {
  return XXH3_64bits_withSeed(&point, sizeof point, seed);
}

}  // namespace

Measurement measure(Backend& backend, const Experiment& experiment, const Program& program,
                    std::uint64_t seed, const std::atomic<bool>& stop,
                    const PointsDone& on_points) {
  const std::uint64_t total = program.launches.size();
  Measurement measurement;
  Table table(experiment, program);
  ValuesDigest digest(program);
  BatchSize batch;
  std::uint64_t done = 0;
  while (done < total && !stop && !measurement.failure) {
    std::vector<Job> jobs;
    for (std::uint64_t i = done; i < std::min(total, done + batch.next()); ++i)
      jobs.push_back({&program.launches[i], program.repetitions, point_seed(seed, i)});
    const auto begin = std::chrono::steady_clock::now();
    auto results = backend.run(jobs, stop);
    if (!results) {
      measurement.failure = results.error();
      break;
    }
    batch.took(std::chrono::steady_clock::now() - begin);
    for (const JobResult& job : *results) {
      if (auto added = digest.add(done, job); !added) {
        measurement.failure = added.error();
        break;
      }
      table.append(done++, job);
    }
    if (on_points) on_points(done, total);
  }
  measurement.interrupted = done < total && !measurement.failure;
  measurement.samples = table.take();
  measurement.values_digest = digest.text();
  return measurement;
}

}  // namespace gpx
