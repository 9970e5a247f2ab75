// The table of operations for people. Interface: report.h.
// Covered by tests/report/operations_test.cpp.
#include <fmt/format.h>

#include "runtime/report/finding_text.h"
#include "runtime/report/number.h"
#include "runtime/report/report.h"
#include "runtime/report/table.h"

namespace gpx::report {
namespace {

constexpr std::string_view kMeasured = "measured", kModelled = "modelled";

bool is_measured(const std::optional<Finding>& finding) {
  return finding && finding->verdict == Verdict::measured;
}

std::string number_of(const std::optional<Finding>& finding) {
  const double* value = finding ? std::get_if<double>(&finding->value) : nullptr;
  return value ? brief(*value) : "–";
}

Paint paint_of(const OperationLine& line) {
  if (!line.refused.empty()) return Paint::red;
  return operation_verdict(line) == "measured" ? Paint::green : Paint::yellow;
}

/// Of the two findings of a line.
int measured_of(const OperationLine& line) {
  return (is_measured(line.latency) ? 1 : 0) + (is_measured(line.throughput) ? 1 : 0);
}

/// "302 operations in 71.3 s · 230 measured, 10 in part, 21 inconclusive, 41 refused"
std::string summary_of(const OperationTable& table) {
  std::size_t refused = 0, counts[3] = {};
  for (const OperationLine& line : table.lines)
    ++(line.refused.empty() ? counts[measured_of(line)] : refused);
  return fmt::format("{} operations in {:.1f} s · {} {}, {} in part, {} inconclusive, {} refused{}",
                     table.lines.size(), table.seconds, counts[2],
                     table.device.measured ? kMeasured : kModelled, counts[1], counts[0], refused,
                     table.interrupted ? " · interrupted" : "");
}

}  // namespace

std::string operation_verdict(const OperationLine& line) {
  if (!line.refused.empty()) return "refused";
  if (!line.latency && !line.throughput) return "not run";
  if (measured_of(line) == 0) return "inconclusive";
  return fmt::format("{}{}{}", kMeasured, measured_of(line) == 1 ? " in part" : "",
                     line.proof == "verified" ? "" : ", unverified");
}

std::string operation_verdict_text(const OperationLine& line, const DeviceInfo& device) {
  std::string verdict = operation_verdict(line);
  if (!device.measured && verdict.starts_with(kMeasured))
    verdict.replace(0, kMeasured.size(), kModelled);
  return verdict;
}

std::string operation_note(const OperationLine& line) {
  if (!line.refused.empty()) return line.refused;
  std::string note = line.reason;
  for (const auto& finding : {line.latency, line.throughput})
    if (finding && !is_measured(finding))
      note += fmt::format("{}{}: {}", note.empty() ? "" : "; ",
                          finding->name.substr(finding->name.rfind('.') + 1), finding->note);
  return note;
}

std::string to_terminal(const OperationTable& table, const Style& style) {
  Table shown({"operation", "type", "rounding", "sources", "clocks", "per clock and SM", "opcodes",
               "verdict"},
              {false, false, false, false, true, true, false, false});
  for (const OperationLine& line : table.lines) {
    shown.add({{line.name, Paint::bold},
               {line.type},
               {line.rounding},
               {line.sources},
               {number_of(line.latency)},
               {number_of(line.throughput)},
               {line.opcodes},
               {operation_verdict_text(line, table.device), paint_of(line)}});
    if (const std::string note = operation_note(line); !note.empty()) shown.note("  " + note);
  }
  std::string warnings;
  for (const std::string& warning : table.warnings) warnings += warning_line(warning, style);
  return device_line(table.device, style) + "\n\n" + shown.render(style, 0) + '\n' + warnings +
         fit(style, table.device.name + ": " + summary_of(table)) + '\n';
}

}  // namespace gpx::report
