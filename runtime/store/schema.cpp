#include "runtime/store/schema.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <string_view>

#include "lang/try.h"
#include "runtime/store/journal.h"

namespace gpx::store {
namespace {

constexpr std::int64_t kApplication = 0x67707873;  // "gpxs"
constexpr std::int64_t kFormat = 2;

constexpr const char* kTables = R"(
CREATE TABLE run (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  status TEXT NOT NULL,       -- running, complete, interrupted, failed
  started TEXT NOT NULL,      -- 2026-01-31T12:00:00Z
  ended TEXT,
  gpx TEXT NOT NULL,          -- version
  host TEXT, command TEXT, folder TEXT,
  device TEXT NOT NULL,       -- as asked for
  seed INTEGER NOT NULL
) STRICT;
CREATE TABLE source (
  run INTEGER NOT NULL REFERENCES run, ordinal INTEGER NOT NULL,
  name TEXT NOT NULL, text TEXT NOT NULL,
  PRIMARY KEY (run, ordinal)
) STRICT;
CREATE TABLE setting (
  run INTEGER NOT NULL REFERENCES run, ordinal INTEGER NOT NULL,
  name TEXT NOT NULL, text TEXT NOT NULL,
  PRIMARY KEY (run, ordinal)
) STRICT;
CREATE TABLE experiment (
  key INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES run, ordinal INTEGER NOT NULL,
  name TEXT NOT NULL,
  device TEXT NOT NULL, kind TEXT NOT NULL,
  ended INTEGER NOT NULL,     -- 0: still measuring, or killed
  points INTEGER NOT NULL, points_total INTEGER NOT NULL,
  values_digest TEXT NOT NULL,
  columns TEXT NOT NULL,      -- of the samples: name, unit, role, number|text; tabs, a line each
  result TEXT NOT NULL,       -- JSON of docs/output.md, without samples and curves
  UNIQUE (run, ordinal)
) STRICT;
CREATE TABLE batch (
  experiment INTEGER NOT NULL REFERENCES experiment,
  first INTEGER NOT NULL,     -- point
  points INTEGER NOT NULL,
  samples BLOB NOT NULL,      -- zstd
  PRIMARY KEY (experiment, first)
) STRICT;
CREATE VIEW finding AS
  SELECT e.run, e.name AS experiment, e.device, f.value ->> 'name' AS name,
         f.value ->> 'value' AS value, f.value ->> 'unit' AS unit, f.value ->> 'low' AS low,
         f.value ->> 'high' AS high, f.value ->> 'verdict' AS verdict
  FROM experiment e, json_each(e.result, '$.findings') f;
CREATE VIEW expectation AS
  SELECT e.run, e.name AS experiment, e.device, x.value ->> 'text' AS text,
         x.value ->> 'applies' AS applies, x.value ->> 'pass' AS pass
  FROM experiment e, json_each(e.result, '$.expectations') x;
CREATE TABLE probes (
  experiment INTEGER PRIMARY KEY REFERENCES experiment,
  log BLOB NOT NULL           -- zstd; the text of a ProbeLog
) STRICT;
)";
/// What format 2 has beyond format 1: the last statement of kTables.
constexpr std::string_view kSinceFormat2 = "CREATE TABLE probes";

/// "table run", "column run.number INTEGER", "view finding": what decides what a statement does.
/// SQLite's own tables and the indices of constraints are left out.
constexpr const char* kStructure = R"(
SELECT type || ' ' || name FROM sqlite_master
  WHERE name NOT LIKE 'sqlite\_%' ESCAPE '\'
UNION ALL
SELECT 'column ' || m.name || '.' || c.name || ' ' || upper(c.type) || iif(c.hidden, ' hidden', '')
  FROM sqlite_master m, pragma_table_xinfo(m.name) c
  WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite\_%' ESCAPE '\'
UNION ALL
SELECT 'virtual table ' || name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL%')";

Result<std::set<std::string>> structure_of(const Database& database) {
  auto select = GPX_TRY(database.prepare(kStructure));
  std::set<std::string> all;
  for (;;) {
    const auto row = GPX_TRY(select.step());
    if (!row) return all;
    all.insert(select.text(0));
  }
}

/// Whether each statement that made the store is one of kTables, to the letter: then its structure
/// is wanted, and needs no other look (0.5 ms of a command's 5).
Result<bool> made_by_this_text(const Database& database) {
  auto select = GPX_TRY(database.prepare(R"(SELECT sql FROM sqlite_master
      WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\_%' ESCAPE '\')"));
  const std::string_view tables = kTables;
  std::size_t length = 0;
  for (;;) {
    const auto row = GPX_TRY(select.step());
    if (!row) break;
    const std::string statement = "\n" + select.text(0) + ";";
    if (tables.find(statement) == std::string_view::npos) return false;
    length += statement.size();
  }
  return length + 1 == tables.size();
}

Result<void> make_tables(const Database& database) {
  auto transaction = GPX_TRY(Transaction::begin(database));
  // Another process may have made them while this one waited.
  const auto made = GPX_TRY(database.number("PRAGMA user_version"));
  if (made != 0) return {};
  GPX_TRY(database.execute(kTables));
  const std::string marks =
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplication, kFormat);
  GPX_TRY(database.execute(marks));
  return transaction.commit();
}

/// Adds what an earlier gpx did not make. A store that can only be read stays as it is.
Result<void> upgrade(const Database& database) {
  const auto format = GPX_TRY(database.number("PRAGMA user_version"));
  if (format != 1 || database.read_only()) return {};
  auto transaction = GPX_TRY(Transaction::begin(database));
  const auto now = database.number("PRAGMA user_version");  // Another process may have done it.
  if (!now) return tl::unexpected(now.error());
  if (*now != 1) return {};
  const std::string added(
      std::string_view(kTables).substr(std::string_view(kTables).find(kSinceFormat2)));
  GPX_TRY(database.execute(added));
  if (auto done = database.execute(fmt::format("PRAGMA user_version = {}", kFormat)); !done)
    return done;
  return transaction.commit();
}

Result<void> check_marks(const Database& database) {
  const auto application = GPX_TRY(database.number("PRAGMA application_id"));
  const auto format = GPX_TRY(database.number("PRAGMA user_version"));
  if (application != kApplication)
    return fail(Fault::device, fmt::format("'{}' is an SQLite file of another program, not a store "
                                           "of gpx",
                                           database.path()));
  if (format > kFormat)
    return fail(Fault::device,
                fmt::format("the store '{}' has format {}, which a newer gpx made; this gpx ({}) "
                            "reads format {}",
                            database.path(), format, GPX_VERSION, kFormat));
  return {};
}

/// The tables must be what this gpx makes, and there must be nothing else: whoever made the file
/// may have put anything there.
Result<void> check_tables(const Database& database) {
  const auto same = GPX_TRY(made_by_this_text(database));
  if (same) return {};
  const auto made = GPX_TRY(Database::open_empty());
  GPX_TRY(made.execute(kTables));
  const auto wanted = GPX_TRY(structure_of(made));
  const auto found = GPX_TRY(structure_of(database));
  for (const std::string& each : found)
    if (!wanted.contains(each))
      return fail(Fault::device, fmt::format("the store '{}' has what gpx does not make: {}",
                                             database.path(), each));
  const auto format = GPX_TRY(database.number("PRAGMA user_version"));
  const auto came_later = [&](const std::string& each) {
    return format == 1 && (each == "table probes" || each.starts_with("column probes."));
  };
  for (const std::string& each : wanted)
    if (!found.contains(each) && !each.starts_with("view") && !came_later(each))
      return fail(Fault::device,
                  fmt::format("the store '{}' is damaged: it has no {}", database.path(), each));
  return {};
}

}  // namespace

Result<Database> open_store(const std::string& path, bool create) {
  auto database = Database::open(path, create);
  if (!database) return database;
  const auto tables = GPX_TRY(database->number("SELECT count(*) FROM sqlite_master"));
  if (tables == 0) {
    GPX_TRY(make_tables(*database));
  }
  GPX_TRY(check_marks(*database));
  GPX_TRY(check_tables(*database));
  if (auto done = upgrade(*database); !done && create) return tl::unexpected(done.error());
  if (database->read_only()) return database;
  auto set = database->set_journal(journal_mode(file_system_of(path)));
  // What a killed process had committed stays; only a power cut may lose the last commits.
  if (set) set = database->execute("PRAGMA synchronous = NORMAL");
  if (!set && create) return tl::unexpected(set.error());
  return database;
}

}  // namespace gpx::store
