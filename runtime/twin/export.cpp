// Interface: export.h. Covered by tests/twin/export_test.cpp.
#include "runtime/twin/export.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "lang/lists.h"

namespace gpx::twin {
namespace {

using Json = nlohmann::ordered_json;
using From = vgpu::FileValue::From;

std::string json_text(const vgpu::FileContents& file) {
  Json document = {{"schema", 1}, {"device", file.name}, {"title", file.title}};
  Json values = Json::array();
  for (const vgpu::FileValue& value : file.values) {
    Json one = {{"field", value.path}, {"value", value.text}};
    one["number"] = value.number ? Json(*value.number) : Json();
    one["unit"] = value.unit;
    one["from"] = value.from == From::source    ? "source"
                  : value.from == From::assumed ? "assumed"
                                                : "none";
    one["why"] = value.why;
    values.push_back(std::move(one));
  }
  document["values"] = std::move(values);
  Json records = Json::array();
  for (const vgpu::FileRecord& record : file.records)
    records.push_back({{"device", record.device},
                       {"date", record.date},
                       {"exam", record.exam},
                       {"points", record.points},
                       {"mean", record.mean},
                       {"median", record.median},
                       {"p90", record.p90},
                       {"within_10_percent", record.within},
                       {"families", record.families},
                       {"worst", record.worst},
                       {"causes", record.causes}});
  document["records"] = std::move(records);
  Json missing = Json::array();
  for (const vgpu::FileMissing& one : file.missing)
    missing.push_back({{"finding", one.finding}, {"why", one.why}, {"fields", one.fields}});
  document["missing"] = std::move(missing);
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != text.npos; at += 2) text.insert(at, "\\");
  return text;
}

std::string markdown_text(const vgpu::FileContents& file) {
  std::string text = fmt::format("# {}\n\n{}\n", file.name, file.title);
  std::string section = "-";
  for (const vgpu::FileValue& value : file.values) {
    const std::size_t dot = value.path.find('.');
    const std::string here = dot == value.path.npos ? "" : value.path.substr(0, dot);
    if (here != section)
      text += fmt::format("\n## {}\n\n| field | value | from |\n|---|---|---|\n",
                          here.empty() ? "device" : here);
    section = here;
    const char* from = value.from == From::assumed ? "assumed: " : "";
    text += fmt::format(
        "| {} | {} | {}{} |\n", dot == value.path.npos ? value.path : value.path.substr(dot + 1),
        cell(value.text), from, cell(value.from == From::none ? "no source" : value.why));
  }
  if (!file.missing.empty())
    text += "\n## Findings that are missing\n\n| finding | why | in its place |\n|---|---|---|\n";
  for (const vgpu::FileMissing& one : file.missing)
    text += fmt::format("| {} | {} | {} |\n", cell(one.finding), cell(one.why),
                        cell(fmt::format("{}", fmt::join(one.fields, "; "))));
  for (const vgpu::FileRecord& record : file.records) {
    text += fmt::format(
        "\n## Exam {} against {}\n\n{:.0f} points: mean error {:.1f} %, median {:.1f} %, 90 % "
        "within {:.1f} %; {:.1f} % of the points within 10 %.\n\n",
        record.exam, record.device, record.points, 100 * record.mean, 100 * record.median,
        100 * record.p90, 100 * record.within);
    for (const std::string& line : record.families) text += fmt::format("- {}\n", line);
  }
  return text;
}

// --- options of simulators ---

/// Reads fields for one option and keeps what they are from.
class Fields {
 public:
  explicit Fields(const vgpu::FileContents& file) : file_(file) {}

  std::optional<double> number(const std::string& path) {
    const auto at = std::ranges::find(file_.values, path, &vgpu::FileValue::path);
    if (at == file_.values.end() || !at->number) return std::nullopt;
    cited_.push_back(&*at);
    return at->number;
  }
  double number(const std::string& path, double otherwise) {
    return number(path).value_or(otherwise);
  }
  /// Of a unit, where an instruction has no row of its own.
  std::optional<double> operation(const char* what, std::initializer_list<const char*> names) {
    for (const char* name : names)
      if (const auto value = number(fmt::format("op.{}.{}", name, what))) return value;
    return std::nullopt;
  }
  bool has(const std::string& path) const {
    return contains(file_.values, path, &vgpu::FileValue::path);
  }
  std::string comments() const {
    std::string text;
    for (const vgpu::FileValue* value : cited_)
      text += fmt::format("# {} = {} ({}{})\n", value->path, value->text,
                          value->from == From::assumed ? "assumed: " : "",
                          value->from == From::none ? "no source" : value->why);
    return text;
  }

 private:
  const vgpu::FileContents& file_;
  std::vector<const vgpu::FileValue*> cited_;
};

using OptionText = std::function<std::optional<std::string>(Fields&)>;

/// An option, and its value; `chosen`: what of it no field gives, and why it is so.
struct SimulatorOption {
  const char* name;
  OptionText value;
  const char* chosen = "";
};

std::string whole(double value) {
  return fmt::format("{:.0f}", std::max(0.0, std::round(value)));
}

OptionText field(const char* path, double scale = 1) {
  return [path, scale](Fields& f) -> std::optional<std::string> {
    const auto value = f.number(path);
    return value ? std::optional(whole(*value * scale)) : std::nullopt;
  };
}

/// One field less another one.
OptionText beyond(const char* far, const char* near) {
  return [far, near](Fields& f) -> std::optional<std::string> {
    const auto one = f.number(far);
    return one ? std::optional(whole(*one - f.number(near, 0))) : std::nullopt;
  };
}

/// Clocks between two instructions of one of as many units as schedulers.
std::string initiation(Fields& f, double interval) {
  return fmt::format("{:.0f}", std::max(1.0, std::round(interval * f.number("sm.schedulers", 1))));
}

using Names = std::vector<std::vector<const char*>>;

/// "4,13,4,5,145,21": a number for each operation, or for what stands for it.
OptionText operations(const char* what, Names rows) {
  return [what, rows](Fields& f) -> std::optional<std::string> {
    std::vector<std::string> list;
    for (const auto& names : rows) {
      std::optional<double> value;
      for (const char* name : names)
        if (!value) value = f.number(fmt::format("op.{}.{}", name, what));
      if (!value) return std::nullopt;
      list.push_back(std::string_view(what) == "interval" ? initiation(f, *value) : whole(*value));
    }
    return fmt::format("{}", fmt::join(list, ","));
  };
}

OptionText pair_of(std::vector<const char*> names) {
  return [names](Fields& f) -> std::optional<std::string> {
    for (const char* name : names) {
      const auto latency = f.number(fmt::format("op.{}.latency", name));
      const auto interval = f.number(fmt::format("op.{}.interval", name));
      if (latency && interval) return whole(*latency) + "," + initiation(f, *interval);
    }
    return std::nullopt;
  };
}

/// <sector?>:<sets>:<line>:<ways>; `parts`: caches of the level.
std::optional<std::string> geometry(Fields& f, const std::string& level, double parts) {
  const auto capacity = f.number(level + ".capacity"), line = f.number(level + ".line");
  const auto ways = f.number(level + ".ways");
  if (!capacity || !line || !ways) return std::nullopt;
  const auto sector = f.number(level + ".sector");
  return fmt::format("{}:{:.0f}:{:.0f}:{:.0f}", sector && *sector < *line ? "S" : "N",
                     std::max(1.0, std::round(*capacity / *line / *ways / parts)), *line, *ways);
}

const char kMemories[] = "as many as half of the slices of L2, at most 64 bytes a clock each";
double memories(Fields& f) {
  return std::max(1.0, std::round(f.number("l2_slices.count", 16) / 2));
}

const Names kInteger = {{"add.u32", "alu"},    {"max.u32", "min.u32", "alu"},
                        {"mul.lo.u32", "alu"}, {"mad.lo.u32", "alu"},
                        {"div.u32", "alu"},    {"shfl.sync.bfly.b32", "warp"}};
const Names kSingle = {{"add.f32", "alu"},
                       {"max.f32", "alu"},
                       {"mul.f32", "alu"},
                       {"fma.f32", "fma.rn.f32", "alu"},
                       {"div.f32", "div.rn.f32", "sfu"}};
const Names kDouble = {{"add.f64", "fp64"},
                       {"max.f64", "fp64"},
                       {"mul.f64", "fp64"},
                       {"fma.f64", "fma.rn.f64", "fp64"},
                       {"div.f64", "div.rn.f64", "fp64"}};
const Names kSpecial = {{"sfu"}}, kTensor = {{"tensor"}};

std::vector<SimulatorOption> chip_options() {
  return {
      {"-gpgpu_n_clusters", field("sm.count")},
      {"-gpgpu_n_cores_per_cluster", [](Fields&) { return "1"; }, "an SM is a cluster"},
      {"-gpgpu_clock_domains",
       [](Fields& f) -> std::optional<std::string> {
         const auto hz = f.number("clock");
         if (!hz) return std::nullopt;
         const double mhz = *hz / 1e6;
         return fmt::format("{0:.1f}:{0:.1f}:{0:.1f}:850.0", mhz);
       },
       "the interconnect and L2 as the SMs; DRAM as in SM90_H100"},
      {"-gpgpu_kernel_launch_latency", field("launch.overhead")},
      {"-gpgpu_shader_registers", field("registers.per_sm")},
      {"-gpgpu_registers_per_block", field("registers.per_sm")},
      {"-gpgpu_shader_core_pipeline",
       [](Fields& f) -> std::optional<std::string> {
         const auto warps = f.number("sm.warp_slots");
         return warps ? std::optional(whole(32 * *warps) + ":32") : std::nullopt;
       }},
      {"-gpgpu_shader_cta", field("sm.block_slots")},
      {"-gpgpu_num_sched_per_core", field("sm.schedulers")},
      {"-gpgpu_num_sp_units", field("sm.schedulers"), "one for each scheduler"},
      {"-gpgpu_num_int_units", field("sm.schedulers"), "one for each scheduler"},
      {"-gpgpu_num_sfu_units", field("sm.schedulers"), "one for each scheduler"},
      {"-gpgpu_num_dp_units", field("sm.schedulers"), "one for each scheduler"},
      {"-ptx_opcode_latency_int", operations("latency", kInteger)},
      {"-ptx_opcode_initiation_int", operations("interval", kInteger)},
      {"-ptx_opcode_latency_fp", operations("latency", kSingle)},
      {"-ptx_opcode_initiation_fp", operations("interval", kSingle)},
      {"-ptx_opcode_latency_dp", operations("latency", kDouble)},
      {"-ptx_opcode_initiation_dp", operations("interval", kDouble)},
      {"-ptx_opcode_latency_sfu", operations("latency", kSpecial)},
      {"-ptx_opcode_initiation_sfu", operations("interval", kSpecial)},
      {"-ptx_opcode_latency_tesnor", operations("latency", kTensor), "spelled so in the simulator"},
      {"-ptx_opcode_initiation_tensor", operations("interval", kTensor)},
  };
}

std::vector<SimulatorOption> memory_options() {
  return {
      {"-gpgpu_shmem_num_banks", field("shared.banks")},
      {"-gpgpu_shmem_size", field("sm.shared")},
      {"-gpgpu_smem_latency", field("shared.latency")},
      {"-gpgpu_l1_latency", field("l1.latency")},
      {"-gpgpu_cache:dl1",
       [](Fields& f) -> std::optional<std::string> {
         const auto shape = geometry(f, "l1", 1);
         return shape ? std::optional(*shape + ",L:T:m:L:L,A:512:8,16:0,32") : std::nullopt;
       },
       "policies, MSHRs and queues as in SM90_H100"},
      {"-gpgpu_n_mem", [](Fields& f) { return whole(memories(f)); }, kMemories},
      {"-gpgpu_n_sub_partition_per_mchannel", [](Fields&) { return "2"; }, "as in SM90_H100"},
      {"-gpgpu_cache:dl2",
       [](Fields& f) -> std::optional<std::string> {
         const auto shape = geometry(f, "l2", 2 * memories(f));
         return shape ? std::optional(*shape + ",L:B:m:L:P,A:192:4,32:0,32") : std::nullopt;
       },
       "of a sub-partition; policies, MSHRs and queues as in SM90_H100"},
      {"-gpgpu_l2_rop_latency", beyond("l2.latency", "l1.latency")},
      {"-dram_latency", beyond("dram.latency", "l2.latency")},
  };
}

std::vector<SimulatorOption> trace_options() {
  return {
      {"-trace_opcode_latency_initiation_int", pair_of({"sass.imad", "mad.lo.u32", "alu"})},
      {"-trace_opcode_latency_initiation_sp",
       pair_of({"sass.fma", "fma.f32", "fma.rn.f32", "alu"})},
      {"-trace_opcode_latency_initiation_dp", pair_of({"sass.fp64", "fma.f64", "fp64"})},
      {"-trace_opcode_latency_initiation_sfu", pair_of({"sass.mufu", "sfu"})},
      {"-trace_opcode_latency_initiation_tensor", pair_of({"sass.hmma.16816", "tensor"})},
      {"-specialized_unit_1", [](Fields&) { return "1,4,4,4,4,BRA"; }, "as in SM90_H100"},
      {"-trace_opcode_latency_initiation_spec_op_1", pair_of({"sass.branch", "branch"})},
      {"-specialized_unit_3", [](Fields&) { return "1,4,64,4,4,TENSOR"; },
       "as in SM90_H100, with room for the latency"},
      {"-trace_opcode_latency_initiation_spec_op_3", pair_of({"sass.hmma.16816", "tensor"})},
  };
}

std::string options_text(const vgpu::FileContents& file, std::vector<SimulatorOption> options,
                         const char* of) {
  std::string text = fmt::format(
      "# {}: {}, by gpx.\n# Options that no measurement gives are left to the simulator's tested "
      "configuration.\n",
      file.name, of);
  for (const SimulatorOption& option : options) {
    Fields fields(file);
    const auto value = option.value(fields);
    if (!value) {
      text += fmt::format("\n# {}: not known\n", option.name);
      continue;
    }
    text += "\n" + fields.comments();
    if (*option.chosen) text += fmt::format("# assumed: {}\n", option.chosen);
    text += fmt::format("{} {}\n", option.name, *value);
  }
  return text;
}

std::string gpgpusim_text(const vgpu::FileContents& file) {
  std::vector<SimulatorOption> all = chip_options();
  for (SimulatorOption& each : memory_options()) all.push_back(std::move(each));
  return options_text(
      file, std::move(all),
      "gpgpusim.config with the options of accel-sim/gpgpu-sim_distribution at 3813997d");
}

std::string accelsim_text(const vgpu::FileContents& file) {
  return options_text(file, trace_options(),
                      "trace.config with the options of accel-sim/accel-sim-framework at 46b467f3");
}

struct Format {
  const char* name;
  std::string (*text)(const vgpu::FileContents&);
};
constexpr Format kFormats[] = {{"json", json_text},
                               {"markdown", markdown_text},
                               {"accelsim", accelsim_text},
                               {"gpgpusim", gpgpusim_text}};

}  // namespace

std::vector<std::string> export_formats() {
  std::vector<std::string> names;
  for (const Format& format : kFormats) names.emplace_back(format.name);
  return names;
}

Result<std::string> exported(const vgpu::FileContents& file, const std::string& format) {
  for (const Format& one : kFormats)
    if (one.name == format) return one.text(file);
  return fail(Fault::input, fmt::format("'{}' is no format of device files", format),
              fmt::format("there are {}", fmt::join(export_formats(), ", ")));
}

}  // namespace gpx::twin
