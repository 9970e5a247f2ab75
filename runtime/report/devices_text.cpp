#include "runtime/report/devices_text.h"

#include <fmt/format.h>

#include <map>

#include "runtime/report/finding_text.h"
#include "runtime/report/findings_export.h"
#include "runtime/report/table.h"

namespace gpx::report {
namespace {

constexpr std::size_t kMostKeys = 8;  ///< Findings of one name but for their keys.

/// Rows of findings[key=...] beyond kMostKeys are counted, not shown.
std::string findings_columns(const std::vector<DeviceRun>& devices, const Style& style) {
  std::vector<RunResult> runs;
  std::vector<std::string> names;
  for (const DeviceRun& device : devices) {
    if (!device.document) continue;
    runs.push_back(device.document->result);
    names.push_back(device.name);
  }
  TextTable found = findings_side_by_side(runs, names);
  if (found.rows.empty()) return {};
  std::map<std::string, std::size_t> keyed;
  for (const auto& row : found.rows) ++keyed[row[0] + ' ' + unkeyed(row[1])];
  Table table(found.header);
  for (auto& row : found.rows) {
    std::size_t& count = keyed[row[0] + ' ' + unkeyed(row[1])];
    if (count == 0) continue;
    if (count > kMostKeys) {
      table.add({{row[0]}, {unkeyed(row[1]) + "[…]"}, {fmt::format("{} in --json", count)}});
      count = 0;
      continue;
    }
    std::vector<Cell> cells;
    for (std::string& text : row) cells.push_back({std::move(text)});
    table.add(std::move(cells));
  }
  return table.render(style, 0) + '\n';
}

std::string about_devices(const std::vector<DeviceRun>& devices, const Style& style) {
  std::string text;
  for (const DeviceRun& device : devices) {
    if (!device.document || device.document->result.experiments.empty()) continue;
    const DeviceInfo& info = device.document->result.experiments.front().device;
    text += fit(style, device.name + ':') + (info.measured ? " " : "") + device_line(info, style) +
            '\n';
  }
  return text + '\n';
}

std::string broken_expectations(const std::string& device, const ExperimentResult& result,
                                const Style& style) {
  std::string text;
  for (const ExpectationResult& one : result.expectations)
    if (one.applies && !one.pass)
      text += paint(style, Paint::red,
                    fit(style, fmt::format("{}: expectation failed: {}{}", device, one.text,
                                           one.reason.empty() ? "" : " (" + one.reason + ")"))) +
              '\n';
  return text;
}

/// What each experiment found; of a characterization, whose groups are many, nothing.
std::string verdicts(const DeviceRun& device, const Style& style) {
  std::string text;
  for (const ExperimentResult& result : device.document->result.experiments) {
    if (result.whole() && !result.group)
      text += fit(style, device.name + ": ") + verdict_line(result, style);
    text += broken_expectations(device.name, result, style);
  }
  return text;
}

}  // namespace

std::vector<Run> runs_of(const std::vector<DeviceRun>& devices) {
  std::vector<Run> runs;
  for (const DeviceRun& device : devices)
    if (device.document) runs.push_back({device.name, *device.document});
  return runs;
}

RunResult joined_runs(const std::vector<DeviceRun>& devices) {
  RunResult all;
  for (const DeviceRun& device : devices) {
    if (!device.document) {
      all.interrupted = true;
      continue;
    }
    const RunResult& one = device.document->result;
    if (all.sources.empty()) all.sources = one.sources;
    if (all.settings.empty()) all.settings = one.settings;
    all.interrupted = all.interrupted || one.interrupted;
    all.experiments.insert(all.experiments.end(), one.experiments.begin(), one.experiments.end());
  }
  return all;
}

std::string devices_text(const std::vector<DeviceRun>& devices, const Style& style) {
  std::string text = about_devices(devices, style) + findings_columns(devices, style);
  for (const DeviceRun& device : devices)
    if (device.document) text += verdicts(device, style);
  for (const DeviceRun& device : devices)
    if (!device.reason.empty())
      text += paint(style, Paint::red,
                    fit(style, fmt::format("{}: not whole: {}", device.name, device.reason))) +
              '\n';
  return text;
}

}  // namespace gpx::report
