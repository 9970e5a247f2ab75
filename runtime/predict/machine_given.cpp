// Interface: machine_given.h. Covered by tests/runtime/predict_test.cpp.
#include "runtime/predict/machine_given.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "lang/try.h"

namespace gpx {
namespace {

Result<void> override_machine(const std::vector<std::string>& given, MachineParameters& machine) {
  struct Row {
    const char* name;
    double* value;
    double least, most;  // Beyond, it is in another unit.
    const char *unit, *such;
  };
  constexpr double kLeastClocks = 1e-3, kMostClocks = 1e9;
  constexpr double kLeastRate = 1e6, kMostRate = 1e18;
  double launch = -1;  // of every size of a block
  const Row rows[] = {
      {"Mem_LD", &machine.mem_ld, kLeastClocks, kMostClocks, "clocks", "420"},
      {"Departure_del_uncoal", &machine.departure_uncoal, 0, kMostClocks, "clocks", "10"},
      {"Departure_del_coal", &machine.departure_coal, 0, kMostClocks, "clocks", "4"},
      {"Issue_cycles", &machine.issue_cycles, kLeastClocks, kMostClocks, "clocks", "4"},
      {"Mem_Bandwidth", &machine.bandwidth, kLeastRate, kMostRate, "B/s", "100e9 for 100 GB/s"},
      {"Shared_access", &machine.shared_access, 0, kMostClocks, "clocks", "1"},
      {"Shared_conflict", &machine.shared_conflict, 0, kMostClocks, "clocks", "1"},
      {"Launch_interval", &launch, 0, kMostClocks, "clocks", "2"}};
  for (const std::string& text : given) {
    const std::size_t equals = std::min(text.find('='), text.size());
    const auto found = std::ranges::find(rows, text.substr(0, equals), &Row::name);
    double value = 0;
    const char* begin = text.data() + std::min(equals + 1, text.size());
    const auto [end, code] = std::from_chars(begin, text.data() + text.size(), value);
    if (found == std::end(rows) || code != std::errc{} || end != text.data() + text.size())
      return fail(
          Fault::input, fmt::format("--machine {}: expected NAME=NUMBER", text),
          "the names are Mem_LD, Departure_del_uncoal, Departure_del_coal, Issue_cycles, "
          "Shared_access, Shared_conflict, Launch_interval (clocks) and Mem_Bandwidth (B/s)");
    if (!(value >= found->least && value <= found->most))
      return fail(Fault::input,
                  fmt::format("--machine {}: {} is a number of {}, from {:g} to {:g}", text,
                              found->name, found->unit, found->least, found->most),
                  fmt::format("such as {}={}", found->name, found->such));
    *found->value = value;
    machine.origin += machine.origin.find("given") == std::string::npos ? ", some given" : "";
  }
  if (launch >= 0) machine.launch = {{1, launch}};
  return {};
}

}  // namespace

Result<MachineParameters> machine_of(Session& session, const PredictRequest& request) {
  MachineParameters machine;
  constexpr std::size_t kAll = 5;  // of the model's own
  const auto own = std::ranges::count_if(request.machine, [](const std::string& text) {
    return !text.starts_with("Shared_") && !text.starts_with("Launch_");
  });
  if (static_cast<std::size_t>(own) < kAll) {
    auto fitted = machine_parameters(session, request.device, request.fit_anew, request.on_fit);
    if (!fitted) return fitted;
    machine = std::move(*fitted);
  } else {
    machine.origin = "given";
  }
  GPX_TRY(override_machine(request.machine, machine));
  return machine;
}

}  // namespace gpx
