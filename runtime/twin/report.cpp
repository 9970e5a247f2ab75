// Tables. Interface: report.h. Covered by tests/twin/exam_test.cpp.
#include "runtime/twin/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime/report/table.h"
#include "runtime/twin/missing.h"

namespace gpx::twin {
namespace {

using report::Paint;

constexpr std::size_t kWorstShown = 8;

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

Paint paint_of(double error) {
  return error <= kClose ? Paint::green : error <= kFar ? Paint::plain : Paint::yellow;
}

std::string line_of(const Errors& all) {
  return fmt::format(
      "{} points: mean error {}, median {}, 90 % within {}; {} of the points within "
      "{:.0f} %",
      all.points, percent(all.mean), percent(all.median), percent(all.p90), percent(all.within),
      100 * kClose);
}

const char* word_of(vgpu::FileValue::From from) {
  switch (from) {
    case vgpu::FileValue::From::source: return "source";
    case vgpu::FileValue::From::assumed: return "assumed";
    case vgpu::FileValue::From::none: break;
  }
  return "no source";
}

}  // namespace

std::string draft_text(const Draft& draft, const std::string& file, const report::Style& style) {
  std::string text = fmt::format("{}: {} values from findings and the driver, {} assumed\n", file,
                                 draft.measured, draft.assumed);
  report::Table table({"not known", "why"});
  for (const Unknown& one : draft.unknown) table.add({{one.path, Paint::bold}, {one.why}});
  if (!table.empty()) text += "\n" + table.render(style, 0);
  return text + missing_text(missing_of(draft), style);
}

std::string missing_text(const std::vector<vgpu::FileMissing>& missing,
                         const report::Style& style) {
  report::Table table({"missing finding", "why"});
  for (const vgpu::FileMissing& one : missing) {
    table.add({{one.finding, Paint::bold}, {one.why, Paint::yellow}});
    table.note(fmt::format("in its place: {}", fmt::join(one.fields, "; ")));
  }
  return table.empty() ? "" : "\n" + table.render(style, 0);
}

std::string exam_text(const Exam& exam, const std::vector<Cause>& causes, const std::string& device,
                      const report::Style& style) {
  report::Table table({"family", "points", "mean", "worst", "modelled / measured", "at"},
                      {false, true, true, true, true, false});
  for (const auto& family : families_of(exam)) {
    const Errors errors = errors_of(family);
    const ExamPoint& worst = errors.worst;
    table.add({{family.front().family, Paint::bold},
               {fmt::format("{}", errors.points)},
               {percent(errors.mean), paint_of(errors.mean)},
               {percent(worst.error()), paint_of(worst.error())},
               {fmt::format("{:.3f}", worst.modelled / worst.measured)},
               {worst.place}});
  }
  std::string text = table.empty() ? "" : table.render(style, 0) + "\n";
  report::Table worst({"worst points", "", "measured", "modelled"}, {false, false, true, true});
  for (const ExamPoint& point : worst_of(exam, kWorstShown))
    worst.add({{point.family, Paint::bold},
               {point.place},
               {fmt::format("{:.5g}", point.measured)},
               {fmt::format("{:.5g}", point.modelled)}});
  if (!worst.empty()) text += worst.render(style, 0) + "\n";
  report::Table left({"left out", "why"});
  for (const LeftOut& one : exam.left_out) left.add({{one.family, Paint::bold}, {one.why}});
  if (!left.empty()) text += left.render(style, 0) + "\n";
  if (!causes.empty()) text += fmt::format("points that are more than {:.0f} % off\n", 100 * kFar);
  for (const Cause& cause : causes) text += "  " + cause.text() + "\n";
  return text + (causes.empty() ? "" : "\n") + "against " + device + ", " +
         line_of(errors_of(exam.points)) + "\n";
}

std::string records_text(const std::vector<vgpu::FileRecord>& records, const report::Style& style) {
  std::string text;
  for (const vgpu::FileRecord& record : records) {
    report::Table table({"exam", "against " + record.device});
    table.add({{record.exam, Paint::bold},
               {fmt::format("{}{:.0f} points, mean error {}, median {}, 90 % within {}, {} within "
                            "{:.0f} %",
                            record.date.empty() ? "" : record.date + ": ", record.points,
                            percent(record.mean), percent(record.median), percent(record.p90),
                            percent(record.within), 100 * kClose)}});
    for (const std::string& line : record.worst) table.note("worst: " + line);
    for (const std::string& line : record.causes) table.note("cause: " + line);
    text += "\n" + table.render(style, 0);
  }
  return text;
}

std::string values_text(const vgpu::FileContents& file, const report::Style& style) {
  report::Table table({"field", "value", "from", "why"});
  for (const vgpu::FileValue& value : file.values)
    table.add({{value.path, Paint::bold},
               {value.text},
               {word_of(value.from),
                value.from == vgpu::FileValue::From::source ? Paint::green : Paint::yellow},
               {value.why, Paint::dim}});
  return table.render(style, 0);
}

}  // namespace gpx::twin
