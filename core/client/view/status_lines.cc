// SPDX-License-Identifier: Apache-2.0
#include "core/client/view/status_lines.h"

#include <algorithm>
#include <array>
#include <set>

#include "core/base/text.h"
#include "core/job/service_program.h"
#include "core/port/mpi_task.h"
#include "core/port/output_messages.h"
#include "core/port/store_endpoint.h"
#include "core/port/warm_task.h"
#include "core/port/worker_listener.h"

namespace muster {
namespace {

constexpr size_t kMostNamed = 4;

// Each group has its own nodes. If one machine has more nodes than groups, the job asked for several nodes.
std::string place_of(const JobView& job) {
  std::set<std::string> groups;
  std::set<std::string> hosts;
  for (const RankView& rank : job.ranks) {
    groups.insert(rank.group);
    hosts.insert(rank.host);
  }
  const std::string in_groups = groups.size() > 1 ? " in " + count_of(groups.size(), "group") : "";
  if (hosts.size() > kMostNamed) return in_groups + " on " + count_of(hosts.size(), "host");
  // Also `muster torchrun`, started on several hosts.
  if (hosts.size() > 1 || (job.backend == "ssh" && hosts.size() == 1))
    return in_groups + " on " + join({hosts.begin(), hosts.end()}, ", ");
  if (job.backend == "typed") return " on " + count_of(job.nodes, "host");
  if (job.backend == "local") {
    if (job.nodes > groups.size()) return in_groups + " as " + count_of(job.nodes, "node") + " of this machine";
    return in_groups + " on this machine";
  }
  const std::string nodes = job.nodes > 0 ? " on " + count_of(job.nodes, "node") : "";
  return nodes + (job.backend.empty() ? "" : " (" + job.backend + ")");
}

std::string run_time(const JobView& job) {
  const TimePoint begin = job.started == TimePoint() ? job.submitted : job.started;
  return job.ended > begin ? humane_duration(job.ended - begin) : "";
}

std::string restarts_of(const JobView& job) {
  return job.restarts > 0 ? " after " + count_of(job.restarts, "restart") : "";
}

bool is_of_service(const std::string& trouble) {
  return trouble.starts_with(kStoreTrouble) || trouble.starts_with(kMpiTrouble) || trouble.starts_with(kProgramTrouble);
}
bool is_remark(const std::string& trouble) {
  if (trouble.find(kNoRankSocket) != std::string::npos) return true;
  return trouble.starts_with(kNotWarm) || trouble.starts_with(kTimesMissing) || is_of_service(trouble);
}
// While it lasts, JobView::waits_for says it.
bool is_wait(const std::string& trouble) { return trouble.starts_with(kOutputWaits); }

}  // namespace

std::vector<std::string> losses_of(const JobView& job) {
  std::vector<std::string> losses = job.troubles;
  std::erase_if(losses, [](const std::string& trouble) { return is_remark(trouble) || is_wait(trouble); });
  return losses;
}

bool waits_for_output(const JobView& job) { return is_wait("waits for " + job.waits_for); }

std::vector<std::string> remarks_of(const JobView& job) {
  std::vector<std::string> remarks = job.troubles;
  std::erase_if(remarks, [](const std::string& trouble) { return !is_remark(trouble); });
  return remarks;
}

std::string end_notes(const JobView& job) {
  const std::vector<std::string> losses = losses_of(job);
  const auto cut_off = std::find_if(job.troubles.begin(), job.troubles.end(), is_of_service);
  return (losses.empty() ? "" : "lost:  " + escaped(losses.back()) + "\n") +
         (cut_off == job.troubles.end() ? "" : "note:  " + escaped(*cut_off) + "\n");
}

std::string without_state(const std::string& sentence, const std::string& state) {
  if (!sentence.starts_with(state)) return sentence;
  const size_t begin = sentence.find_first_not_of(": ", state.size());
  return begin == std::string::npos ? "" : sentence.substr(begin);
}

std::string asked_as(const JobView& job, const Style& style) {
  if (!style.place.empty()) return job.name + style.place;
  return job.backend == "kubernetes" ? job.name + " --backend kubernetes" : job.name;
}

std::string rank_flag(const JobView& job, std::optional<uint32_t> index) {
  const auto rank =
      std::find_if(job.ranks.begin(), job.ranks.end(), [&](const RankView& each) { return each.index == index; });
  if (rank == job.ranks.end()) return "";
  if (rank->name.starts_with("rank ")) return " --" + rank->name;
  return " --rank " + rank->group + "/" + std::to_string(rank->rank);
}

bool is_final(const std::string& state) {
  return state == "succeeded" || state == "failed" || state == "cancelled" || state == "damaged";
}

std::string size_of(const JobView& job) {
  if (job.ranks.empty()) return "";
  return count_of(job.ranks.size(), "rank") + place_of(job);
}

std::string remark(const std::string& job_name, const std::string& text, const Style& style) {
  return paint(style, Colour::bold, job_name) + "  " + text + "\n";
}

std::string framework_in_words(const std::string& framework) {
  return framework == "any" ? "framework unknown" : or_dash(framework);
}

std::string start_line(const JobView& job, const std::string& note, const Style& style) {
  std::string size = size_of(job);
  if (size.empty()) size = job.state;
  return remark(job.name, size + " · " + framework_in_words(job.framework) + (note.empty() ? "" : " · " + note), style);
}

std::string gpu_note(const JobSpec& spec, const JobView& job, const std::function<size_t()>& gpus_here) {
  const auto any_group = [&](auto matches) { return std::any_of(spec.groups.begin(), spec.groups.end(), matches); };
  const bool auto_gpus = any_group([](const GroupSpec& group) { return group.worker.gpus.automatic; });
  const bool auto_workers = any_group([](const GroupSpec& group) { return group.workers.automatic; });
  const bool on_gpus =
      std::any_of(job.ranks.begin(), job.ranks.end(), [](const RankView& r) { return !r.gpus.empty(); });
  if (spec.backend != BackendKind::local || job.ranks.empty() || on_gpus || !(auto_gpus || auto_workers)) return "";
  const size_t gpus = gpus_here();
  const bool asked = auto_workers || spec.framework == Framework::torch;
  if (gpus == 0) return asked ? "no GPU seen" : "";
  if (!auto_gpus || job.ranks.size() <= gpus) return "";
  return "on CPUs: " + count_of(job.ranks.size(), "rank") + ", but only " + count_of(gpus, "GPU");
}

std::string interrupt_question(Duration grace, size_t columns, uint32_t seconds) {
  const std::string time = humane_duration(grace) + " to save";
  constexpr size_t short_enough = 16;  // for 80 columns
  const std::string stop = grace <= Duration(0) ? "SIGTERM" : time.size() > short_enough ? time : "ranks get " + time;
  const std::string end = " [d in " + std::to_string(seconds) + " s]";
  const std::string brief = grace <= Duration(0) ? stop : time;
  const std::array<std::string, 5> shorter{"d detach (it goes on)   s or Ctrl-C stop (" + stop + ")   k kill " + end,
                                           "d detach (it goes on)   s or Ctrl-C stop (" + brief + ")   k kill " + end,
                                           "d detach   s or Ctrl-C stop (" + brief + ")   k kill " + end,
                                           "d detach  s stop  k kill " + end, "d, s or k?" + end};
  const auto fits = [&](const std::string& text) { return display_width(text) <= (columns == 0 ? 80 : columns); };
  const auto found = std::find_if(shorter.begin(), shorter.end(), fits);
  return found == shorter.end() ? shorter.back() : *found;
}

std::string event_line(const std::string& job_name, const JobEvent& event, const Style& style) {
  if (event.sentence.empty()) return "";
  return remark(job_name, event.sentence, style);
}

std::string end_lines(const JobView& job, const Style& style) {
  const std::string state = paint(style, colour_of_state(job.state), job.state);
  if (job.state == "succeeded") {
    const std::string duration = run_time(job);
    return remark(job.name, state + (duration.empty() ? "" : " in " + duration) + restarts_of(job), style) +
           end_notes(job);
  }
  const std::string why = without_state(job.sentence, job.state);
  std::string text = remark(job.name, state + (why.empty() ? "" : ": " + why), style) + end_notes(job);
  if (job.state == "failed") text += "why:   muster why " + asked_as(job, style) + "\n";
  return text;
}

std::string timeline_line(const JobEvent& event, const Style& style) {
  const std::string attempt = event.attempt > 0 ? "attempt " + std::to_string(event.attempt) : "-";
  return paint(style, Colour::dim, format_utc(event.time)) + "  " + attempt +
         std::string(11 - std::min<size_t>(attempt.size(), 10), ' ') +
         paint(style, colour_of_state(event.state), event.state) + "  " + without_state(event.sentence, event.state) +
         "\n";
}

}  // namespace muster
