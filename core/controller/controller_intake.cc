// Controller: how a job comes in. Its folder is made, its agents begin to start, and its user hears of it once the disk has it.
#include "core/attempt/secrets_file.h"
#include "core/base/text.h"
#include "core/controller/controller.h"
#include "core/controller/submission.h"

namespace muster {

void Controller::submit(const SubmitRequest& request, std::function<void(Result<JobView>)> done) {
  used();
  const Result<JobId> id = accept(request);
  if (!id.ok()) return done(id.status());
  if (self_.answers_at_once) return done(told(*id));
  // In a later turn: an agent that waits has been wished its first attempt by then, for which the disk is waited for once.
  ports_.loop.post([this, alive = alive_, id = *id, done = std::move(done)] {
    if (*alive) done(told(id));
  });
}

// What its user hears, once the disk has it. Who says the same submit again is told of what there is.
Result<JobView> Controller::told(const JobId& job) {
  if (untold_.count(job) == 0) return view_of(job);
  if (const Status lasts = live_.at(job)->settle(); !lasts.ok()) {
    withdraw(job);
    return lasts.with_context("the job was not started");
  }
  untold_.erase(job);
  return view_of(job);
}

Status Controller::refuse_taken_name(const std::string& name) const {
  for (const auto& [id, coordinator] : live_) {
    if (coordinator->fold().submission().name != name || coordinator->done()) continue;
    return Status(Code::already_exists, "a job named " + name + " is " + state_name(coordinator->fold().state()) +
                                            "; stop it, or name this one with --name");
  }
  return Status();
}

// Folder, secrets, first line: durable before the user is told.
Status Controller::keep(const Submission& submission, const JobSecrets& secrets, TimePoint at) {
  const JobRecord record{submission.id, submission.name, "queued", at, TimePoint(), submission.submit_key};
  if (const Status made = ports_.store.create(record); !made.ok()) return made;
  Status status = ports_.store.write_private(submission.id, kSecretsFile, encode_secrets(secrets));
  if (status.ok()) status = ports_.store.append(submission.id, encode_line({at, submission}), false);
  if (status.ok()) {
    records_[submission.id] = record;
    return status;
  }
  if (const Status removed = ports_.store.remove(submission.id); !removed.ok()) ports_.log.error(removed.message());
  return status;
}

Result<JobId> Controller::accept(const SubmitRequest& request) {
  for (const auto& [id, record] : records_) {
    if (!request.submit_key.empty() && record.submit_key == request.submit_key) return id;
  }
  Result<Submission> submission = submission_of(request, ports_.backends, random_, !self_.linger);
  if (!submission.ok()) return submission.status();
  if (const Status taken = refuse_taken_name(submission->name); !taken.ok()) return taken;
  JobSecrets secrets{request.environment, request.secrets, request.settings};
  // Two of one turn stand in the queue in their order, under the next controller too.
  newest_ = std::max(ports_.loop.now(), newest_ + Duration(1));
  const TimePoint now = newest_;
  if (const Status kept = keep(*submission, secrets, now); !kept.ok()) {
    if (kept.code() == Code::not_found) return start_anew();
    return kept.with_context("the job was not started");
  }
  const JobId id = submission->id;
  std::vector<job::Action> actions;
  JobFold fold(std::move(*submission), now, actions);
  host(id, std::move(fold), std::move(secrets));
  live_[id]->begin(std::move(actions));
  queue_.insert(id);
  untold_.insert(id);
  admit_queued();
  return id;
}

void Controller::withdraw(const JobId& job) {
  const std::shared_ptr<Coordinator> coordinator = live_.extract(job).mapped();
  coordinator->withdraw();
  coordinator->backend().unclaim(job);
  queue_.erase(job);
  untold_.erase(job);
  records_.erase(job);
  if (const Status removed = ports_.store.remove(job); !removed.ok()) ports_.log.error(removed.message());
  admit_queued();
}

Status Controller::note_code(const std::string& job, const std::string& commit) {
  const Result<JobId> id = find(job);
  if (!id.ok()) return id.status();
  if (const auto live = live_.find(*id); live != live_.end()) return live->second->note_code(commit), Status();
  if (!ports_.store.own(*id)) return Status(Code::failed_precondition, "another process hosts it");
  const Status noted = ports_.store.append(*id, encode_line({ports_.loop.now(), CodeNoted{commit}}), false);
  ports_.store.disown(*id);
  return noted;
}

// Somebody removed the state folder under us: what we hold is nowhere written, and a controller that starts now makes
// it again.
Status Controller::start_anew() {
  ports_.log.error("the state folder was removed: leaving, so that the next controller makes it again");
  leave_soon();
  return Status(Code::unavailable, "the state folder was removed under the controller; it starts anew, try again");
}

}  // namespace muster
