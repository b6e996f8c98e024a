// Controller, its guests: `exec` by the name of a job.
#include "core/controller/controller.h"

namespace muster {

Status Controller::exec_refusal(const JobId& job) {
  const std::string& name = records_[job].name;
  if (!refuse_running(job).ok())
    return Status(Code::failed_precondition,
                  name +
                      " runs inside its own command, which is not on this machine: use the host where "
                      "its first rank runs");
  return Status(Code::failed_precondition,
                name + " has ended: there is no rank to run beside.  muster logs " + name + " shows what they printed");
}

void Controller::exec(const GuestStart& start, std::unique_ptr<GuestChannel> viewer) {
  const Result<JobId> id = find(start.job);
  if (!id.ok()) return refuse_guest(*viewer, id.status());
  const auto found = live_.find(*id);
  if (found == live_.end() || found->second->done()) return refuse_guest(*viewer, exec_refusal(*id));
  found->second->exec(start, std::move(viewer));
}

}  // namespace muster
