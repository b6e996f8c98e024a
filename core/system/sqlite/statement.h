// SPDX-License-Identifier: Apache-2.0
// Statement: one prepared SQL statement with its values; the destructor finalizes it. Used only in core/system/sqlite.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace muster::sqlite {

// The last error of the connection as a Status: "the job index /x/index.sqlite: database is locked".
Status failure(sqlite3* database);

// Runs SQL without values and without rows.
Status run(sqlite3* database, const char* sql);

class Statement {
 public:
  // If the SQL does not compile, the first step() fails.
  Statement(sqlite3* database, const char* sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  // Binds the next value; the first call binds the first value.
  Statement& bind(std::string_view text);
  Statement& bind(int64_t number);

  // True: there is a row. False: done.
  Result<bool> step();
  // Runs a statement without rows.
  Status finish();
  // Prepares the statement for new values.
  void reset();

  std::string text(int column) const;
  int64_t number(int column) const;

 private:
  sqlite3* const database_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
};

}  // namespace muster::sqlite
