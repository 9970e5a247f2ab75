// gpx diff: which findings and curves of two runs differ. Covered by
// tests/cli/store_commands_test.cpp.
#include "runtime/store/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "runtime/cli/command.h"
#include "runtime/cli/stored.h"
#include "runtime/report/table.h"

namespace gpx::cli {
namespace {

using store::Comparison;
using store::Likeness;

report::Paint paint_of(Likeness likeness) {
  return likeness == Likeness::different ? report::Paint::bold
         : likeness == Likeness::same    ? report::Paint::plain
                                         : report::Paint::dim;
}

std::string device_of(const RunResult& run) {
  if (run.experiments.empty()) return "no device";
  const DeviceInfo& device = run.experiments.front().device;
  return device.name + (device.measured ? "" : " (virtual)");
}

std::string heading(const store::StoredRun& run) {
  return fmt::format("run {} ({}, on {})", run.number, run.origin.status, device_of(run.result));
}

std::string to_table(const std::vector<Comparison>& all, const report::Style& style) {
  report::Table findings({"experiment", "finding", "first", "second", ""});
  report::Table curves({"experiment", "curve", ""});
  for (const Comparison& each : all) {
    const report::Cell verdict{std::string(to_string(each.likeness)), paint_of(each.likeness)};
    if (each.is_curve)
      curves.add({{each.experiment}, {each.what}, verdict});
    else
      findings.add({{each.experiment}, {each.what}, {each.a}, {each.b}, verdict});
    (each.is_curve ? curves : findings).note(each.why);
  }
  std::string text;
  if (!findings.empty()) text += findings.render(style, 0) + '\n';
  if (!curves.empty()) text += curves.render(style, 0) + '\n';
  return text;
}

std::string summary(const std::vector<Comparison>& all) {
  std::array<std::size_t, 3> counts{};
  for (const Comparison& each : all) ++counts[static_cast<std::size_t>(each.likeness)];
  return fmt::format("{} same, {} different, {} cannot tell\n", counts[0], counts[1], counts[2]);
}

struct DiffCommand : Talk {
  std::vector<std::string> runs;
  StoreOptions store;

  void take(CommandLine& line) {
    line.argument("RUN", runs, kStoredRun).required().count(2, 2).completes(Values::runs);
    store.take(line);
  }
  int run(const Console& console) const;
};

int DiffCommand::run(const Console& console) const {
  const auto opened = open_store(store, false);
  if (!opened) return print_error(console, opened.error());
  const auto a = load_run(*opened, runs[0]);
  if (!a) return print_error(console, a.error());
  const auto b = load_run(*opened, runs[1]);
  if (!b) return print_error(console, b.error());
  const std::vector<Comparison> all = store::diff(a->result, b->result);
  print(console.out, fmt::format("first: {}\nsecond: {}\n\n", heading(*a), heading(*b)) +
                         to_table(all, console.out_style) + summary(all));
  const bool differ = std::ranges::any_of(
      all, [](const Comparison& each) { return each.likeness == Likeness::different; });
  return differ ? kExpectationFailed : kSuccess;
}

}  // namespace

CommandRow diff_command() {
  return command_row<DiffCommand>(120, "diff",
                                  "Compare two runs: which findings and curves differ");
}

}  // namespace gpx::cli
