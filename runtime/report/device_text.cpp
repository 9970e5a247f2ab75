// A device in words: who it is, its facts, its state. Interface: report.h.
// Covered by tests/report/terminal_test.cpp and device_text_test.cpp.
#include <fmt/format.h>

#include "lang/lists.h"
#include "runtime/report/number.h"
#include "runtime/report/report.h"

namespace gpx::report {

bool is_virtual(const ExperimentResult& result) {
  return !result.device.measured;
}

std::string device_label(const DeviceInfo& device) {
  return device.name + (device.measured ? "" : " (virtual)");
}

std::string device_label(const RunResult& run) {
  return run.experiments.empty() ? "no device" : device_label(run.experiments.front().device);
}

std::string device_line(const DeviceInfo& device, const Style& style) {
  std::string facts = device.architecture + (device.architecture.empty() ? "" : ", ");
  facts += fmt::format("{} SMs", device.sm_count);
  if (device.clock_hz > 0) facts += ", " + with_unit(device.clock_hz, "Hz");
  if (!device.driver.empty()) facts += ", driver " + device.driver;
  if (!device.measured)
    return paint(style, Paint::alarm,
                 fit(style,
                     fmt::format(" virtual GPU {}: a model, not a measurement ", device.name))) +
           ' ' + fit(style, facts);
  return fit(style, fmt::format("{} ({})", device.name, facts));
}

std::string state_text(const Telemetry& state) {
  std::string text;
  for_each_reading(state, [&](auto, std::string_view unit, std::string_view label, auto& value) {
    if (!value || (unit.empty() && *value == 0)) return;
    if (unit.empty()) {  // A state, not an amount.
      text += fmt::format("{}{}", text.empty() ? "" : ", ", label);
      return;
    }
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", *value, unit);
    if (!label.empty()) text += fmt::format(" ({})", label);
  });
  return text;
}

std::string fact_text(const ReportedFact& reported) {
  const std::string_view unit = unit_symbol(reported.fact->unit);
  if (const auto* truth = std::get_if<bool>(&reported.value)) return *truth ? "yes" : "no";
  if (const auto* text = std::get_if<std::string>(&reported.value)) return *text;
  if (const auto* number = std::get_if<double>(&reported.value)) return with_unit(*number, unit);
  return joined(std::get<std::vector<double>>(reported.value), ", ",
                [&](double each) { return with_unit(each, unit); });
}

}  // namespace gpx::report
