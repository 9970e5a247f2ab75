// Points side by side. Interface: exam.h. Covered by tests/twin/exam_test.cpp.
#include "runtime/twin/exam.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "lang/lists.h"
#include "runtime/twin/lua_text.h"

namespace gpx::twin {
namespace {

constexpr std::size_t kWorstKept = 5;

/// "n=1, threads=32": the axes of a row of samples, of `only` these names.
std::string axes_of(const Samples& samples, std::size_t row, const std::vector<std::string>& only) {
  std::string text;
  for (const Column& column : samples.columns) {
    if (column.role != Column::Role::axis) continue;
    if (!only.empty() && !contains(only, column.name)) continue;
    const std::string value =
        column.is_text ? column.texts[row] : fmt::format("{:.12g}", column.numbers[row]);
    if (!column.is_text && std::isnan(column.numbers[row])) continue;
    if (column.is_text && value.empty()) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", column.name, value);
  }
  return text;
}

const Column* observed_in(const Samples& samples) {
  for (const char* name : {"latency", "time"})
    if (const Column* column = samples.find(name); column && !column->is_text) return column;
  return nullptr;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

const ExperimentResult* find(const RunResult& run, const std::string& name) {
  const auto at = std::ranges::find(
      run.experiments, name, [](const ExperimentResult& each) { return each.experiment.name; });
  return at == run.experiments.end() ? nullptr : &*at;
}

std::vector<std::string> axes_in(const Samples& samples) {
  std::vector<std::string> names;
  for (const Column& column : samples.columns)
    if (column.role == Column::Role::axis) names.push_back(column.name);
  return names;
}

/// Why an experiment has no points; "" where it has.
std::string not_run(const ExperimentResult* result) {
  if (!result) return "it has not run it";
  if (result->failure) return result->failure->diagnostics.front().message;
  if (result->interrupted) return "it was interrupted";
  return result->samples.rows() == 0 ? "it has no samples" : "";
}

void add_points(const ExperimentResult& device, const ExperimentResult& model, Exam& exam) {
  const std::string& name = model.experiment.name;
  std::map<std::string, double> measured;
  for (const RunPoint& point : points_of(device.samples, axes_in(model.samples)))
    measured[key_of(point.place)] = point.value;
  std::size_t added = 0;
  for (const RunPoint& point : points_of(model.samples)) {
    const auto at = measured.find(key_of(point.place));
    if (at == measured.end() || !(at->second > 0)) continue;
    exam.points.push_back({name, point.place, at->second, point.value});
    ++added;
  }
  if (added == 0) exam.left_out.push_back({name, "the two have no point in common"});
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      cells.emplace_back();
    else if (c != '\r')
      cells.back() += c;
  }
  return cells;
}

bool is_number(const std::string& text, double& number) {
  char* end = nullptr;
  number = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0';
}

/// Rows of one experiment, with the columns that any of them fills.
struct CsvRows {
  std::vector<std::vector<std::string>> rows;
};

Samples samples_of(const std::vector<std::string>& header, const CsvRows& table) {
  Samples samples;
  for (std::size_t c = 1; c < header.size(); ++c) {
    const bool repetition = header[c] == "repetition",
               observed = header[c] == "latency" || header[c] == "time";
    const bool empty = std::ranges::all_of(
        table.rows, [&](const std::vector<std::string>& row) { return row[c].empty(); });
    if (empty) continue;
    Column column;
    column.name = header[c];
    column.role = repetition ? Column::Role::repetition
                  : observed ? Column::Role::observed
                             : Column::Role::axis;
    double number = 0;
    column.is_text = std::ranges::any_of(table.rows, [&](const std::vector<std::string>& row) {
      return !row[c].empty() && !is_number(row[c], number);
    });
    for (const auto& row : table.rows) {
      if (column.is_text)
        column.texts.push_back(row[c]);
      else
        column.numbers.push_back(is_number(row[c], number) ? number : std::nan(""));
    }
    samples.columns.push_back(std::move(column));
  }
  return samples;
}

std::string record_text(const vgpu::FileRecord& record) {
  return fmt::format(
      "    {{\n      device = {},\n      date = {},\n      exam = {},\n      points = {:.0f}, mean "
      "= {:.4f}, median = {:.4f}, p90 = {:.4f}, within = {:.4f},\n      families = {},\n      "
      "worst = {},\n      causes = {},\n    }},\n",
      lua_quoted(record.device), lua_quoted(record.date), lua_quoted(record.exam), record.points,
      record.mean, record.median, record.p90, record.within, lua_list(record.families),
      lua_list(record.worst), lua_list(record.causes));
}

constexpr std::string_view kRecordBegins = "\n  record = {\n", kRecordEnds = "\n  },";

}  // namespace

std::string key_of(const std::string& place) {
  std::vector<std::string> axes;
  for (std::size_t begin = 0; begin < place.size();) {
    const std::size_t end = std::min(place.find(", ", begin), place.size());
    axes.push_back(place.substr(begin, end - begin));
    begin = end + 2;
  }
  std::ranges::sort(axes);
  return fmt::format("{}", fmt::join(axes, ", "));
}

std::vector<RunPoint> points_of(const Samples& samples, const std::vector<std::string>& only) {
  const Column* observed = observed_in(samples);
  if (!observed) return {};
  std::vector<std::string> order;
  std::map<std::string, std::vector<double>> values;
  for (std::size_t row = 0; row < samples.rows(); ++row) {
    if (std::isnan(observed->numbers[row])) continue;
    const std::string place = axes_of(samples, row, only);
    if (!values.contains(place)) order.push_back(place);
    values[place].push_back(observed->numbers[row]);
  }
  std::vector<RunPoint> points;
  for (const std::string& place : order) {
    const std::vector<double>& all = values[place];
    const auto [low, high] = std::ranges::minmax(all);
    points.push_back({place, median(all), low, high, observed->name == "time"});
  }
  return points;
}

double ExamPoint::error() const {
  return std::abs(modelled / measured - 1);
}

Exam compare(const RunResult& device, const RunResult& model) {
  Exam exam;
  for (const ExperimentResult& each : model.experiments) {
    const ExperimentResult* other = find(device, each.experiment.name);
    const std::string here = not_run(&each), there = not_run(other);
    if (!here.empty())
      exam.left_out.push_back({each.experiment.name, "the model: " + here});
    else if (!there.empty())
      exam.left_out.push_back({each.experiment.name, "the device: " + there});
    else
      add_points(*other, each, exam);
  }
  return exam;
}

Errors errors_of(const std::vector<ExamPoint>& points) {
  Errors errors;
  if (points.empty()) return errors;
  std::vector<double> off;
  for (const ExamPoint& point : points) {
    off.push_back(point.error());
    errors.mean += point.error();
    if (point.error() <= kClose) ++errors.within;
    if (errors.points++ == 0 || point.error() > errors.worst.error()) errors.worst = point;
  }
  const auto count = static_cast<double>(points.size());
  errors.mean /= count;
  errors.within /= count;
  errors.median = median(off);
  std::ranges::sort(off);
  errors.p90 = off[static_cast<std::size_t>(std::ceil(0.9 * count)) - 1];
  return errors;
}

std::vector<std::vector<ExamPoint>> families_of(const Exam& exam) {
  std::vector<std::vector<ExamPoint>> families;
  for (const ExamPoint& point : exam.points) {
    if (families.empty() || families.back().front().family != point.family) families.emplace_back();
    families.back().push_back(point);
  }
  return families;
}

std::vector<ExamPoint> worst_of(const Exam& exam, std::size_t most) {
  std::vector<ExamPoint> points = exam.points;
  std::ranges::stable_sort(points, std::greater<>(), &ExamPoint::error);
  points.resize(std::min(points.size(), most));
  return points;
}

Result<RunResult> run_from_csv(const std::string& text, const std::string& name,
                               const std::string& device) {
  std::vector<std::string> header;
  std::vector<std::string> order;
  std::map<std::string, CsvRows> tables;
  std::size_t line = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::vector<std::string> cells = cells_of(text.substr(begin, end - begin));
    begin = end + 1;
    ++line;
    if (header.empty()) {
      header = cells;
      if (header.front() != "experiment")
        return fail(Fault::input,
                    fmt::format("'{}' is no table of samples: its first column is '{}'", name,
                                header.front()),
                    "gpx run --csv writes one");
      continue;
    }
    if (cells.size() != header.size())
      return fail(Fault::input, fmt::format("line {} of '{}' has {} cells, not {}", line, name,
                                            cells.size(), header.size()));
    if (!tables.contains(cells.front())) order.push_back(cells.front());
    tables[cells.front()].rows.push_back(cells);
  }
  RunResult run;
  for (const std::string& each : order) {
    ExperimentResult& result = run.experiments.emplace_back();
    result.experiment.name = each;
    result.device.name = device;
    result.device.measured = true;
    result.samples = samples_of(header, tables[each]);
  }
  if (run.experiments.empty()) return fail(Fault::input, fmt::format("'{}' has no samples", name));
  return run;
}

vgpu::FileRecord record_of(const Exam& exam, const std::string& device, const std::string& date,
                           const std::string& file) {
  const Errors all = errors_of(exam.points);
  vgpu::FileRecord record{device,   date,       file,    static_cast<double>(all.points),
                          all.mean, all.median, all.p90, all.within,
                          {},       {},         {}};
  for (const auto& family : families_of(exam)) {
    const Errors errors = errors_of(family);
    record.families.push_back(fmt::format("{}: {} points, mean {:.1f} %, worst {:.1f} % at {}",
                                          family.front().family, errors.points, 100 * errors.mean,
                                          100 * errors.worst.error(), errors.worst.place));
  }
  for (const ExamPoint& point : worst_of(exam, kWorstKept))
    record.worst.push_back(fmt::format("{}, {}: {:.6g} measured, {:.6g} modelled", point.family,
                                       point.place, point.measured, point.modelled));
  for (const LeftOut& one : exam.left_out)
    record.families.push_back(fmt::format("{}: left out, {}", one.family, one.why));
  return record;
}

Result<std::string> with_record(const std::string& text,
                                const std::vector<vgpu::FileRecord>& earlier,
                                const vgpu::FileRecord& record) {
  std::string file = text;
  if (const std::size_t at = file.find(kRecordBegins); at != file.npos) {
    const std::size_t end = file.find(kRecordEnds, at + kRecordBegins.size() - 1);
    if (end != file.npos) file.erase(at, end + kRecordEnds.size() - at);
  }
  const std::size_t close = file.rfind("\n}");
  if (close == file.npos)
    return fail(Fault::input, "the device file does not end with a '}' of its own line",
                "a record goes before it");
  std::string records(kRecordBegins);
  for (const vgpu::FileRecord& one : earlier)
    if (one.device != record.device) records += record_text(one);
  records += record_text(record) + "  },";
  file.insert(close, records);
  return file;
}

}  // namespace gpx::twin
