// Reading a store. Interface: store.h. Covered by tests/store/store_test.cpp.
#include "runtime/store/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <tuple>
#include <utility>

#include "codegen/files/packed.h"
#include "lang/language.h"
#include "lang/read.h"
#include "lang/try.h"
#include "runtime/measure/columns.h"
#include "runtime/measure/curves.h"
#include "runtime/store/rows.h"
#include "runtime/store/run_lock.h"
#include "runtime/store/schema.h"

namespace gpx::store {
namespace {

constexpr std::uint64_t kMostLogBytes = std::uint64_t{1} << 32;

bool is_number(const std::string& text) {
  return !text.empty() && text.size() < 19 &&
         text.find_first_not_of("0123456789") == std::string::npos;
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(at, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// Two sums that one subquery gives, "3,0"; of no rows zeros.
std::pair<std::uint64_t, std::uint64_t> pair_of(const std::string& text) {
  std::pair<std::uint64_t, std::uint64_t> sums{0, 0};
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, sums.first);
  if (first.ptr != end) std::from_chars(first.ptr + 1, end, sums.second);
  return sums;
}

// The newest runs first, then only those are looked into. A document that is none has nothing in
// it: it must not keep the others from being listed. Each subquery costs a tenth of the listing:
// two sums of the same rows come as one text.
constexpr const char* kRuns = R"(
WITH chosen AS (
  SELECT * FROM run r
  WHERE (?1 = '' OR EXISTS (SELECT 1 FROM experiment e WHERE e.run = r.number
                            AND instr(lower(e.device), lower(?1)) > 0))
    AND (?2 = '' OR EXISTS (SELECT 1 FROM experiment e WHERE e.run = r.number
                            AND instr(lower(e.name), lower(?2)) > 0))
  ORDER BY number DESC LIMIT ?3),
result AS NOT MATERIALIZED (
  SELECT e.run, iif(json_valid(e.result), e.result, '{}') AS read
  FROM experiment e)
SELECT number, id, status, started, ended, host, command, folder, device, seed,
  (SELECT group_concat(name, char(10)) FROM
     (SELECT name FROM experiment e WHERE e.run = number ORDER BY ordinal)),
  (SELECT group_concat(DISTINCT nullif(e.device, '') || iif(kind = 'virtual', ' (virtual)', ''))
     FROM experiment e WHERE e.run = number),
  (SELECT sum(points) || ',' || sum(points_total) FROM experiment e WHERE e.run = number),
  (SELECT sum(json_array_length(read, '$.findings')) FROM result r WHERE r.run = number),
  (SELECT sum(applies AND pass) || ',' || sum(applies AND NOT pass) FROM
     (SELECT x.value ->> 'applies' AS applies, x.value ->> 'pass' AS pass
        FROM result r, json_each(r.read, '$.expectations') x WHERE r.run = number))
FROM chosen ORDER BY number DESC)";

RunEntry entry_of(const Statement& row) {
  RunEntry entry;
  entry.number = row.integer(0);
  entry.origin = {row.text(1), row.text(2), row.text(3),
                  row.text(4), row.text(5), row.text(6),
                  row.text(7), row.text(8), static_cast<std::uint64_t>(row.integer(9))};
  entry.experiments = split(row.text(10), '\n');
  entry.devices = split(row.text(11), ',');
  std::tie(entry.points, entry.points_total) = pair_of(row.text(12));
  entry.findings = static_cast<std::uint64_t>(row.integer(13));
  std::tie(entry.held, entry.broken) = pair_of(row.text(14));
  return entry;
}

/// What the checked experiments know beyond the document: plots, sweep, analyses, the units of
/// papers' values. A run has them in order, but may lack some, such as groups that its device
/// cannot do.
class Completion {
 public:
  explicit Completion(const RunResult& run)
      : checked_(checked_experiments(run.sources, run.settings)), next_(checked_.begin()) {}

  void of(ExperimentResult& result) {
    const auto found = std::find_if(next_, checked_.end(), [&](const Experiment& each) {
      return each.name == result.experiment.name;
    });
    if (found == checked_.end()) return;
    result.experiment = *found;
    attach_paper_values(*found, result.findings);
    next_ = found + 1;
  }

 private:
  const std::vector<Experiment> checked_;
  std::vector<Experiment>::const_iterator next_;
};

}  // namespace

void complete(RunResult& run) {
  Completion completion(run);
  for (ExperimentResult& each : run.experiments) completion.of(each);
}

std::vector<Experiment> checked_experiments(const std::vector<Source>& sources,
                                            const std::vector<Setting>& settings) {
  std::vector<Experiment> all;
  for (const Source& source : sources) {
    auto checked = read_experiments(source, settings);
    if (!checked) return {};
    std::ranges::move(*checked, std::back_inserter(all));
  }
  return all;
}

Result<Store> Store::open(const std::string& path, bool create) {
  std::error_code error;
  const auto folder = std::filesystem::path(path).parent_path();
  if (create && !folder.empty()) std::filesystem::create_directories(folder, error);
  if (error)
    return fail(Fault::device, fmt::format("cannot make the folder '{}' of the store: {}",
                                           folder.string(), error.message()));
  auto database = GPX_TRY(open_store(path, create));
  return Store(std::move(database));
}

/// A run whose writer is gone was interrupted, whatever it could not write any more.
std::string Store::status_of(std::int64_t run, const std::string& stored) const {
  return stored == "running" && !is_held(path(), run) ? "interrupted" : stored;
}

Result<std::vector<RunEntry>> Store::runs(const Filter& filter) const {
  auto select = GPX_TRY(database_.prepare(kRuns));
  select.add(filter.device).add(filter.experiment);
  select.add(filter.limit == 0 ? std::int64_t{-1} : static_cast<std::int64_t>(filter.limit));
  std::vector<RunEntry> entries;
  for (;;) {
    const auto row = GPX_TRY(select.step());
    if (!row) return entries;
    RunEntry& entry = entries.emplace_back(entry_of(select));
    entry.origin.status = status_of(entry.number, entry.origin.status);
  }
}

Result<std::int64_t> Store::find(const std::string& run) const {
  const bool last = run == "last", numbered = is_number(run);
  auto select = GPX_TRY(database_.prepare(last       ? "SELECT max(number) FROM run"
                                          : numbered ? "SELECT number FROM run WHERE number = ?"
                                                     : "SELECT number FROM run WHERE substr(id, 1, "
                                                       "length(?1)) = ?1 AND ?1 <> '' LIMIT 2"));
  if (numbered) select.add(static_cast<std::int64_t>(std::stoll(run)));
  if (!last && !numbered) select.add(run);
  auto row = select.step();
  if (!row) return tl::unexpected(row.error());
  if (!*row || select.is_null(0)) {
    const auto count = database_.number("SELECT count(*) FROM run");
    if (count && *count == 0)
      return fail(Fault::input, fmt::format("there are no runs in the store '{}'", path()));
    return fail(Fault::input, fmt::format("there is no run '{}' in the store '{}'", run, path()),
                "gpx runs lists them: a number, the beginning of an id, or last");
  }
  const std::int64_t number = select.integer(0);
  row = select.step();
  if (row && *row)
    return fail(Fault::input, fmt::format("the ids of several runs begin with '{}'", run));
  return number;
}

Result<StoredRun> Store::load_inputs(std::int64_t run) const {
  auto select = GPX_TRY(database_.prepare(
      "SELECT id, status, started, ended, host, command, folder, device, seed, gpx FROM run WHERE "
      "number = ?"));
  auto row = select.add(run).step();
  if (!row) return tl::unexpected(row.error());
  if (!*row) return fail(Fault::input, fmt::format("there is no run {}", run));
  StoredRun loaded;
  loaded.number = run;
  loaded.origin = {select.text(0),
                   status_of(run, select.text(1)),
                   select.text(2),
                   select.text(3),
                   select.text(4),
                   select.text(5),
                   select.text(6),
                   select.text(7),
                   static_cast<std::uint64_t>(select.integer(8))};
  loaded.result.gpx = select.text(9);
  for (const char* table : {"source", "setting"}) {
    auto texts = GPX_TRY(database_.prepare(
        fmt::format("SELECT name, text FROM {} WHERE run = ? ORDER BY ordinal", table)));
    texts.add(run);
    for (row = texts.step(); row && *row; row = texts.step()) {
      if (table == std::string("source"))
        loaded.result.sources.emplace_back(texts.text(0), texts.text(1));
      else
        loaded.result.settings.push_back({texts.text(0), texts.text(1)});
    }
    if (!row) return tl::unexpected(row.error());
  }
  return loaded;
}

Result<Samples> Store::load_samples(std::int64_t experiment, const std::string& columns) const {
  auto samples = columns_from(columns);
  if (!samples)
    return fail(Fault::device, "stored samples have a column that is none: the store is damaged");
  auto select =
      GPX_TRY(database_.prepare("SELECT samples FROM batch WHERE experiment = ? ORDER BY first"));
  auto row = select.add(experiment).step();
  for (; row && *row; row = select.step()) {
    GPX_TRY(unpack_rows(*samples, select.bytes(0)));
  }
  if (!row) return tl::unexpected(row.error());
  return std::move(*samples);
}

Result<void> Store::load_experiments(StoredRun& run) const {
  auto select = GPX_TRY(database_.prepare(
      "SELECT key, points, values_digest, columns, result, ended FROM experiment WHERE run = ? "
      "ORDER BY ordinal"));
  Completion completion(run.result);
  auto row = select.add(run.number).step();
  for (; row && *row; row = select.step()) {
    auto result = GPX_TRY(report::experiment_from_json(select.text(4), path()));
    auto samples = GPX_TRY(load_samples(select.integer(0), select.text(3)));
    result.samples = std::move(samples);
    const bool ended = select.integer(5) != 0;
    if (!ended) {  // What it was when it began; its points came later.
      result.interrupted = true;
      result.points = static_cast<std::uint64_t>(select.integer(1));
      result.values_digest = select.text(2);
    }
    completion.of(result);
    result.curves = curves_of(result.experiment, result.samples);
    run.result.experiments.push_back(std::move(result));
  }
  if (!row) return tl::unexpected(row.error());
  return {};
}

Result<void> Store::load_probes(StoredRun& run) const {
  auto select = GPX_TRY(database_.prepare(
      "SELECT e.ordinal, p.log FROM experiment e JOIN probes p ON p.experiment = e.key "
      "WHERE e.run = ?"));
  auto row = select.add(run.number).step();
  for (; row && *row; row = select.step()) {
    const auto text = unpack(select.bytes(1), kMostLogBytes);
    if (!text) return fail(Fault::device, "a stored log of probes is damaged");
    auto log = GPX_TRY(probe_log_from({reinterpret_cast<const char*>(text->data()), text->size()}));
    const auto ordinal = static_cast<std::size_t>(select.integer(0));
    if (ordinal < run.result.experiments.size())
      run.result.experiments[ordinal].probes = std::move(log);
  }
  if (!row) return tl::unexpected(row.error());
  return {};
}

Result<StoredRun> Store::load(std::int64_t run) const {
  // One moment of a run that another process may be writing.
  GPX_TRY(database_.execute("BEGIN"));
  auto loaded = load_inputs(run);
  Result<void> read;
  if (loaded) read = load_experiments(*loaded);
  (void)database_.execute("COMMIT");
  if (!read) return tl::unexpected(read.error());
  if (loaded)
    loaded->result.interrupted =
        loaded->origin.status == "interrupted" || loaded->origin.status == "running";
  return loaded;
}

Result<std::set<std::int64_t>> Store::shards() const {
  auto select =
      GPX_TRY(database_.prepare("SELECT DISTINCT run FROM experiment WHERE json_valid(result) AND "
                                "result ->> '$.provenance.shard' IS NOT NULL"));
  std::set<std::int64_t> numbers;
  for (;;) {
    const auto row = GPX_TRY(select.step());
    if (!row) return numbers;
    numbers.insert(select.integer(0));
  }
}

Result<std::string> Store::document(std::int64_t run) const {
  const auto loaded = GPX_TRY(load(run));
  return report::to_json(loaded.result);
}

Result<std::string> Store::export_document(std::int64_t run) const {
  const auto loaded = GPX_TRY(load(run));
  return report::to_json(loaded.result, &loaded.origin);
}

}  // namespace gpx::store
