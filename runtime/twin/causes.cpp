// One varied device after another. Interface: causes.h. Covered by tests/twin/causes_test.cpp.
#include "runtime/twin/causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <thread>

#include "codegen/files/files.h"
#include "lang/float_environment.h"
#include "runtime/characterize.h"
#include "runtime/scratch_folder.h"
#include "runtime/twin/fit_table.h"

namespace gpx::twin {
namespace {

constexpr std::size_t kMostRests = 3;

std::string section_of(const vgpu::FileValue& value) {
  return value.path.substr(0, value.path.find('.'));
}

/// The text of a number that is kFactor times as large; "": it is none.
std::string varied(const vgpu::FileValue& value) {
  char* end = nullptr;
  const double number = std::strtod(value.text.c_str(), &end);
  if (end == value.text.c_str() || !(number > 0) || !value.number) return "";
  const std::string unit(end);
  if (!unit.empty() && unit.front() != ' ') return "";
  const bool whole = unit.empty() && number == std::floor(number);
  const double more = whole ? std::ceil(kFactor * number) : kFactor * number;
  return unit.empty() ? fmt::format("{:.9g}", more) : fmt::format("\"{:.9g}{}\"", more, unit);
}

/// Whether it may be wrong: not what a driver reports, nor a size or a form that sets need.
bool may_vary(const vgpu::FileValue& value) {
  return value.path.find('.') != std::string::npos && value.unit != "B" &&
         section_of(value) != "registers" && section_of(value) != "noise" &&
         !value.why.starts_with("driver") && !varied(value).empty();
}

/// A device file in which some numbers of another differ.
std::string with_numbers(const std::string& text, const std::vector<vgpu::FileValue>& values) {
  std::string changed = "local device = (function()\n" + text + "\nend)()\n";
  for (const vgpu::FileValue& value : values) {
    const std::string section = section_of(value);
    std::string field = value.path.substr(section.size() + 1), table = "device." + section;
    changed += fmt::format("{0} = {0} or {{}}\n", table);
    if (section == "op") {
      const std::size_t dot = field.rfind('.');
      table += fmt::format("[\"{}\"]", field.substr(0, dot));
      field.erase(0, dot + 1);
    }
    changed += fmt::format("{}[\"{}\"] = {}\n", table, field, varied(value));
  }
  return changed + "return device\n";
}

class Search {
 public:
  Search(const Paths& paths, const Source& source, const std::string& file,
         const vgpu::FileContents& contents)
      : paths_(paths), source_(source), text_(file_text(file).value_or("")), scratch_("causes") {
    for (const vgpu::FileValue& value : contents.values)
      if (may_vary(value)) sections_[section_of(value)].push_back(value);
  }

  /// What the points rest on, by point.
  std::vector<std::vector<Rest>> rests_of(const std::vector<ExamPoint>& points) {
    std::vector<std::vector<Rest>> all(points.size());
    const auto task = task_of(points.front().family);
    if (!task) return all;
    std::vector<Values> sections = {{}};
    for (const auto& [section, values] : sections_) sections.push_back(values);
    const std::vector<Times> by_section = times(*task, sections);
    const Times& before = by_section.front();
    std::vector<Values> numbers;
    for (std::size_t i = 1; i < sections.size(); ++i) {
      if (!moves(before, by_section[i], points)) continue;
      if (section_of(sections[i].front()) == "op")
        add({"op", "", {}, "", vgpu::FileValue::From::source, ""}, before, by_section[i], points,
            all);
      else
        for (const vgpu::FileValue& value : sections[i]) numbers.push_back({value});
    }
    const std::vector<Times> by_number = times(*task, numbers);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      add(numbers[i].front(), before, by_number[i], points, all);
    for (std::vector<Rest>& rests : all) {
      std::ranges::stable_sort(rests, std::greater<>(),
                               [](const Rest& rest) { return std::abs(rest.elasticity); });
      if (rests.size() > kMostRests) rests.resize(kMostRests);
    }
    return all;
  }

 private:
  using Times = std::map<std::string, double>;  ///< By place; empty: no such device.
  using Values = std::vector<vgpu::FileValue>;

  std::optional<Source> task_of(const std::string& family) {
    Session session(paths_);
    const std::string file = write({});
    const auto task = characterize_task(session, file, std::vector{source_});
    if (task)
      for (const CharacterizeGroup& group : task->groups)
        if (group.name == family) return group.source;
    return std::nullopt;
  }

  std::string write(const Values& values) {
    std::string file = scratch_.file(fmt::format("varied{}.lua", ++files_));
    std::ofstream(file) << with_numbers(text_, values);
    return file;
  }

  /// Of each device, in as many threads as there are cores.
  std::vector<Times> times(const Source& task, const std::vector<Values>& devices) {
    std::vector<Times> all(devices.size());
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
      const FloatEnvironment plain_numbers;
      for (std::size_t i = next++; i < devices.size(); i = next++) all[i] = times(task, devices[i]);
    };
    std::vector<std::jthread> threads;
    for (unsigned i = 1; i < std::max(1u, std::thread::hardware_concurrency()); ++i)
      threads.emplace_back(work);
    work();
    threads.clear();
    return all;
  }

  Times times(const Source& task, const Values& values) {
    Session session(paths_);
    RunOptions options;
    options.device = write(values);
    Times all;
    const auto run = session.run(task, options);
    if (!run || run->experiments.empty() || !run->experiments.front().whole()) return all;
    for (const RunPoint& point : points_of(run->experiments.front().samples))
      all[key_of(point.place)] = point.value;
    return all;
  }

  static double elasticity(const Times& before, const Times& after, const ExamPoint& point) {
    const auto a = before.find(key_of(point.place)), b = after.find(key_of(point.place));
    if (a == before.end() || b == after.end()) return 0;
    return std::log(b->second / a->second) / std::log(kFactor);
  }

  static bool moves(const Times& before, const Times& after, const std::vector<ExamPoint>& points) {
    return after.empty() || std::ranges::any_of(points, [&](const ExamPoint& point) {
             return std::abs(elasticity(before, after, point)) >= kMatters;
           });
  }

  static void add(const vgpu::FileValue& value, const Times& before, const Times& after,
                  const std::vector<ExamPoint>& points, std::vector<std::vector<Rest>>& all) {
    for (std::size_t i = 0; i < points.size(); ++i)
      if (const double e = elasticity(before, after, points[i]); std::abs(e) >= kMatters)
        all[i].push_back({value, e});
  }

  const Paths& paths_;
  const Source& source_;
  std::string text_;
  ScratchFolder scratch_;
  std::map<std::string, Values> sections_;
  std::atomic<unsigned> files_ = 0;
};

/// What would have to be said of the strongest number, for the point to be right.
std::string needed(const Rest& rest, const std::vector<ExamPoint>& points) {
  if (!rest.value.number) return "";
  double log_ratio = 0;
  for (const ExamPoint& point : points) log_ratio += std::log(point.measured / point.modelled);
  log_ratio /= static_cast<double>(points.size());
  const double to = *rest.value.number * std::exp(log_ratio / rest.elasticity);
  const std::string unit = rest.value.unit.empty() ? "" : " " + rest.value.unit;
  const auto interval = interval_in(rest.value.why);
  if (rest.value.from == vgpu::FileValue::From::assumed || !std::isfinite(to)) return "";
  if (interval && to >= interval->first && to <= interval->second)
    return fmt::format("; {} of {:.4g}{} would be right, which its interval holds", rest.value.path,
                       to, unit);
  if (!interval)
    return fmt::format("; {} would have to be {:.4g}{} in place of {}", rest.value.path, to, unit,
                       rest.value.text);
  return fmt::format(
      "; {} would have to be {:.4g}{}, which {:.4g} to {:.4g} excludes: the model "
      "lacks a mechanism",
      rest.value.path, to, unit, interval->first, interval->second);
}

}  // namespace

std::string Cause::text() const {
  double least = 1e300, most = 0;
  for (const ExamPoint& point : points) {
    least = std::min(least, point.modelled / point.measured);
    most = std::max(most, point.modelled / point.measured);
  }
  std::string line = fmt::format(
      "{}, {}: {:.2f}", family,
      points.size() == 1 ? points.front().place : fmt::format("{} points", points.size()), least);
  if (points.size() > 1) line += fmt::format(" to {:.2f}", most);
  line += " of the device's time";
  if (rests.empty()) return line + "; no number of the file moves it: the model lacks a mechanism";
  for (std::size_t i = 0; i < rests.size(); ++i) {
    const bool assumed = rests[i].value.from == vgpu::FileValue::From::assumed;
    line += fmt::format("{}{} ({:.2f}{})", i == 0 ? "; rests on " : ", ", rests[i].value.path,
                        rests[i].elasticity, assumed ? ", assumed" : "");
  }
  return line + needed(rests.front(), points);
}

std::vector<Cause> causes_of(const Paths& paths, const Exam& exam, const Source& source,
                             const std::string& file, const vgpu::FileContents& contents) {
  std::vector<Cause> causes;
  Search search(paths, source, file, contents);
  for (const auto& family : families_of(exam)) {
    std::vector<ExamPoint> far;
    for (const ExamPoint& point : family)
      if (point.error() > kFar) far.push_back(point);
    if (far.empty()) continue;
    const auto rests = search.rests_of(far);
    std::map<std::string, Cause> by;
    for (std::size_t i = 0; i < far.size(); ++i) {
      std::string key = far[i].modelled > far[i].measured ? "above" : "below";
      if (!rests[i].empty()) key += rests[i].front().value.path;
      Cause& cause = by[key];
      if (cause.points.empty()) cause = {far[i].family, {}, rests[i]};
      cause.points.push_back(far[i]);
    }
    for (auto& [key, cause] : by) causes.push_back(std::move(cause));
  }
  return causes;
}

}  // namespace gpx::twin
