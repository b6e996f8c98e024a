// Statement: one prepared SQL statement with its values, finalized at its end. Part of adapter/sqlite only.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace muster::sqlite {

// The failure the connection had last, in a sentence: "the job index /x/index.sqlite: database is locked".
Status failure(sqlite3* database);

// Runs SQL that has no values and gives no rows.
Status run(sqlite3* database, const char* sql);

class Statement {
 public:
  // A statement that does not compile fails at its first step.
  Statement(sqlite3* database, const char* sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  // Binds the next value, from the first on.
  Statement& bind(std::string_view text);
  Statement& bind(int64_t number);

  // True: a row is there. False: done.
  Result<bool> step();
  // For statements without rows.
  Status finish();
  // Forgets the values, so that they can be bound anew.
  void reset();

  std::string text(int column) const;
  int64_t number(int column) const;

 private:
  sqlite3* const database_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
};

}  // namespace muster::sqlite
