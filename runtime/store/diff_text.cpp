// A comparison as text. Interface: runtime/store/diff_text.h.
#include "runtime/store/diff_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runtime/report/number.h"
#include "runtime/report/report.h"

namespace gpx::store {
namespace {

using Json = nlohmann::ordered_json;

Json from_run(const report::Run& run) {
  const RunResult& result = run.document.result;
  Json device;
  if (!result.experiments.empty())
    device = {{"name", result.experiments.front().device.name},
              {"measured", result.experiments.front().device.measured}};
  return {{"name", run.name}, {"device", std::move(device)}};
}

Json from_comparison(const Comparison& each) {
  return {{"experiment", each.experiment},
          {"kind", each.is_curve ? "curve" : "finding"},
          {"name", each.what},
          {"likeness", to_string(each.likeness)},
          {"first", each.a.empty() ? Json(nullptr) : Json(each.a)},
          {"second", each.b.empty() ? Json(nullptr) : Json(each.b)},
          {"ratio", each.ratio > 0 ? Json(each.ratio) : Json(nullptr)},
          {"why", each.why},
          {"worst", each.worst.empty() ? Json(nullptr) : Json(each.worst)}};
}

}  // namespace

std::string diff_json(const std::vector<Comparison>& all, const report::Run& a,
                      const report::Run& b) {
  const auto count = [&](Likeness likeness) {
    return std::ranges::count(all, likeness, &Comparison::likeness);
  };
  Json comparisons = Json::array();
  for (const Comparison& each : all) comparisons.push_back(from_comparison(each));
  const Json document = {{"schema", 1},
                         {"gpx", GPX_VERSION},
                         {"first", from_run(a)},
                         {"second", from_run(b)},
                         {"same", count(Likeness::same)},
                         {"different", count(Likeness::different)},
                         {"cannot_tell", count(Likeness::cannot_tell)},
                         {"comparisons", std::move(comparisons)}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string diff_table(report::TableFormat format, const std::vector<Comparison>& all,
                       const report::Run& a, const report::Run& b) {
  const std::string first = report::device_label(a.document.result),
                    second = report::device_label(b.document.result);
  const bool alike = first == second;
  report::TextTable findings{"findings",
                             ": " + a.name + " and " + b.name,
                             {"experiment", "finding", alike ? "first" : first,
                              alike ? "second" : second, "ratio", "likeness"},
                             {}};
  report::TextTable curves{
      "curves", findings.about, {"experiment", "curve", "likeness", "why"}, {}};
  for (const Comparison& each : all) {
    const std::string likeness(to_string(each.likeness));
    if (each.is_curve)
      curves.rows.push_back({each.experiment, each.what, likeness, each.why});
    else
      findings.rows.push_back({each.experiment, each.what, each.a, each.b,
                               each.ratio > 0 ? report::brief(each.ratio, 4) : "", likeness});
  }
  std::vector<report::TextTable> tables;
  for (report::TextTable* table : {&findings, &curves})
    if (!table->rows.empty()) tables.push_back(std::move(*table));
  return tables_as(format, tables);
}

}  // namespace gpx::store
