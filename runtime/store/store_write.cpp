// Writing to a store. Interface: store.h. Covered by tests/store/store_test.cpp.
#include <fmt/format.h>

#include "codegen/files/packed.h"
#include "lang/try.h"
#include "runtime/measure/columns.h"
#include "runtime/store/rows.h"
#include "runtime/store/store.h"

namespace gpx::store {
namespace {

std::optional<std::string> given(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

Result<void> insert_texts(const Database& database, const char* table, std::int64_t run,
                          std::int64_t ordinal, const std::string& name, const std::string& text) {
  auto insert = GPX_TRY(database.prepare(
      fmt::format("INSERT INTO {} (run, ordinal, name, text) VALUES (?, ?, ?, ?)", table)));
  return insert.add(run).add(ordinal).add(name).add(text).run();
}

Result<std::int64_t> insert_run(const Database& database, const report::RunOrigin& origin,
                                const RunResult& inputs) {
  auto insert = GPX_TRY(database.prepare(
      "INSERT INTO run (id, status, started, ended, host, command, folder, device, seed, gpx) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
  insert.add(origin.id).add(origin.status).add(origin.started).add(given(origin.ended));
  insert.add(given(origin.host)).add(given(origin.command)).add(given(origin.folder));
  insert.add(origin.device).add(static_cast<std::int64_t>(origin.seed)).add(inputs.gpx);
  GPX_TRY(insert.run());
  const std::int64_t run = database.last_key();
  std::int64_t ordinal = 0;
  for (const Source& source : inputs.sources)
    GPX_TRY(insert_texts(database, "source", run, ordinal++, source.name(), source.text()));
  ordinal = 0;
  for (const Setting& setting : inputs.settings)
    GPX_TRY(insert_texts(database, "setting", run, ordinal++, setting.name, setting.text));
  return run;
}

Result<std::int64_t> upsert_experiment(const Database& database, std::int64_t run,
                                       std::size_t ordinal, const ExperimentResult& result,
                                       bool ended) {
  // An experiment that could not even be prepared replaces nothing: its points are worth more.
  auto put = GPX_TRY(database.prepare(
      "INSERT INTO experiment (run, ordinal, name, device, kind, ended, points, points_total, "
      "values_digest, columns, result) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
      "ON CONFLICT (run, ordinal) DO UPDATE SET device = excluded.device, kind = excluded.kind, "
      "ended = excluded.ended, points = excluded.points, points_total = excluded.points_total, "
      "values_digest = excluded.values_digest, columns = excluded.columns, "
      "result = excluded.result WHERE excluded.points >= points RETURNING key"));
  put.add(run).add(static_cast<std::int64_t>(ordinal)).add(result.experiment.name);
  put.add(result.device.name);
  put.add(result.device.kind);
  put.add(std::int64_t{ended}).add(static_cast<std::int64_t>(result.points));
  put.add(static_cast<std::int64_t>(result.points_total)).add(result.values_digest);
  put.add(columns_text(result.samples)).add(report::to_json(result));
  const auto row = GPX_TRY(put.step());
  if (!row) return 0;
  const std::int64_t key = put.integer(0);
  GPX_TRY(put.run());
  return key;
}

Result<void> insert_batch(const Database& database, std::int64_t experiment, std::uint64_t first,
                          std::uint64_t points, const Samples& samples, std::size_t first_row) {
  auto insert = GPX_TRY(database.prepare(
      "INSERT INTO batch (experiment, first, points, samples) VALUES (?, ?, ?, ?)"));
  insert.add(experiment).add(static_cast<std::int64_t>(first));
  insert.add(static_cast<std::int64_t>(points)).add(pack_rows(samples, first_row));
  return insert.run();
}

}  // namespace

Result<std::int64_t> Store::add_run(const report::RunOrigin& origin,
                                    const RunResult& inputs) const {
  auto transaction = GPX_TRY(Transaction::begin(database_));
  auto run = insert_run(database_, origin, inputs);
  if (!run) return run;
  GPX_TRY(transaction.commit());
  return run;
}

Result<void> Store::set_status(std::int64_t run, const std::string& status,
                               const std::string& ended) const {
  auto update = GPX_TRY(database_.prepare("UPDATE run SET status = ?, ended = ? WHERE number = ?"));
  return update.add(status).add(given(ended)).add(run).run();
}

Result<std::int64_t> Store::put_experiment(std::int64_t run, std::size_t ordinal,
                                           const ExperimentResult& result, bool ended) const {
  return upsert_experiment(database_, run, ordinal, result, ended);
}

Result<void> Store::put_probes(std::int64_t experiment, const ProbeLog& log) const {
  auto put =
      GPX_TRY(database_.prepare("INSERT OR REPLACE INTO probes (experiment, log) VALUES (?, ?)"));
  return put.add(experiment).add(pack(to_string(log))).run();
}

Result<void> Store::add_points(std::int64_t experiment, std::uint64_t first,
                               const PointsMeasured& points) const {
  auto transaction = GPX_TRY(Transaction::begin(database_));
  if (auto done = insert_batch(database_, experiment, first, points.done - first, points.samples,
                               points.first_row);
      !done)
    return done;
  auto update =
      database_.prepare("UPDATE experiment SET points = ?, values_digest = ? WHERE key = ?");
  if (!update) return tl::unexpected(update.error());
  update->add(static_cast<std::int64_t>(points.done)).add(points.values_digest).add(experiment);
  GPX_TRY(update->run());
  return transaction.commit();
}

Result<std::int64_t> Store::number_of(const std::string& id) const {
  auto select = GPX_TRY(database_.prepare("SELECT number FROM run WHERE id = ?"));
  const auto there = GPX_TRY(select.add(id).step());
  return there ? select.integer(0) : 0;
}

/// Within a transaction of the caller.
Result<std::int64_t> Store::insert_whole(const report::ReadRun& run) const {
  report::RunOrigin origin = *run.origin;
  if (origin.status == "running") origin.status = "interrupted";
  auto number = insert_run(database_, origin, run.result);
  if (!number) return number;
  std::size_t ordinal = 0;
  for (const ExperimentResult& experiment : run.result.experiments) {
    auto key = upsert_experiment(database_, *number, ordinal++, experiment, true);
    if (!key) return key;
    if (experiment.probes.memory_bytes > 0) GPX_TRY(put_probes(*key, experiment.probes));
    if (experiment.samples.rows() == 0) continue;
    GPX_TRY(insert_batch(database_, *key, 0, experiment.points, experiment.samples, 0));
  }
  return number;
}

Result<std::int64_t> Store::import_run(const report::ReadRun& run) const {
  if (!run.origin)
    return fail(Fault::input, "the document does not have when, where and how it was measured",
                "gpx export writes one that does");
  auto transaction = GPX_TRY(Transaction::begin(database_));
  const auto there = number_of(run.origin->id);
  if (!there) return there;
  if (*there != 0)
    return fail(Fault::input, fmt::format("the run is in the store already, as run {}", *there));
  auto number = insert_whole(run);
  if (!number) return number;
  GPX_TRY(transaction.commit());
  return number;
}

Result<void> Store::drop(std::int64_t run) const {
  constexpr const char* kParts[] = {
      "DELETE FROM probes WHERE experiment IN (SELECT key FROM experiment WHERE run = ?)",
      "DELETE FROM batch WHERE experiment IN (SELECT key FROM experiment WHERE run = ?)",
      "DELETE FROM experiment WHERE run = ?",
      "DELETE FROM source WHERE run = ?",
      "DELETE FROM setting WHERE run = ?",
      "DELETE FROM run WHERE number = ?"};
  for (const char* part : kParts) {
    auto statement = GPX_TRY(database_.prepare(part));
    GPX_TRY(statement.add(run).run());
  }
  return {};
}

Result<bool> Store::is_newer(const std::string& id, const std::string& status,
                             std::uint64_t points) const {
  auto select = GPX_TRY(database_.prepare(
      "SELECT status, (SELECT total(points) FROM experiment e WHERE e.run = number) FROM run "
      "WHERE id = ?"));
  const auto row = GPX_TRY(select.add(id).step());
  if (!row || (status == "complete" && select.text(0) != "complete")) return true;
  return points > static_cast<std::uint64_t>(select.integer(1));
}

Result<bool> Store::import_newer(const report::ReadRun& run) const {
  auto transaction = GPX_TRY(Transaction::begin(database_));
  std::uint64_t points = 0;
  for (const ExperimentResult& each : run.result.experiments) points += each.points;
  const auto newer = is_newer(run.origin->id, run.origin->status, points);
  if (!newer || !*newer) return newer;
  const auto there = GPX_TRY(number_of(run.origin->id));
  if (there != 0) GPX_TRY(drop(there));
  GPX_TRY(insert_whole(run));
  GPX_TRY(transaction.commit());
  return true;
}

}  // namespace gpx::store
