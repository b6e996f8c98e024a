// SPDX-License-Identifier: Apache-2.0
// The state of `muster top` and how keys change it. Values and pure functions; top_view.h draws the state.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/port/control_messages.h"
#include "launcher/top/keys.h"

namespace muster {

enum class TopPage { jobs, job, output };
enum class TopColumn { name, state, nodes, ranks, step, eta, restarts, cpu, memory, gpus, age, where };
constexpr TopColumn kLastColumn = TopColumn::where;

struct TopState {
  std::vector<JobView> jobs;  // the newest answer of the controller

  TopPage page = TopPage::jobs;
  TopColumn sort = TopColumn::age;
  bool reverse = false;
  std::string filter;      // show jobs with this text in their name, state or place
  bool filtering = false;  // the user is typing the filter
  bool help = false;
  bool asks_stop = false;

  JobId job;                                            // the selected or open job
  uint32_t rank = 0;                                    // the selected rank of an open job, by index
  bool all_ranks = true;                                // the output page shows all ranks
  std::vector<JobEvent> events;                         // events of the open job
  std::map<uint32_t, std::vector<std::string>> output;  // last lines of the open job by rank, escaped
  std::string remark;                                   // message of muster, such as a lost controller
};

// The jobs that match the filter, sorted.
std::vector<const JobView*> shown_jobs(const TopState& state);
const JobView* chosen_job(const TopState& state);

// The sum over all ranks of a job; nullopt: not measured.
std::optional<RankUse> use_of(const JobView& job);
size_t gpus_of(const JobView& job);

// Replaces the jobs. The selection stays if its job still exists.
void take_jobs(TopState& state, std::vector<JobView> jobs);

// The work of the session after a key.
struct TopAction {
  bool quit = false;
  bool look = false;  // a job was opened or closed: read its events and output now
  std::optional<JobId> stop;
};
TopAction take_key(TopState& state, const KeyPress& key);

}  // namespace muster
