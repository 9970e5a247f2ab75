// Interface: roofline.h.
#include "runtime/report/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <ranges>
#include <regex>

#include "lang/lists.h"
#include "runtime/report/finding_text.h"
#include "runtime/report/number.h"
#include "runtime/report/plot.h"
#include "runtime/report/report.h"
#include "runtime/report/table.h"

namespace gpx::report {
namespace {

/// A finding that is the rate of a memory.
struct MemoryRate {
  std::string_view finding, name;
  bool of_one_sm = false;
};
constexpr MemoryRate kMemoryRates[] = {
    {"bandwidth.dram_read", "DRAM, read"}, {"bandwidth.dram_copy", "DRAM, copied"},
    {"memory.bandwidth", "DRAM"},          {"bandwidth.l2", "L2"},
    {"bandwidth.l1", "L1", true},          {"bandwidth.shared_read", "shared memory", true}};

using RateFindings = std::map<std::string, const Finding*>;

/// From a rate of one SM to one of the whole GPU, a second; 0: the unit is no rate.
double of_all_sms(const std::string& unit, const Roofline& device) {
  if (unit == "B/s") return device.sms;
  return unit == "B/clk" || unit == "ops/clock" ? device.sms * device.clock_hz : 0;
}

std::optional<Roof> roof_of(const Finding& finding, const std::string& name, double factor) {
  const auto* value = std::get_if<double>(&finding.value);
  if (!value || finding.verdict != Verdict::measured || !(*value > 0) || !(factor > 0))
    return std::nullopt;
  return Roof{name, *value * factor, finding.low.value_or(*value) * factor,
              finding.high.value_or(*value) * factor, finding.name};
}

/// The type of a rate of floating-point operations, and what one of the finding's unit is in FLOP/s
/// of the whole GPU; 0: it is none.
struct TypeRate {
  std::string type;
  double factor = 0;
};
TypeRate type_of(const Finding& finding, const Roofline& device) {
  static const std::regex of_sm(
      R"(op\.(fma|add|sub|mul)\.(?:\w+\.)*(bf|f)(16|32|64)(x2)?\.throughput)");
  static const std::regex of_gpu(R"(peak\.(mma\.)?(bf|tf|f)(16|32|64))");
  static const std::regex of_tensors(R"(wgmma\.throughput\[type=([\w.]+).*)");
  std::smatch match;
  if (std::regex_match(finding.name, match, of_sm)) {
    const int operations = (match[1] == "fma" ? 2 : 1) * (match[4].matched ? 2 : 1);
    return {(match[2] == "bf" ? "BF" : "FP") + match[3].str(),
            operations * of_all_sms(finding.unit, device)};
  }
  if (std::regex_match(finding.name, match, of_gpu)) {
    const std::string bits = match[3].str();
    const std::string type = match[2] == "f"    ? "FP" + bits
                             : match[2] == "bf" ? "BF" + bits
                                                : "TF" + bits;
    return {(match[1].matched ? "mma " : "") + type, finding.unit == "FLOP/s" ? 1.0 : 0.0};
  }
  if (std::regex_match(finding.name, match, of_tensors))
    return {"tensor " + match[1].str(), finding.unit == "TFLOPS" ? 1e12 : 0.0};
  return {};
}

void add_memory(Roofline& device, const RateFindings& findings) {
  for (const MemoryRate& rate : kMemoryRates) {
    const auto found = findings.find(std::string(rate.finding));
    if (found == findings.end()) continue;
    const std::string& unit = found->second->unit;
    const double factor = rate.of_one_sm ? of_all_sms(unit, device) : unit == "B/s" ? 1.0 : 0.0;
    if (auto roof = roof_of(*found->second, std::string(rate.name), factor))
      device.memory.push_back(std::move(*roof));
  }
  std::ranges::stable_sort(device.memory, {}, &Roof::value);
}

void add_compute(Roofline& device, const RateFindings& findings) {
  for (const Finding* finding : std::views::values(findings)) {
    const TypeRate rate = type_of(*finding, device);
    auto roof = roof_of(*finding, rate.type, rate.factor);
    if (!roof) continue;
    const auto same = std::ranges::find(device.compute, rate.type, &Roof::name);
    if (same == device.compute.end())
      device.compute.push_back(std::move(*roof));
    else if (same->value < roof->value)
      *same = std::move(*roof);
  }
  std::ranges::stable_sort(device.compute, {}, &Roof::value);
}

/// Roofs that devices are expected to have, each with the finding that `gpx characterize` makes of
/// it, and the first compute capability, times 10, that has such operations.
struct ExpectedRoof {
  std::string_view name, finding;
  bool is_memory;
  int capability = 0;
};
constexpr ExpectedRoof kExpectedRoofs[] = {
    {"DRAM", "bandwidth.dram_read", true}, {"L2", "bandwidth.l2", true},
    {"L1", "bandwidth.l1", true},          {"shared memory", "bandwidth.shared_read", true},
    {"FP64", "peak.f64", false, 13},       {"FP32", "peak.f32", false},
    {"FP16", "peak.f16", false, 53},       {"BF16", "peak.bf16", false, 80}};

std::string capability_text(int capability) {
  return fmt::format("{}.{}", capability / 10, capability % 10);
}

/// `capability`: of the device; 0: not known.
MissingRoof missing_roof(const ExpectedRoof& expected, const RateFindings& findings,
                         int capability) {
  const std::string name(expected.name), finding(expected.finding);
  const auto found = findings.find(finding);
  if (found != findings.end() && found->second->verdict != Verdict::measured)
    return {name, verdict_text(found->second->verdict), found->second->note, finding};
  if (capability > 0 && capability < expected.capability)
    return {name,
            "no such operations",
            fmt::format("they need compute capability {}; the device has {}",
                        capability_text(expected.capability), capability_text(capability)),
            {}};
  return {name, "not measured",
          fmt::format("gpx characterize --only {}", expected.is_memory ? "bandwidth" : "pipelines"),
          finding};
}

void add_missing(Roofline& device, const RateFindings& findings) {
  for (const ExpectedRoof& expected : kExpectedRoofs) {
    const auto& roofs = expected.is_memory ? device.memory : device.compute;
    const bool there = std::ranges::any_of(roofs, [&](const Roof& roof) {
      return expected.is_memory ? roof.name.starts_with(expected.name) : roof.name == expected.name;
    });
    if (!there) device.missing.push_back(missing_roof(expected, findings, device.capability));
  }
}

std::string in_tera(double value) {
  return with_unit(value, "FLOP/s");
}

std::string range_text(const Roof& roof, const char* unit) {
  return with_unit(roof.low, unit) + ".." + with_unit(roof.high, unit);
}

std::string device_text(const Roofline& device) {
  return fmt::format("{}{}: {} SMs, SM clock {} as reported", device.device,
                     device.measured ? "" : ", a model, not a measurement", device.sms,
                     with_unit(device.clock_hz, "Hz"));
}

Table roof_table(const Roofline& device) {
  Table table({"roof", "rate", "interval", "finding"});
  const auto add = [&](const std::vector<Roof>& roofs, const char* unit) {
    for (const Roof& roof : roofs)
      table.add({{roof.name},
                 {with_unit(roof.value, unit), Paint::bold},
                 {range_text(roof, unit)},
                 {roof.finding}});
  };
  add(device.memory, "B/s");
  add(device.compute, "FLOP/s");
  for (const MissingRoof& missing : device.missing) {
    table.add({{missing.name}, {missing.verdict, Paint::yellow}, {""}, {missing.finding}});
    if (!missing.why.empty()) table.note("  " + missing.why);
  }
  return table;
}

/// The FLOP per byte at which each memory stops being the limit.
Table ridge_table(const Roofline& device) {
  std::vector<std::string> head = {"ridge in FLOP/B"};
  for (const Roof& memory : device.memory) head.push_back(memory.name);
  Table table(head);
  for (const Roof& peak : device.compute) {
    std::vector<Cell> row = {{peak.name}};
    for (const Roof& memory : device.memory) row.push_back({brief(peak.value / memory.value, 3)});
    table.add(std::move(row));
  }
  return table;
}

constexpr double kLeastIntensity = 1.0 / 16;  ///< FLOP/B

/// FLOP/s at most of a kernel on `memory`: a line up to `peak`, then the peak up to `end`.
Curve memory_curve(const Roof& memory, double peak, double end, const std::string& label) {
  const double ridge = peak / memory.value, begin = std::min(kLeastIntensity, ridge / 2);
  Curve curve;
  curve.label = label;
  curve.x = {begin, ridge, end};
  curve.y = {begin * memory.value, peak, peak};
  return curve;
}

Curve peak_curve(const Roof& peak, double from, double end, const std::string& label) {
  Curve curve;
  curve.label = label;
  curve.x = {from, end};
  curve.y = {peak.value, peak.value};
  return curve;
}

/// Without its roofs.
Roofline roofline_of(const DeviceInfo& info, const std::string& name) {
  Roofline device{name, info.measured, info.sm_count, info.clock_hz};
  device.capability = 10 * info.sm_major + info.sm_minor;
  return device;
}

}  // namespace

std::vector<Roofline> rooflines_of(const std::vector<Run>& runs) {
  std::vector<Roofline> all;
  std::vector<RateFindings> findings;
  for (const Run& run : runs)
    for (const ExperimentResult& result : run.document.result.experiments) {
      const DeviceInfo& info = result.device;
      const std::string name = device_label(info);
      auto at = std::ranges::find(all, name, &Roofline::device);
      if (at == all.end()) {
        at = all.insert(all.end(), roofline_of(info, name));
        findings.emplace_back();
      }
      for (const Finding& finding : result.findings)
        findings[static_cast<std::size_t>(at - all.begin())][finding.name] = &finding;
    }
  for (std::size_t i = 0; i < all.size(); ++i) {
    add_memory(all[i], findings[i]);
    add_compute(all[i], findings[i]);
    add_missing(all[i], findings[i]);
  }
  std::erase_if(all, [](const Roofline& one) { return one.memory.empty() || one.compute.empty(); });
  return all;
}

std::string roofline_text(const std::vector<Roofline>& all, const Style& style) {
  std::string out;
  for (const Roofline& device : all) {
    out += (out.empty() ? "" : "\n") + fit(style, device_text(device)) + "\n\n";
    out += roof_table(device).render(style) + '\n' + ridge_table(device).render(style);
  }
  return out;
}

Picture roofline_picture(const std::vector<Roofline>& all) {
  Picture picture;
  picture.title = "Roofline";
  Figure& figure = picture.figure;
  figure.x_name = "arithmetic intensity";
  figure.x_unit = "FLOP/B";
  figure.log_x = true;
  Panel panel{"performance", "FLOP/s", {}, 14, true};
  double end = 1;
  for (const Roofline& device : all)
    end = std::max(end, 4 * device.compute.back().value / device.memory.front().value);
  for (std::size_t run = 0; run < all.size(); ++run) {
    const Roofline& device = all[run];
    const double peak = device.compute.back().value, fastest = device.memory.back().value;
    const std::string before = all.size() > 1 ? device.device + ": " : "";
    const auto add = [&](Curve curve) {
      curve.run = run;
      panel.curves.push_back(std::move(curve));
    };
    for (const Roof& memory : device.memory)
      add(memory_curve(
          memory, peak, end,
          fmt::format("{}{} {}", before, memory.name, with_unit(memory.value, "B/s"))));
    for (const Roof& one : device.compute)
      add(peak_curve(one, one.value / fastest, end,
                     fmt::format("{}{} {}", before, one.name, in_tera(one.value))));
    picture.runs.push_back(device.device);
    picture.note += (run > 0 ? "; " : "") + device.device +
                    (device.measured ? ": measured" : ": a model, not a measurement");
  }
  figure.panels.push_back(std::move(panel));
  return picture;
}

std::string roofline_plot(const std::vector<Roofline>& all, const Style& style) {
  const auto names = [](const auto& roofs) { return joined(roofs, "; ", &Roof::name); };
  Figure figure = roofline_picture(all).figure;
  for (Panel& panel : figure.panels)
    for (Curve& curve : panel.curves) curve.label.clear();
  std::string out = draw(figure, style);
  for (const Roofline& device : all) {
    const std::string before = all.size() > 1 ? device.device + ", " : "";
    out +=
        fit(style, fmt::format("  {}sloped lines from the left: {}", before,
                               names(std::views::reverse(device.memory)))) +
        '\n' +
        fit(style, fmt::format("  {}level lines from below: {}", before, names(device.compute))) +
        '\n';
  }
  return out;
}

}  // namespace gpx::report
