#include "runtime/store/sqlite.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>
#include <utility>

#include "lang/try.h"

namespace gpx::store {
namespace {

constexpr int kBusyMilliseconds = 20'000;  ///< That another process may hold the store.
constexpr int kLookMilliseconds = 10;      ///< Between looks where SQLite itself does not wait.

std::string place_of(const std::string& path) {
  return fmt::format("the store '{}'", path);
}

/// What keeps the file, or the folder that it would lie in, from being written; 0 if nothing does.
int why_closed(const std::string& path) {
  std::error_code error;
  const std::filesystem::path file = std::filesystem::absolute(path, error);
  const bool exists = std::filesystem::exists(file, error);
  const std::string at = (exists ? file : file.parent_path()).string();
  const int wanted = exists ? R_OK | W_OK : W_OK | X_OK;
  return ::faccessat(AT_FDCWD, at.c_str(), wanted, AT_EACCESS) == 0 ? 0 : errno;
}

/// The file and the folder, where SQLite makes files beside it.
bool can_be_written(const std::string& path) {
  std::error_code error;
  const std::string folder = std::filesystem::absolute(path, error).parent_path().string();
  const auto may = [](const std::string& at) {
    return ::faccessat(AT_FDCWD, at.c_str(), W_OK, AT_EACCESS) == 0;
  };
  return may(path) && may(folder);
}

/// A file of any name. `only_read`: no file is made beside it, and no lock is taken; but points
/// that a killed run has left in the log beside it must be read, too.
std::string uri_of(const std::string& path, bool only_read) {
  std::error_code error;
  const auto log = std::filesystem::file_size(path + "-wal", error);
  const bool logged = !error && log > 0;
  std::string uri = "file:";
  for (const char c : std::filesystem::absolute(path, error).string()) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) || c == '/' || c == '.';
    uri += plain ? std::string(1, c) : fmt::format("%{:02x}", static_cast<unsigned char>(c));
  }
  return uri + (only_read && !logged ? "?immutable=1" : "");
}

/// What SQLite says, in words that help.
tl::unexpected<Error> failure(sqlite3* database, const std::string& path, int code) {
  const std::string place = place_of(path);
  switch (code & 0xff) {
    case SQLITE_NOTADB:
      return fail(Fault::device, place + " is not a store of gpx, nor any SQLite file");
    case SQLITE_CORRUPT:
      return fail(Fault::device, place + " is damaged (" + sqlite3_errmsg(database) + ")",
                  "what can be saved: sqlite3 FILE .recover");
    case SQLITE_BUSY:
      return fail(Fault::device, place + " is in use by another process that does not let go");
    case SQLITE_CANTOPEN:
      if (const int why = why_closed(path); why != 0)
        return fail(Fault::device, fmt::format("cannot open {}: {}", place, std::strerror(why)));
      [[fallthrough]];
    default:
      return fail(Fault::device,
                  fmt::format("cannot use {}: {}", place,
                              database ? sqlite3_errmsg(database) : sqlite3_errstr(code)));
  }
}

}  // namespace

void Statement::Close::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

Statement& Statement::add(std::int64_t value) {
  wrong_ |= sqlite3_bind_int64(statement_.get(), ++bound_, value) != SQLITE_OK;
  return *this;
}

Statement& Statement::add(const std::string& text) {
  wrong_ |= sqlite3_bind_text64(statement_.get(), ++bound_, text.data(), text.size(),
                                SQLITE_TRANSIENT, SQLITE_UTF8) != SQLITE_OK;
  return *this;
}

Statement& Statement::add(std::span<const std::uint8_t> bytes) {
  wrong_ |= sqlite3_bind_blob64(statement_.get(), ++bound_, bytes.data(), bytes.size(),
                                SQLITE_TRANSIENT) != SQLITE_OK;
  return *this;
}

Statement& Statement::add_null() {
  ++bound_;  // What is not bound is NULL.
  return *this;
}

Result<bool> Statement::step() {
  sqlite3* database = sqlite3_db_handle(statement_.get());
  if (wrong_) return failure(database, what_, sqlite3_errcode(database));
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return failure(database, what_, code);
}

Result<void> Statement::run() {
  GPX_TRY(step());
  return {};
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::string Statement::text(int column) const {
  const unsigned char* text = sqlite3_column_text(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return text ? std::string(reinterpret_cast<const char*>(text), static_cast<std::size_t>(size))
              : std::string();
}

std::vector<std::uint8_t> Statement::bytes(int column) const {
  const auto* data =
      static_cast<const std::uint8_t*>(sqlite3_column_blob(statement_.get(), column));
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return data ? std::vector<std::uint8_t>(data, data + size) : std::vector<std::uint8_t>();
}

void Database::Close::operator()(sqlite3* database) const {
  sqlite3_close_v2(database);
}

Result<Database> Database::open(const std::string& path, bool create) {
  Database opened;
  opened.path_ = path;
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    return fail(Fault::device, place_of(path) + " is a folder");
  if (!create && !std::filesystem::exists(path, error))
    return fail(Fault::input, fmt::format("there is no store '{}'", path),
                "a run makes one: gpx run FILE");
  if (path.starts_with(':') || path.empty())  // SQLite's name of a database without a file
    return fail(Fault::input, fmt::format("'{}' would keep nothing: a store is a file", path),
                "--no-store keeps no run; ./FILE is a file of any name");
  const bool only_read = !create && !can_be_written(path);
  const int flags = SQLITE_OPEN_URI | (only_read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE) |
                    (create ? SQLITE_OPEN_CREATE : 0);
  sqlite3* database = nullptr;
  const int code = sqlite3_open_v2(uri_of(path, only_read).c_str(), &database, flags, nullptr);
  opened.database_.reset(database);
  if (code != SQLITE_OK) return failure(database, path, code);
  sqlite3_busy_timeout(database, kBusyMilliseconds);
  sqlite3_extended_result_codes(database, 1);
  GPX_TRY(opened.defend());
  return opened;
}

Result<Database> Database::open_empty() {
  Database opened;
  sqlite3* database = nullptr;
  const int code =
      sqlite3_open_v2(":memory:", &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  opened.database_.reset(database);
  if (code != SQLITE_OK) return failure(database, ":memory:", code);
  return opened;
}

// https://sqlite.org/security.html, "Untrusted SQLite Database Files".
Result<void> Database::defend() const {
  sqlite3* database = database_.get();
  for (const auto& [option, value] : {std::pair{SQLITE_DBCONFIG_DEFENSIVE, 1},
                                      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                                      {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                                      {SQLITE_DBCONFIG_ENABLE_VIEW, 0}})
    if (const int code = sqlite3_db_config(database, option, value, nullptr); code != SQLITE_OK)
      return failure(database, path_, code);
  return execute("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0");
}

Result<Statement> Database::prepare(const std::string& sql) const {
  sqlite3_stmt* made = nullptr;
  const int code = sqlite3_prepare_v2(database_.get(), sql.c_str(), static_cast<int>(sql.size()),
                                      &made, nullptr);
  if (code != SQLITE_OK) return failure(database_.get(), path_, code);
  Statement statement;
  statement.statement_.reset(made);
  statement.what_ = path_;
  return statement;
}

Result<void> Database::execute(const std::string& sql) const {
  const int code = sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return failure(database_.get(), path_, code);
  return {};
}

// The statement reads the file before it asks to write it. SQLite then gives up at once where
// another process has asked first: two that wait for each other would wait for ever.
Result<void> Database::set_journal(const std::string& mode) const {
  const std::string sql = "PRAGMA journal_mode = " + mode;
  for (int waited = 0;; waited += kLookMilliseconds) {
    const int code = sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr);
    if (code == SQLITE_OK) return {};
    if ((code & 0xff) != SQLITE_BUSY || waited >= kBusyMilliseconds)
      return failure(database_.get(), path_, code);
    std::this_thread::sleep_for(std::chrono::milliseconds(kLookMilliseconds));
  }
}

Result<std::int64_t> Database::number(const std::string& sql) const {
  auto statement = GPX_TRY(prepare(sql));
  const auto row = GPX_TRY(statement.step());
  return row ? statement.integer(0) : 0;
}

bool Database::read_only() const {
  return sqlite3_db_readonly(database_.get(), "main") == 1;
}

std::int64_t Database::last_key() const {
  return sqlite3_last_insert_rowid(database_.get());
}

std::int64_t Database::changes() const {
  return sqlite3_changes64(database_.get());
}

Result<Transaction> Transaction::begin(const Database& database) {
  GPX_TRY(database.execute("BEGIN IMMEDIATE"));
  return Transaction(database);
}

Transaction::~Transaction() {
  if (database_) (void)database_->execute("ROLLBACK");
}

Result<void> Transaction::commit() {
  GPX_TRY(database_->execute("COMMIT"));
  database_ = nullptr;
  return {};
}

}  // namespace gpx::store
