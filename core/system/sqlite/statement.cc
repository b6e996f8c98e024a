// SPDX-License-Identifier: Apache-2.0
#include "core/system/sqlite/statement.h"

namespace muster::sqlite {
namespace {

Code code_of(int sqlite_code) {
  switch (sqlite_code & 0xff) {
    case SQLITE_FULL:
    case SQLITE_NOMEM:
    case SQLITE_TOOBIG: return Code::resource_exhausted;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL: return Code::unavailable;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return Code::data_loss;
    case SQLITE_PERM:
    case SQLITE_READONLY:
    case SQLITE_AUTH: return Code::permission_denied;
    default: return Code::internal;
  }
}

}  // namespace

Status failure(sqlite3* database) {
  const char* path = sqlite3_db_filename(database, "main");
  return Status(code_of(sqlite3_errcode(database)),
                "the job index " + std::string(path == nullptr ? "" : path) + ": " + sqlite3_errmsg(database));
}

Status run(sqlite3* database, const char* sql) {
  return sqlite3_exec(database, sql, nullptr, nullptr, nullptr) == SQLITE_OK ? Status() : failure(database);
}

Statement::Statement(sqlite3* database, const char* sql) : database_(database) {
  sqlite3_prepare_v2(database, sql, -1, &statement_, nullptr);
}

Statement::~Statement() { sqlite3_finalize(statement_); }

Statement& Statement::bind(std::string_view text) {
  // An empty string_view may have a null pointer, which would bind NULL.
  const char* data = text.empty() ? "" : text.data();
  sqlite3_bind_text64(statement_, ++bound_, data, text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  return *this;
}

Statement& Statement::bind(int64_t number) {
  sqlite3_bind_int64(statement_, ++bound_, number);
  return *this;
}

Result<bool> Statement::step() {
  if (statement_ == nullptr) return failure(database_);
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return failure(database_);
}

Status Statement::finish() {
  const Result<bool> row = step();
  return row.ok() ? Status() : row.status();
}

void Statement::reset() {
  sqlite3_reset(statement_);
  bound_ = 0;
}

std::string Statement::text(int column) const {
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (data == nullptr) return "";
  return std::string(data, static_cast<size_t>(sqlite3_column_bytes(statement_, column)));
}

int64_t Statement::number(int column) const { return sqlite3_column_int64(statement_, column); }

}  // namespace muster::sqlite
