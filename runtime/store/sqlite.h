// SQLite, with errors as values: the only header of gpx that stands for sqlite3.h.
// Covered by tests/store/store_test.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lang/diagnostic.h"

struct sqlite3;
struct sqlite3_stmt;

namespace gpx::store {

/// One prepared statement. Arguments are bound in order with `add`; then step() until false.
class Statement {
 public:
  Statement() = default;

  Statement& add(std::int64_t value);
  Statement& add(const std::string& text);
  Statement& add(std::span<const std::uint8_t> bytes);
  /// NULL where there is none.
  template <typename T>
  Statement& add(const std::optional<T>& value) {
    return value ? add(*value) : add_null();
  }
  Statement& add_null();

  /// The next row. False: there is none.
  Result<bool> step();
  /// For a statement without rows.
  Result<void> run();

  bool is_null(int column) const;
  std::int64_t integer(int column) const;
  std::string text(int column) const;  ///< "" for NULL.
  std::vector<std::uint8_t> bytes(int column) const;

 private:
  friend class Database;
  struct Close {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Close> statement_;
  std::string what_;  ///< "cannot use the store 'gpx.db'"
  int bound_ = 0;
  bool wrong_ = false;
};

class Database {
 public:
  /// Opens it as a file from anyone: no trigger, no view, no function that a schema names is run.
  /// Where it may only be read it is read, and no other process may write it meanwhile.
  /// Errors: no such file where `create` is false, no permission, a folder, no name of a file.
  static Result<Database> open(const std::string& path, bool create);

  /// One without a file.
  static Result<Database> open_empty();

  Result<Statement> prepare(const std::string& sql) const;
  /// One or several statements without arguments and rows.
  Result<void> execute(const std::string& sql) const;
  /// "WAL", "TRUNCATE". SQLite waits for no other process that is about to write; this does.
  Result<void> set_journal(const std::string& mode) const;
  /// The first column of the first row; 0 where there is none.
  Result<std::int64_t> number(const std::string& sql) const;

  bool read_only() const;
  std::int64_t last_key() const;  ///< Of the last INSERT.
  std::int64_t changes() const;   ///< Rows that the last statement changed.
  const std::string& path() const { return path_; }

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  Result<void> defend() const;

  std::unique_ptr<sqlite3, Close> database_;
  std::string path_;
};

/// BEGIN IMMEDIATE … COMMIT; rolled back where commit() was not reached.
class Transaction {
 public:
  static Result<Transaction> begin(const Database& database);
  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  Result<void> commit();

 private:
  explicit Transaction(const Database& database) : database_(&database) {}
  const Database* database_;
};

}  // namespace gpx::store
