// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace filecall::client {

/// Once, before the first database of the process is opened: SQLite counts no memory, which would
/// cost a lock at each allocation.
void configure_sqlite();

/// A prepared statement. Bind (1-based), step() until false, read columns (0-based) after a true
/// step, reset() before binding again. What is not bound is NULL. Lives no longer than its
/// Database.
class Statement {
 public:
  Statement(sqlite3* database, sqlite3_stmt* statement)
      : database_(database), statement_(statement) {}

  Statement& bind(int index, std::int64_t value);
  /// The text must stay alive until reset().
  Statement& bind(int index, std::string_view text);
  Statement& bind_real(int index, double value);
  /// NULL for an empty text.
  Statement& bind_or_null(int index, std::string_view text);
  Statement& bind_or_null(int index, std::optional<std::int64_t> value);

  /// True: a row is there. False: done.
  Result<bool> step();
  /// Runs to the end and resets: for statements without rows.
  Result<void> run();
  void reset();

  std::int64_t integer(int column) const;
  std::optional<std::int64_t> optional_integer(int column) const;
  double real(int column) const;
  /// Empty for NULL.
  std::string text(int column) const;
  /// The same; valid until the next step() or reset().
  std::string_view text_view(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  sqlite3* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

/// An open SQLite database. One thread.
class Database {
 public:
  /// Creates the file (0600) if it is missing. Waits up to ten seconds for other writers.
  static Result<Database> open(const std::string& path);

  /// For a file that may be anybody's work: its triggers do not run and its views are not read, as
  /// neither might ever end (https://www.sqlite.org/security.html).
  Result<void> distrust_schema();
  Result<void> execute(const std::string& sql);
  Result<Statement> prepare(std::string_view sql);
  /// The first column of the first row; empty without one.
  Result<std::string> query_text(std::string_view sql);
  /// Adds the SQL function name(text), which says whether `is_wanted`; no view or trigger of the
  /// file may call it. Kept until the database is closed.
  Result<void> add_filter(const char* name, std::function<bool(std::string_view)> is_wanted);

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  explicit Database(sqlite3* database) : database_(database) {}
  std::unique_ptr<sqlite3, Close> database_;
};

/// SQLite's last failure on `database`: data_loss for a damaged or foreign file, unavailable when
/// somebody else held it too long, resource_exhausted for a full disk, else internal.
Error sqlite_error(sqlite3* database, std::string_view what);

}  // namespace filecall::client
