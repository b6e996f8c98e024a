// SPDX-License-Identifier: Apache-2.0
#include "core/controller/takeover.h"

#include "core/attempt/secrets_file.h"
#include "core/controller/damaged_job.h"
#include "core/journal/journal_copy.h"

namespace muster {

void Takeover::begin() {
  begun_ = true;
  refresh();
}

void Takeover::refresh() {
  if (ports_.store.changed_elsewhere()) jobs_.read_records();
  if (!begun_) return;
  JobRecords orphans;
  for (const auto& [id, record] : jobs_.records()) {
    if (!record.has_ended() && !jobs_.is_live(id)) orphans[id] = record;
  }
  for (const JobRecord* orphan : by_age(orphans)) {
    if (ports_.store.own(orphan->id)) take_over(orphan->id);
  }
}

void Takeover::take_over(const JobId& job) {
  const Result<std::vector<std::string>> lines = ports_.store.read(job);
  // The submit was interrupted before the first line was written. The user got no answer and may submit again.
  if (lines.ok() && lines->empty()) {
    if (const Status removed = ports_.store.remove(job); !removed.ok()) ports_.log.error(removed.message());
    jobs_.records().erase(job);
    return;
  }
  Result<JobFold> fold = lines.ok() ? JobFold::replay(*lines) : Result<JobFold>(lines.status());
  if (fold.ok() && fold->submission().copy) return end_copy(job, std::move(*fold));
  const Result<std::string> text = ports_.store.read_private(job, kSecretsFile);
  Result<JobSecrets> secrets = text.ok() ? decode_secrets(*text) : Result<JobSecrets>(text.status());
  if (!fold.ok() || !secrets.ok()) return leave_alone(job, fold.ok() ? secrets.status() : fold.status());
  if (fold->state().phase == job::Phase::done) return settle_record(job, *fold);
  const BackendKind kind = fold->submission().spec.backend;
  if (ports_.backends.find(kind) == nullptr)
    return leave_alone(job, Status(Code::unimplemented, "this muster has no backend " + std::string(to_string(kind))));
  host(job, std::move(*fold), std::move(*secrets));
}

// A standalone job ends with the process that hosted it.
void Takeover::host(const JobId& job, JobFold fold, JobSecrets secrets) {
  const bool queued = fold.state().phase == job::Phase::queued;
  const bool standalone = fold.submission().standalone;
  const std::shared_ptr<Coordinator> coordinator = jobs_.host(job, std::move(fold), std::move(secrets));
  if (queued) queue_.add(job);
  const Submission& submission = coordinator->fold().submission();
  const Status claimed =
      queued ? Status() : claim(coordinator->backend(), coordinator->on_nodes(submission.plan, true));
  if (!claimed.ok()) ports_.log.warning(submission.name + ": " + claimed.message());
  if (standalone) coordinator->happen(job::StopAsked{Duration(0), "its command (muster run --standalone) was killed"});
  if (!coordinator->done()) coordinator->take_over();
  if (!standalone) coordinator->remark("a new controller took the job over");
}

// Ends the copy of a journal (coordinator_proxy.h): it will get no more lines.
void Takeover::end_copy(const JobId& job, JobFold fold) {
  const bool open = fold.state().phase != job::Phase::done;
  const std::string why = "the command on this host was killed; the job's other hosts know its result";
  const Status closed = open ? close_copy(fold, ports_.store, ports_.loop.now(), why) : Status();
  if (!closed.ok()) ports_.log.warning(closed.message());
  settle_record(job, fold);
}

// The journal has the end, but the index does not: the disk was full, or the process was killed in between.
void Takeover::settle_record(const JobId& job, const JobFold& fold) {
  JobRecord& record = jobs_.records()[job];
  record.state = state_name(fold.state());
  record.ended = fold.state().ended;
  write_end(record);
  ports_.store.disown(job);
}

// The index learns of the end only after the secrets are removed. If the disk is full, the next controller repeats both.
void Takeover::write_end(const JobRecord& record) {
  ports_.store.release_reserve(record.id);
  Status status = empty_secrets(ports_.store, record.id);
  if (status.ok()) status = ports_.store.update(record);
  if (!status.ok()) ports_.log.error("cannot write the end of " + record.name + ": " + status.message());
}

// A damaged journal cannot be repaired: the job has ended. Any other reason may pass (no free descriptors, the journal of a newer
// muster); until then the job's agents wait.
void Takeover::leave_alone(const JobId& job, const Status& why) {
  JobRecord& record = jobs_.records()[job];
  ports_.log.error("cannot take over job " + record.name + ": " + why.message());
  if (why.code() == Code::data_loss) {
    record.state = kDamaged;
    record.ended = ports_.loop.now();
    write_end(record);
  }
  ports_.store.disown(job);
}

}  // namespace muster
