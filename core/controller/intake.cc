// SPDX-License-Identifier: Apache-2.0
#include "core/controller/intake.h"

#include <algorithm>

#include "core/attempt/secrets_file.h"
#include "core/controller/submission.h"

namespace muster {

Intake::Intake(const ControllerPorts& ports, JobTable& jobs, JobQueue& queue, Terms terms,
               std::function<void()> lost_folder)
    : ports_(ports),
      jobs_(jobs),
      queue_(queue),
      standalone_(terms.standalone),
      lost_folder_(std::move(lost_folder)),
      random_(terms.seed) {}

Result<JobId> Intake::accept(const SubmitRequest& request) {
  for (const auto& [id, record] : jobs_.records()) {
    if (!request.submit_key.empty() && record.submit_key == request.submit_key) return id;
  }
  Result<Submission> submission = submission_of(request, ports_.backends, random_, standalone_);
  if (!submission.ok()) return submission.status();
  if (const Status taken = refuse_taken_name(submission->name); !taken.ok()) return taken;
  JobSecrets secrets{request.environment, request.secrets, request.settings, request.streams};
  // Times differ, so that two jobs of one turn keep their order in the queue, also in the next controller.
  newest_ = std::max(ports_.loop.now(), newest_ + Duration(1));
  const TimePoint now = newest_;
  if (const Status written = write(*submission, secrets, now); !written.ok()) {
    if (written.code() == Code::not_found) return report_lost_folder();
    return written.with_context("the job was not started");
  }
  const JobId id = submission->id;
  std::vector<job::Action> actions;
  JobFold fold(std::move(*submission), now, actions);
  jobs_.host(id, std::move(fold), std::move(secrets))->begin(std::move(actions));
  queue_.add(id);
  unconfirmed_.insert(id);
  queue_.admit();
  return id;
}

Status Intake::refuse_taken_name(const std::string& name) const {
  for (const auto& [id, coordinator] : jobs_.live()) {
    if (coordinator->fold().submission().name != name || coordinator->done()) continue;
    return Status(Code::already_exists, "a job named " + name + " is " + state_name(coordinator->fold().state()) +
                                            "; stop it, or choose another name with --name");
  }
  return Status();
}

// Writes the folder, the secrets and the journal's first line. confirm() makes them durable.
Status Intake::write(const Submission& submission, const JobSecrets& secrets, TimePoint at) {
  const JobRecord record{submission.id, submission.name, "queued", at, TimePoint(), submission.submit_key};
  if (const Status made = ports_.store.create(record); !made.ok()) return made;
  Status status = ports_.store.write_private(submission.id, kSecretsFile, encode_secrets(secrets));
  if (status.ok()) status = ports_.store.append(submission.id, encode_line({at, submission}), false);
  if (status.ok()) {
    jobs_.records()[submission.id] = record;
    return status;
  }
  if (const Status removed = ports_.store.remove(submission.id); !removed.ok()) ports_.log.error(removed.message());
  return status;
}

Status Intake::confirm(const JobId& job) {
  if (unconfirmed_.count(job) == 0) return Status();
  if (const Status durable = jobs_.live(job)->settle(); !durable.ok()) {
    withdraw(job);
    return durable.with_context("the job was not started");
  }
  unconfirmed_.erase(job);
  return Status();
}

void Intake::withdraw(const JobId& job) {
  const std::shared_ptr<Coordinator> coordinator = jobs_.take(job);
  coordinator->withdraw();
  unclaim(coordinator->backend(), job);
  queue_.remove(job);
  unconfirmed_.erase(job);
  jobs_.records().erase(job);
  if (const Status removed = ports_.store.remove(job); !removed.ok()) ports_.log.error(removed.message());
  queue_.admit();
}

// The next controller creates the folder again.
Status Intake::report_lost_folder() {
  ports_.log.error("the state folder was removed: exiting, so that the next controller creates it again");
  lost_folder_();
  return Status(Code::unavailable,
                "the state folder was removed while the controller ran; the controller restarts, try again");
}

}  // namespace muster
