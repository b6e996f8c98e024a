// SPDX-License-Identifier: Apache-2.0
#include "core/system/sqlite/sqlite_job_index.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include "core/system/sqlite/statement.h"

namespace muster {
namespace {

using sqlite::Statement;

constexpr int64_t kVersion = 2;
constexpr int kBusyMilliseconds = 200;

constexpr const char* kSettings = "PRAGMA journal_mode=DELETE; PRAGMA synchronous=OFF;";
constexpr const char* kTable =
    "DROP TABLE IF EXISTS jobs;"
    "CREATE TABLE jobs(id TEXT PRIMARY KEY, name TEXT NOT NULL, state TEXT NOT NULL, submitted INTEGER NOT NULL,"
    " ended INTEGER NOT NULL, submit_key TEXT NOT NULL, bytes INTEGER NOT NULL) WITHOUT ROWID;"
    "CREATE INDEX jobs_by_submit_key ON jobs(submit_key) WHERE submit_key <> '';"
    "PRAGMA user_version=2;";
constexpr const char* kInsert =
    "INSERT OR REPLACE INTO jobs(id,name,state,submitted,ended,submit_key,bytes) VALUES(?,?,?,?,?,?,?)";

Status open_file(const std::string& path, sqlite3** database) {
  // SQLite would create the file with the umask's mode, but job names are private to the user. O_EXCL: closing a
  // descriptor of an existing file would drop the locks that this process has on it (fcntl(2)).
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0 && errno != EEXIST) return errno_status(errno, "the job index " + path);
  if (fd >= 0) ::close(fd);
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW;
  if (sqlite3_open_v2(path.c_str(), database, flags, nullptr) != SQLITE_OK) return sqlite::failure(*database);
  sqlite3_busy_timeout(*database, kBusyMilliseconds);
  return sqlite::run(*database, kSettings);
}

Status check_integrity(sqlite3* database) {
  Statement check(database, "PRAGMA quick_check(1)");
  const Result<bool> row = check.step();
  if (!row.ok()) return row.status();
  if (check.text(0) == "ok") return Status();
  return Status(Code::data_loss, "the job index is damaged: " + check.text(0));
}

void remove_file(const std::string& path) {
  ::unlink(path.c_str());
  ::unlink((path + "-journal").c_str());
}

void bind_record(Statement& statement, const JobRecord& record) {
  statement.bind(record.id.text()).bind(record.name).bind(record.state);
  statement.bind(to_unix_nanos(record.submitted)).bind(to_unix_nanos(record.ended)).bind(record.submit_key);
  statement.bind(static_cast<int64_t>(record.bytes));
}

Status refuse_known(sqlite3* database, const JobRecord& record) {
  Statement known(database, "SELECT id, name FROM jobs WHERE id<>?1 AND submit_key<>'' AND submit_key=?2 LIMIT 1");
  const Result<bool> row = known.bind(record.id.text()).bind(record.submit_key).step();
  if (!row.ok()) return row.status();
  if (!*row) return Status();
  return Status(Code::already_exists, "this submit has already made job " + known.text(1) + " (" + known.text(0) + ")");
}

Status insert_all(sqlite3* database, const std::vector<JobRecord>& records) {
  Statement insert(database, kInsert);
  for (const JobRecord& record : records) {
    bind_record(insert, record);
    if (const Status done = insert.finish(); !done.ok()) return done;
    insert.reset();
  }
  return Status();
}

// Runs `work` in one transaction that holds the write lock from its start.
template <typename Work>
Status in_transaction(sqlite3* database, Work work) {
  if (const Status begun = sqlite::run(database, "BEGIN IMMEDIATE"); !begun.ok()) return begun;
  Status done = work();
  if (done.ok()) done = sqlite::run(database, "COMMIT");
  if (!done.ok()) (void)sqlite::run(database, "ROLLBACK");
  return done;
}

}  // namespace

Result<std::unique_ptr<SqliteJobIndex>> SqliteJobIndex::open(const std::string& path) {
  Status opened;
  for (int attempt = 0; attempt < 2; ++attempt) {
    sqlite3* database = nullptr;
    opened = open_file(path, &database);
    std::unique_ptr<SqliteJobIndex> index(new SqliteJobIndex(database));
    if (opened.ok()) opened = check_integrity(database);
    if (opened.ok()) return index;
    if (opened.code() != Code::data_loss) return opened;
    index.reset();
    remove_file(path);
  }
  return opened;
}

SqliteJobIndex::~SqliteJobIndex() { sqlite3_close(database_); }

bool SqliteJobIndex::stale() const {
  Statement version(database_, "PRAGMA user_version");
  const Result<bool> row = version.step();
  return !row.ok() || !*row || version.number(0) != kVersion;
}

bool SqliteJobIndex::moved() const {
  int moved = 0;
  return sqlite3_file_control(database_, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved != 0;
}

Status SqliteJobIndex::rebuild(const std::function<std::vector<JobRecord>()>& records) {
  return in_transaction(database_, [&] {
    const Status made = sqlite::run(database_, kTable);
    return made.ok() ? insert_all(database_, records()) : made;
  });
}

Status SqliteJobIndex::insert(const JobRecord& record) {
  return in_transaction(database_, [&] {
    const Status free = refuse_known(database_, record);
    return free.ok() ? insert_all(database_, {record}) : free;
  });
}

Status SqliteJobIndex::update(const JobRecord& record) {
  Statement change(database_,
                   "UPDATE jobs SET id=?1,name=?2,state=?3,submitted=?4,ended=?5,submit_key=?6,bytes=?7 WHERE id=?1");
  bind_record(change, record);
  if (const Status done = change.finish(); !done.ok()) return done;
  if (sqlite3_changes(database_) > 0) return Status();
  return Status(Code::not_found, "the job index has no job " + record.id.text());
}

Status SqliteJobIndex::erase(const JobId& job) {
  return Statement(database_, "DELETE FROM jobs WHERE id=?").bind(job.text()).finish();
}

Result<size_t> SqliteJobIndex::count() const {
  Statement rows(database_, "SELECT count(*) FROM jobs");
  const Result<bool> row = rows.step();
  return row.ok() ? Result<size_t>(static_cast<size_t>(rows.number(0))) : row.status();
}

int64_t SqliteJobIndex::others_version() const {
  Statement version(database_, "PRAGMA data_version");
  const Result<bool> row = version.step();
  return row.ok() && *row ? version.number(0) : -1;
}

Result<std::vector<JobRecord>> SqliteJobIndex::look(const std::string& path) {
  constexpr int kMomentMilliseconds = 10;
  sqlite3* database = nullptr;
  const int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW;
  const bool opened = sqlite3_open_v2(path.c_str(), &database, flags, nullptr) == SQLITE_OK;
  const SqliteJobIndex index(database);
  if (!opened) return sqlite::failure(database);
  sqlite3_busy_timeout(database, kMomentMilliseconds);
  if (index.stale())
    return Status(Code::failed_precondition, "the job index " + path + " was made by another version of muster");
  return index.list();
}

Result<std::vector<JobRecord>> SqliteJobIndex::list() const {
  Statement rows(database_, "SELECT id,name,state,submitted,ended,submit_key,bytes FROM jobs ORDER BY submitted, id");
  std::vector<JobRecord> records;
  while (true) {
    const Result<bool> row = rows.step();
    if (!row.ok()) return row.status();
    if (!*row) return records;
    const Result<JobId> id = JobId::parse(rows.text(0));
    if (!id.ok())
      return Status(Code::data_loss, "the job index contains `" + rows.text(0) + "`, which is not a job id");
    records.push_back({*id, rows.text(1), rows.text(2), from_unix_nanos(rows.number(3)),
                       from_unix_nanos(rows.number(4)), rows.text(5), static_cast<uint64_t>(rows.number(6))});
  }
}

}  // namespace muster
