// The controller's queue: a job waits until its whole gang fits.

#include "core/runtime/controller.h"

namespace muster {

// False: it has to wait.
bool Controller::admit(const JobId& job) {
  const auto found = live_.find(job);
  if (found == live_.end() || found->second->fold().state().phase != job::Phase::queued) return true;
  // Copied: what happens may end the job at once.
  const std::shared_ptr<Coordinator> coordinator = found->second;
  std::vector<HeldPlan> held;
  for (const auto& [id, other] : live_) {
    const job::Phase phase = other->fold().state().phase;
    if (phase != job::Phase::queued && phase != job::Phase::done)
      held.push_back({other->fold().submission().name, &other->fold().submission().plan});
  }
  const Result<Plan> plan =
      ports_.backend.plan(coordinator->fold().submission().spec, held, coordinator->cuda_visible_devices());
  const bool later = !plan.ok() && plan.status().code() == Code::unavailable;
  coordinator->waits_for(later ? plan.status().message() : "");
  if (later) return false;
  if (plan.ok()) coordinator->replan(*plan);
  coordinator->happen(job::Admitted{});
  return true;
}

// First come, first served: what does not fit holds back what came later.
void Controller::admit_queued() {
  while (!queue_.empty() && admit(queue_.front())) queue_.erase(queue_.begin());
  for (size_t i = 1; i < queue_.size(); ++i) {
    const auto later = live_.find(queue_[i]);
    if (later != live_.end()) later->second->waits_for(records_[queue_.front()].name + ", which came before it");
  }
}

}  // namespace muster
