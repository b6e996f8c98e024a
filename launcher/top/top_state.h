// What `muster top` shows and what its keys do to that. Values and a pure step; who draws them is top_view.h.
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
  std::vector<JobView> jobs;  // as the controller told them last

  TopPage page = TopPage::jobs;
  TopColumn sort = TopColumn::age;
  bool reverse = false;
  std::string filter;      // jobs with this in their name, state or place
  bool filtering = false;  // it is being typed
  bool help = false;
  bool asks_stop = false;

  JobId job;                                            // chosen, or open
  uint32_t rank = 0;                                    // chosen in an open job, by index
  bool all_ranks = true;                                // the output page is of all
  std::vector<JobEvent> events;                         // of the open job
  std::map<uint32_t, std::vector<std::string>> output;  // its last lines by rank, safe to show
  std::string remark;                                   // muster's own: a controller that is gone
};

// Those that the filter lets through, in their order.
std::vector<const JobView*> shown_jobs(const TopState& state);
const JobView* chosen_job(const TopState& state);

// Of all ranks of a job together; nothing: not measured (yet).
std::optional<RankUse> use_of(const JobView& job);
size_t gpus_of(const JobView& job);

// New jobs: what was chosen stays so while it is there.
void take_jobs(TopState& state, std::vector<JobView> jobs);

// What the keys ask of others.
struct TopWish {
  bool quit = false;
  bool look = false;  // another job is open, or closed: what is shown of it is to be read now
  std::optional<JobId> stop;
};
TopWish take_key(TopState& state, const KeyPress& key);

}  // namespace muster
