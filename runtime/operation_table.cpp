// Batches of operations, measured and looked into. Interface: operation_table.h.
#include "runtime/operation_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <span>

#include "codegen/ir/operation.h"
#include "codegen/proof/machine_code.h"
#include "lang/lists.h"
#include "lang/operations.h"
#include "lang/problems.h"
#include "lang/read.h"
#include "lang/try.h"
#include "runtime/measure/lacked.h"
#include "runtime/measure/prepare.h"

namespace gpx {
namespace {

using Rows = std::vector<const codegen::Operation*>;

/// How a kind of rows is measured: five numbers of executions, far enough apart that a full block's
/// scatter of some 30 clocks is less than a tenth of what the last adds to the first. What takes
/// tens of instructions or clocks needs fewer, and must stay in the caches of code.
struct Plan {
  std::vector<int> counts;
  int streams = 8;
  bool clustered = false;
  std::uint32_t chain = 32, full = 1024;  ///< Threads of the chain, and of the block at most.
  auto operator<=>(const Plan&) const = default;
};

std::vector<std::string_view> words_of(std::string_view text, char separator) {
  std::vector<std::string_view> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    if (end > begin) words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

/// Many instructions each.
bool is_routine(std::string_view name) {
  static constexpr std::string_view kRoutines[] = {"div", "rem", "sqrt", "rcp", "fns"};
  const std::string_view base = name.substr(0, name.find('.'));
  const bool routine =
      std::find(std::begin(kRoutines), std::end(kRoutines), base) != std::end(kRoutines);
  return routine && name.find("approx") == name.npos;
}

bool waits_for_cluster(std::string_view name) {
  return name.starts_with("barrier.cluster");
}

bool fits(const codegen::Operation& row, const Plan& plan) {
  const auto streams = static_cast<std::uint32_t>(plan.streams);
  return codegen::kFrameRegisters + codegen::expand(row, streams, streams, "").registers <=
         codegen::register_budget(plan.full);
}

/// Two chains of such an operation share machine instructions: the assembler puts both into the
/// halves of a register. 32 warps of one chain each fill the pipe as well.
bool pairs_up(const codegen::Operation& row) {
  return row.type == "f16" || row.type == "bf16" || row.name.starts_with("cvt.f32.");
}

Plan usual_plan_of(const codegen::Operation& row) {
  static constexpr std::string_view kWord[] = {"u32", "s32", "f32", "f16x2", "bf16x2"};
  const bool word = std::find(std::begin(kWord), std::end(kWord), row.type) != std::end(kWord);
  const bool simple = row.pipe == "alu" || row.pipe == "fp64" || row.pipe == "sfu";
  const bool cluster = waits_for_cluster(row.name);
  if (row.pipe == "wgmma") return {{8, 12, 16, 24, 32}, 1, false, 128, 256};
  if (is_routine(row.name)) return {{8, 24, 40, 56, 80}, 4};
  if (!simple || row.type == "none") return {{16, 48, 96, 144, 192}, 4, cluster};
  return {{64, 160, 320, 512, 768}, pairs_up(row) ? 1 : word ? 8 : 4};
}

Plan plan_of(const codegen::Operation& row) {
  Plan plan = usual_plan_of(row);
  while (plan.full > plan.chain && !fits(row, plan)) plan.full /= 2;
  return plan;
}

std::string rounding_of(std::string_view ptx) {
  static constexpr std::string_view kModifiers[] = {"rn",  "rz",   "rm",     "rp",   "rni",
                                                    "rzi", "rmi",  "rpi",    "ftz",  "sat",
                                                    "NaN", "relu", "approx", "full", "satfinite"};
  std::string found;
  const std::size_t guard = ptx.starts_with('@') ? ptx.find(' ') + 1 : 0;
  const std::string_view opcode = ptx.substr(guard, ptx.find(' ', guard) - guard);
  for (std::string_view word : words_of(opcode, '.'))
    if (std::find(std::begin(kModifiers), std::end(kModifiers), word) != std::end(kModifiers))
      found += fmt::format("{}{}", found.empty() ? "" : " ", word);
  return found;
}

OperationLine line_of(const codegen::Operation& row) {
  OperationLine line;
  line.name = row.name;
  line.type = row.type;
  line.rounding = rounding_of(row.ptx);
  line.unit = row.pipe;
  line.sources = joined(chain_sources(row.name), " ",
                        [](const ChainSource& source) { return std::string(1, source.letter); });
  return line;
}

/// Rows that a word names: one, or all of a type, of a unit or of names that begin so: `fma`.
Result<Rows> chosen_rows(const std::vector<std::string>& only) {
  Rows all, chosen;
  std::vector<std::string> known;
  for (const OperationName& name : operation_names()) {
    all.push_back(codegen::find_operation(name.name));
    known.emplace_back(name.name);
  }
  // Products of a warpgroup, which are hundreds, are named: `gpx operations --only wgmma`.
  if (only.empty()) {
    std::erase_if(all, [](const codegen::Operation* row) { return row->pipe == "wgmma"; });
    return all;
  }
  const auto names = [](const codegen::Operation& row, const std::string& word) {
    const bool begins = row.name.starts_with(word) && row.name.substr(word.size()).starts_with('.');
    return row.name == word || begins || row.type == word || row.pipe == word;
  };
  for (const std::string& word : only)
    if (std::none_of(all.begin(), all.end(), [&](const auto* row) { return names(*row, word); }))
      return fail(
          Fault::input,
          fmt::format("no operation has the name, type or unit '{}', or a name that begins so",
                      word),
          suggest(word, known));
  for (const codegen::Operation* row : all)
    if (std::any_of(only.begin(), only.end(), [&](const auto& word) { return names(*row, word); }))
      chosen.push_back(row);
  return chosen;
}

std::vector<std::string_view> names_of(std::span<const codegen::Operation* const> rows) {
  std::vector<std::string_view> names;
  for (const codegen::Operation* row : rows) names.push_back(row->name);
  return names;
}

/// The rows of one experiment as its text; places in it are never shown. Launches of a full block
/// take one of two or three times, up to 2 % apart: resampled from 41 launches on an H200, slopes
/// through medians of seven differ by 0.8 to 4.3 %, of 21 by up to 3.6 %, through means of 21 by
/// 0.5 to 1.7 %.
Source batch_source(std::span<const codegen::Operation* const> rows, const Plan& plan,
                    std::uint32_t threads) {
  return Source("operations",
                fmt::format("experiment operations {{\n"
                            "  sweep op in [{}], count in [{}]\n"
                            "  repeat 25 reduce mean\n{}"
                            "  measure latency {{ threads {} < op x count chain > }}\n"
                            "  measure throughput {{ threads {} < op x count streams {} > }}\n"
                            "  analyze pipelines(op = op, count = count, threads = {}, streams = "
                            "{})\n}}\n",
                            fmt::join(names_of(rows), ", "), fmt::join(plan.counts, ", "),
                            plan.clustered ? "  cluster 1\n" : "", plan.chain, threads,
                            plan.streams, threads, plan.streams));
}

class TableRun {
 public:
  TableRun(const Paths& paths, const OperationTableOptions& options, Rows rows)
      : session_(paths), options_(options), rows_(std::move(rows)) {}

  Result<OperationTable> run() {
    const auto begin = std::chrono::steady_clock::now();
    auto backend = GPX_TRY(session_.open(options_.device));
    backend_ = backend;
    table_.device = backend_->info();
    for (const codegen::Operation* row : rows_) {
      place_[row->name] = table_.lines.size();
      table_.lines.push_back(line_of(*row));
    }
    for (auto& [plan, rows] : batches()) chunks(plan, rows);
    table_.interrupted = stopped();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    table_.seconds = taken.count();
    return std::move(table_);
  }

 private:
  bool stopped() const { return options_.stop && *options_.stop; }
  OperationLine& line(const codegen::Operation& row) { return table_.lines[place_.at(row.name)]; }

  /// What the device has, by how it is measured.
  std::map<Plan, Rows> batches() {
    const int has = static_cast<int>(10 * table_.device.sm_major + table_.device.sm_minor);
    std::map<Plan, Rows> made;
    for (const codegen::Operation* row : rows_) {
      const int needs = least_target_of(*row);
      if (needs <= has) {
        made[plan_of(*row)].push_back(row);
        continue;
      }
      line(*row).refused =
          fmt::format("needs compute capability {}.{}: this device has {}.{}", needs / 10,
                      needs % 10, table_.device.sm_major, table_.device.sm_minor);
      ended(1);
    }
    return made;
  }

  void ended(std::size_t rows) {
    ended_ += rows;
    if (options_.on_batch) options_.on_batch(ended_, rows_.size());
  }

  void chunks(const Plan& plan, const Rows& rows) {
    constexpr std::size_t kMost = 32;
    for (std::size_t begin = 0; begin < rows.size() && !stopped(); begin += kMost) {
      const std::span part(rows.data() + begin, std::min(kMost, rows.size() - begin));
      batch(plan, part);
      ended(part.size());
    }
  }

  void batch(const Plan& plan, std::span<const codegen::Operation* const> rows) {
    if (stopped()) return;
    const std::uint32_t threads = std::min(plan.full, table_.device.max_threads_per_block);
    RunOptions run;
    run.device = options_.device;
    run.seed = options_.seed;
    run.stop = options_.stop;
    auto result = session_.run(batch_source(rows, plan, threads), run);
    const Error* failure = result ? nullptr : &result.error();
    if (result && result->experiments.front().failure)
      failure = &*result->experiments.front().failure;
    if (stopped()) return;
    if (failure && rows.size() > 1) {
      batch(plan, rows.first(rows.size() / 2));
      return batch(plan, rows.subspan(rows.size() / 2));
    }
    if (failure) {
      line(*rows.front()).refused = failure->diagnostics.front().message;
      return;
    }
    for (const std::string& warning : result->experiments.front().warnings)
      add_once(table_.warnings, warning);
    for (const codegen::Operation* row : rows) take(result->experiments.front(), *row);
    look_into(rows, plan, threads);
  }

  void take(const ExperimentResult& result, const codegen::Operation& row) {
    OperationLine& made = line(row);
    for (const Finding& finding : result.findings) {
      if (finding.name == fmt::format("op.{}.latency", row.name)) made.latency = finding;
      if (finding.name == fmt::format("op.{}.throughput", row.name)) made.throughput = finding;
    }
  }

  /// The kernels of the first points, which the cache holds by now: proofs, and opcodes by the
  /// chain.
  void look_into(std::span<const codegen::Operation* const> rows, const Plan& plan,
                 std::uint32_t threads) {
    Plan first = plan;
    first.counts.resize(1);
    const Source source = batch_source(rows, first, threads);
    const auto experiments = read_experiments(source);
    if (!experiments) return;
    const auto prepared = prepare(experiments->front(), source, *backend_, session_.paths(),
                                  {.facts = false, .keep_refused = true});
    if (!prepared) return;
    const auto region_of = [](const LoweredMeasure& measure,
                              std::size_t i) -> const codegen::RegionReport& {
      return measure.regions[measure.program.launches[i].kernel];
    };
    for (std::size_t i = 0; i < rows.size(); ++i) {
      OperationLine& made = line(*rows[i]);
      const codegen::RegionReport& chain = region_of(prepared->measures[0], i);
      prove(made, made.latency, chain);
      prove(made, made.throughput, region_of(prepared->measures[1], i));
      if (chain.form == "SASS") made.opcodes = opcodes_of(chain.listing, plan.counts.front());
    }
  }

  /// A line is verified where both of its regions are.
  static void prove(OperationLine& made, std::optional<Finding>& finding,
                    const codegen::RegionReport& region) {
    const bool verified = region.verdict == codegen::RegionReport::Verdict::verified;
    if (finding) finding->proof = codegen::to_string(region.verdict);
    if (made.proof.empty() || !verified) made.proof = codegen::to_string(region.verdict);
    if (!verified && made.reason.empty()) made.reason = region.reason;
  }

  /// What stands in the region as often as there are executions.
  static std::string opcodes_of(const std::string& listing, int executions) {
    std::string text;
    for (std::string_view line : words_of(listing, '\n')) text += fmt::format("/*0*/ {} ;\n", line);
    std::vector<std::pair<std::string, int>> counts;
    for (const codegen::MachineLine& line : codegen::parse_machine_code(text)) {
      if (line.idles() || codegen::is_barrier(line)) continue;
      const std::string kind(line.kind());
      const auto known = std::find_if(counts.begin(), counts.end(),
                                      [&](const auto& each) { return each.first == kind; });
      if (known != counts.end()) ++known->second;
      if (known == counts.end()) counts.emplace_back(kind, 1);
    }
    std::string made;
    for (const auto& [kind, times] : counts) {
      const int each = (times + executions / 4) / executions;
      if (each == 0) continue;
      made += fmt::format("{}{}{}", made.empty() ? "" : " + ",
                          each > 1 ? fmt::format("{} ", each) : "", kind);
    }
    return made;
  }

  Session session_;
  const OperationTableOptions& options_;
  const Rows rows_;
  Backend* backend_ = nullptr;
  OperationTable table_;
  std::map<std::string_view, std::size_t> place_;
  std::size_t ended_ = 0;
};

}  // namespace

Result<OperationTable> measure_operations(const Paths& paths,
                                          const OperationTableOptions& options) {
  return chosen_rows(options.only).and_then([&](Rows rows) {
    return TableRun(paths, options, std::move(rows)).run();
  });
}

}  // namespace gpx
