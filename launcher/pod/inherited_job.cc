// SPDX-License-Identifier: Apache-2.0
#include "launcher/pod/inherited_job.h"

#include <iostream>
#include <utility>

#include "backends/kubernetes/pod/journal_parts.h"
#include "core/attempt/secrets_file.h"
#include "core/journal/job_fold.h"
#include "core/journal/job_lookup.h"

namespace muster::pod {
namespace {

// The wait for other agents' journals. Agents reconnect within a second.
constexpr Duration kJournalWait = std::chrono::milliseconds(1200);

}  // namespace

InheritedJob::InheritedJob(Loop& loop, JobStore& store, JobSecrets secrets, std::string submit_key,
                           std::function<void()> begin_anew)
    : loop_(loop),
      store_(store),
      secrets_(std::move(secrets)),
      submit_key_(std::move(submit_key)),
      begin_anew_(std::move(begin_anew)) {}

InheritedJob::~InheritedJob() { loop_.cancel(timer_); }

void InheritedJob::found(const std::string& packed) {
  auto lines = unpack_parts(packed);
  if (!lines.ok() || lines->size() <= lines_.size()) return;
  lines_ = std::move(*lines);
  if (timer_ == 0) timer_ = loop_.at(loop_.now() + kJournalWait, [this] { take(); });
}

void InheritedJob::take() {
  timer_ = 0;
  const Status kept = keep();
  if (kept.ok()) return begin_anew_();
  std::cerr << "cannot take over the job of an earlier coordinator: " << kept.message() << "\n";
}

Status InheritedJob::keep() {
  const Result<JobFold> fold = JobFold::replay(lines_);
  if (!fold.ok()) return fold.status();
  for (const JobRecord& other : store_.list())
    if (const Status removed = store_.remove(other.id); !removed.ok()) return removed;
  JobRecord record = record_of(*fold);
  record.submit_key = submit_key_;
  Status status = store_.create(record);
  if (status.ok()) status = store_.write_private(record.id, kSecretsFile, encode_secrets(secrets_));
  for (size_t i = 0; status.ok() && i < lines_.size(); ++i)
    status = store_.append(record.id, lines_[i], i + 1 == lines_.size());
  return status;
}

}  // namespace muster::pod
