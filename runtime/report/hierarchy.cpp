// From findings to levels. Interface: hierarchy.h.
#include "runtime/report/hierarchy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "runtime/report/finding_text.h"
#include "runtime/report/number.h"
#include "runtime/report/report.h"

namespace gpx::report {
namespace {

class KnownFindings {
 public:
  explicit KnownFindings(const RunResult& run) {
    for (const ExperimentResult& result : run.experiments)
      for (const Finding& finding : result.findings) all_.emplace(finding.name, &finding);
  }

  const Finding* find(const std::string& name) const {
    const auto at = all_.find(name);
    return at == all_.end() ? nullptr : at->second;
  }
  const Finding* measured(const std::string& name) const {
    const Finding* finding = find(name);
    return finding && finding->verdict == Verdict::measured ? finding : nullptr;
  }
  /// Of a latency or a size: none is negative.
  std::optional<double> number(const std::string& name) const {
    const Finding* finding = measured(name);
    const auto* value = finding ? std::get_if<double>(&finding->value) : nullptr;
    constexpr double kMost = 1e15;  // A document may say anything.
    return value && *value >= 0 && *value <= kMost ? std::optional(*value) : std::nullopt;
  }

 private:
  std::map<std::string, const Finding*> all_;
};

/// "28.51 MB": four digits are what a picture has room for.
std::string bytes_text(double bytes) {
  constexpr double kMega = 1 << 20, kGiga = 1 << 30;
  if (bytes >= kGiga) return brief(bytes / kGiga) + " GB";
  if (bytes >= kMega) return brief(bytes / kMega) + " MB";
  return bytes >= 1024 ? brief(bytes / 1024) + " KB" : brief(bytes) + " B";
}

/// "16 KB", "30 MB (29.5 MB..30.4 MB)", "inconclusive", "not measured".
std::string said(const Finding* finding) {
  if (!finding) return "not measured";
  if (finding->verdict != Verdict::measured) return verdict_text(finding->verdict);
  const auto* number = std::get_if<double>(&finding->value);
  if (number && finding->unit == "B") {
    const bool open = finding->low && finding->high && *finding->low < *finding->high;
    return bytes_text(*number) +
           (open ? fmt::format(" ({}..{})", bytes_text(*finding->low), bytes_text(*finding->high))
                 : std::string());
  }
  return value_and_interval(*finding);
}

void add_latency(MemoryLevel& level, const KnownFindings& findings, const std::string& name) {
  const Finding* finding = findings.find(name);
  level.latency = findings.number(name);
  if (level.latency) {
    level.low = finding->low;
    level.high = finding->high;
  }
  level.facts.push_back((finding && level.latency ? "" : "latency: ") + said(finding));
}

void add_size(MemoryLevel& level, const KnownFindings& findings, const std::string& name) {
  level.bytes = findings.number(name);
  level.facts.push_back((level.bytes ? "" : "size: ") + said(findings.find(name)));
}

/// `format` has one place, for the finding's value; nothing where it was not measured.
void add_fact(std::vector<std::string>& facts, const KnownFindings& findings,
              const std::string& name, std::string_view format) {
  if (const Finding* finding = findings.measured(name))
    facts.push_back(fmt::format(fmt::runtime(format), value_text(*finding)));
}

/// Of L2, whose capacity is the part that one SM reaches without crossing: all of it.
void add_whole(MemoryLevel& level, const KnownFindings& findings, const std::string& prefix) {
  const Finding* whole = findings.find("l2.whole_capacity");
  if (prefix == "l2." && is_part_of_l2(findings.find("l2.capacity"), whole))
    level.facts.push_back("all parts: " + said(whole));
}

/// "256 sets of 16 ways, 128 B lines", as far as it is known.
void add_geometry(MemoryLevel& level, const KnownFindings& findings, const std::string& prefix) {
  const auto sets = findings.number(prefix + "sets"), ways = findings.number(prefix + "ways");
  if (sets && ways)
    level.facts.push_back(fmt::format("{} of {}", plural(static_cast<std::size_t>(*sets), "set"),
                                      plural(static_cast<std::size_t>(*ways), "way")));
  add_fact(level.facts, findings, prefix + "line", "lines of {}");
  add_fact(level.facts, findings, prefix + "page", "pages of {}");
  add_fact(level.facts, findings, prefix + "policy", "{}");
  if (const Finding* scope = findings.measured(prefix + "scope")) {
    const std::string whose = value_text(*scope);  // "TPC", "16 SMs"
    const bool counted = !whose.empty() && std::isdigit(static_cast<unsigned char>(whose[0])) != 0;
    level.facts.push_back(fmt::format("of {}{}", counted ? "" : "one ", whose));
  }
  add_fact(level.facts, findings, prefix + "bandwidth", "{} to all SMs");
}

/// Caches or translation buffers l1, l2, l3 of a space, as far as there is a finding of them.
/// `least` levels are there in any case, if only as not measured.
void add_levels(MemoryPath& path, const KnownFindings& findings, const std::string& prefix,
                const std::string& name, int least) {
  for (int n = 1; n <= 3; ++n) {
    const std::string level_prefix = fmt::format("{}l{}.", prefix, n);
    const Finding* latency = findings.find(level_prefix + "latency");
    const Finding* size = findings.find(level_prefix + "capacity");
    if (n > least && !latency && !size) continue;
    MemoryLevel level;
    level.name = fmt::format("{}{}", name, n);
    // One word for a level that is not there, or of which nothing is known.
    if (!findings.measured(level_prefix + "latency") &&
        !findings.measured(level_prefix + "capacity") &&
        (!latency || !size || said(latency) == said(size)))
      level.facts.push_back(said(size ? size : latency));
    else {
      add_latency(level, findings, level_prefix + "latency");
      add_size(level, findings, level_prefix + "capacity");
      add_whole(level, findings, level_prefix);
      add_geometry(level, findings, level_prefix);
    }
    path.levels.push_back(std::move(level));
  }
}

/// Behind all caches.
void add_memory(MemoryPath& path, const KnownFindings& findings, const std::string& latency,
                const std::string& name) {
  MemoryLevel level;
  level.name = name;
  add_latency(level, findings, latency);
  path.levels.push_back(std::move(level));
}

/// Parts of L2 that are farther away: plateaus of the latency of loads that bypass L1, after the
/// first, that are faster than memory and whose reach is less than what the first TLB translates.
/// Another plateau may be anything, and is not drawn.
void add_far_parts(MemoryPath& path, const KnownFindings& findings) {
  const Finding* memory = findings.measured("global.latency");
  const auto translated = findings.number("tlb.l1.capacity");
  for (int n = 2; n <= 4; ++n) {
    const std::string prefix = fmt::format("global.cg.level{}.", n);
    const auto latency = findings.number(prefix + "latency"),
               reach = findings.number(prefix + "reach");
    const auto before = findings.number(fmt::format("global.cg.level{}.reach", n - 1));
    if (!latency || !reach || !before || !memory || !translated) return;
    const auto l2 = findings.number("l2.latency");
    if (!l2 || *latency <= *l2 || *latency >= std::get<double>(memory->value) ||
        *reach >= *translated)
      return;
    MemoryLevel level;
    level.name = "L2, far part";
    add_latency(level, findings, prefix + "latency");
    level.bytes = *reach - *before;
    level.facts.push_back(fmt::format("{} more", bytes_text(*level.bytes)));
    level.facts.push_back(fmt::format("a plateau: global.cg.level{}", n));
    path.levels.push_back(std::move(level));
  }
}

MemoryPath global_path(const KnownFindings& findings) {
  MemoryPath path{"global loads", {}};
  add_levels(path, findings, "", "L", 2);
  add_far_parts(path, findings);
  add_memory(path, findings, "global.latency", "DRAM");
  for (MemoryLevel& level : path.levels) {
    if (level.name == "L1") add_fact(level.facts, findings, "bandwidth.l1", "{} to one SM");
    if (level.name == "L2") add_fact(level.facts, findings, "bandwidth.l2", "{}");
    if (level.name == "DRAM") {
      add_fact(level.facts, findings, "bandwidth.dram_read", "{} read");
      add_fact(level.facts, findings, "bandwidth.dram_write", "{} written");
      add_fact(level.facts, findings, "global.latency.spread", "{} between SMs");
    }
  }
  return path;
}

MemoryPath shared_path(const KnownFindings& findings) {
  MemoryPath path{"shared memory", {}};
  MemoryLevel level;
  level.name = "shared memory";
  add_latency(level, findings, "shared.latency");
  add_fact(level.facts, findings, "shared.banks", "{} banks");
  add_fact(level.facts, findings, "shared.bank_width", "of {}");
  add_fact(level.facts, findings, "bandwidth.shared_read", "{} to one SM");
  path.levels.push_back(std::move(level));
  return path;
}

MemoryPath space_path(const KnownFindings& findings, const std::string& name,
                      const std::string& prefix) {
  MemoryPath path{name, {}};
  const bool uncached = findings.measured(prefix + "latency") != nullptr;
  add_levels(path, findings, prefix, "L", uncached ? 0 : 1);
  if (uncached) add_memory(path, findings, prefix + "latency", "no cache");
  if (findings.find(prefix + "miss.latency"))
    add_memory(path, findings, prefix + "miss.latency", "behind them");
  return path;
}

MemoryPath translation_path(const KnownFindings& findings, const std::string& name,
                            const std::string& prefix) {
  MemoryPath path{name, {}};
  add_levels(path, findings, prefix, "TLB ", 1);
  for (MemoryLevel& level : path.levels)
    add_fact(level.facts, findings, fmt::format("{}l{}.entries", prefix, level.name.back()),
             "{} entries");
  add_memory(path, findings, prefix + "miss.latency", "no TLB");
  return path;
}

/// No group that ran has a finding of it.
bool is_unasked(const MemoryLevel& level) {
  return std::ranges::all_of(
      level.facts, [](const std::string& fact) { return fact.ends_with("not measured"); });
}

std::vector<std::string> sm_facts(const KnownFindings& findings) {
  std::vector<std::string> facts;
  add_fact(facts, findings, "regfile.registers", "{}");
  add_fact(facts, findings, "outstanding.entries", "in flight: {}");
  add_fact(facts, findings, "outstanding.kind", "kept in: {}");
  add_fact(facts, findings, "scoreboard.loads_per_warp", "a warp: {}");
  add_fact(facts, findings, "pipe.sp.latency", "SP: {}");
  add_fact(facts, findings, "pipe.sp.throughput", "SP: {}");
  add_fact(facts, findings, "pipe.fma.throughput", "FMA: {}");
  add_fact(facts, findings, "pipe.sfu.throughput", "SFU: {}");
  add_fact(facts, findings, "pipe.dpu.throughput", "DPU: {}");
  add_fact(facts, findings, "barrier.latency", "barrier: {}");
  return facts;
}

}  // namespace

std::optional<Hierarchy> hierarchy_of(const RunResult& run) {
  if (!is_characterization(run)) return std::nullopt;
  const KnownFindings findings(run);
  const DeviceInfo& device = run.experiments.front().device;
  Hierarchy all;
  all.device =
      device.name + (device.measured ? ": measured" : " (virtual): a model, not a measurement");
  all.facts = sm_facts(findings);
  all.paths = {global_path(findings),
               shared_path(findings),
               space_path(findings, "textures", "tex."),
               space_path(findings, "constants", "const."),
               space_path(findings, "code", "inst."),
               translation_path(findings, "translation of global loads", "tlb."),
               translation_path(findings, "translation of textures", "tex.tlb.")};
  std::erase_if(all.paths, [](const MemoryPath& path) {
    return std::ranges::all_of(path.levels, is_unasked);
  });
  const bool known = std::ranges::any_of(all.paths, [](const MemoryPath& path) {
    return std::ranges::any_of(
        path.levels, [](const MemoryLevel& level) { return level.latency || level.bytes; });
  });
  return known ? std::optional(std::move(all)) : std::nullopt;
}

std::vector<Hierarchy> hierarchies_of(const std::vector<Run>& runs) {
  std::vector<Hierarchy> all;
  for (const Run& run : runs)
    if (auto one = hierarchy_of(run.document.result)) {
      if (runs.size() > 1) one->device = run.name + ", " + one->device;
      all.push_back(std::move(*one));
    }
  return all;
}

}  // namespace gpx::report
