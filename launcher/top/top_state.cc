// SPDX-License-Identifier: Apache-2.0
#include "launcher/top/top_state.h"

#include <algorithm>
#include <tuple>

#include "core/client/view/status_lines.h"
#include "launcher/view/jobs_table.h"

namespace muster {
namespace {

bool passes(const JobView& job, const std::string& filter) {
  const std::string text = job.name + " " + job.state + " " + job.framework + " " + job_where(job);
  return text.find(filter) != std::string::npos;
}

// Sort key: numbers in descending order, words in ascending order, unknown values last.
std::pair<double, std::string> order_of(const JobView& job, TopColumn column) {
  const auto use = use_of(job);
  switch (column) {
    case TopColumn::name: return {0, job.name};
    case TopColumn::state: return {0, job.state};
    case TopColumn::where: return {0, job_where(job)};
    case TopColumn::nodes: return {-static_cast<double>(job.nodes), ""};
    case TopColumn::ranks: return {-static_cast<double>(job.ranks.size()), ""};
    case TopColumn::step: return {job.progress ? -static_cast<double>(job.progress->progress.step) : 1, ""};
    case TopColumn::eta: return {job.progress ? -static_cast<double>(job.progress->remaining.count()) : 1, ""};
    case TopColumn::restarts: return {-static_cast<double>(job.restarts), ""};
    case TopColumn::cpu: return {use ? -static_cast<double>(use->cpu_permille) : 1, ""};
    case TopColumn::memory: return {use ? -static_cast<double>(use->memory_bytes) : 1, ""};
    case TopColumn::gpus: return {-static_cast<double>(gpus_of(job)), ""};
    case TopColumn::age: return {-static_cast<double>(to_unix_nanos(job.submitted)), ""};
  }
  return {0, ""};
}

void move(TopState& state, int by) {
  if (state.page == TopPage::jobs) {
    const auto shown = shown_jobs(state);
    if (shown.empty()) return;
    const auto at = std::find_if(shown.begin(), shown.end(), [&](const JobView* job) { return job->id == state.job; });
    const int now = at == shown.end() ? 0 : static_cast<int>(at - shown.begin());
    const int last = static_cast<int>(shown.size()) - 1;
    state.job = shown[static_cast<size_t>(std::clamp(now + by, 0, last))]->id;
    return;
  }
  const JobView* job = chosen_job(state);
  if (job == nullptr || job->ranks.empty()) return;
  const int last = static_cast<int>(job->ranks.size()) - 1;
  state.rank = static_cast<uint32_t>(std::clamp(static_cast<int>(state.rank) + by, 0, last));
}

void sort_by(TopState& state, int by) {
  const int count = static_cast<int>(kLastColumn) + 1;
  state.sort = static_cast<TopColumn>((static_cast<int>(state.sort) + count + by) % count);
}

TopAction open(TopState& state, TopPage page, bool all_ranks) {
  if (chosen_job(state) == nullptr) return {};
  if (state.page == TopPage::jobs) {
    state.rank = 0;
    state.events.clear();
    state.output.clear();
  }
  state.all_ranks = all_ranks;
  state.page = page;
  return {.look = true};
}

TopAction back(TopState& state) {
  if (state.page == TopPage::jobs && state.filter.empty()) return {.quit = true};
  if (state.page == TopPage::jobs) {
    state.filter.clear();
    return {};
  }
  // Back to the page from which the output was opened.
  const bool to_job = state.page == TopPage::output && !state.all_ranks;
  state.page = to_job ? TopPage::job : TopPage::jobs;
  return {.look = true};
}

TopAction type_filter(TopState& state, const KeyPress& key) {
  if (key.kind == KeyPress::Kind::letter) state.filter += key.letter;
  if (key.kind == KeyPress::Kind::backspace && !state.filter.empty()) state.filter.pop_back();
  if (key.kind == KeyPress::Kind::escape) state.filter.clear();
  if (key.kind == KeyPress::Kind::escape || key.kind == KeyPress::Kind::enter) state.filtering = false;
  take_jobs(state, std::move(state.jobs));
  return {};
}

TopAction answer_stop(TopState& state, const KeyPress& key) {
  state.asks_stop = false;
  const bool yes = key.kind == KeyPress::Kind::letter && key.letter == 'y';
  const JobView* job = chosen_job(state);
  return yes && job != nullptr ? TopAction{.stop = job->id} : TopAction{};
}

TopAction take_letter(TopState& state, char letter) {
  switch (letter) {
    case 'q': return state.page == TopPage::jobs ? TopAction{.quit = true} : back(state);
    case 'k': move(state, -1); return {};
    case 'j': move(state, 1); return {};
    case '<': sort_by(state, -1); return {};
    case '>':
    case 's': sort_by(state, 1); return {};
    case 'r': state.reverse = !state.reverse; return {};
    case '/': state.filtering = state.page == TopPage::jobs; return {};
    case '?':
    case 'h': state.help = true; return {};
    case 'o':
    case 'l': return open(state, TopPage::output, state.page == TopPage::jobs);
    case 'x': state.asks_stop = chosen_job(state) != nullptr && !chosen_job(state)->done; return {};
    default: return {};
  }
}

}  // namespace

std::vector<const JobView*> shown_jobs(const TopState& state) {
  std::vector<const JobView*> shown;
  for (const JobView& job : state.jobs) {
    if (passes(job, state.filter)) shown.push_back(&job);
  }
  std::stable_sort(shown.begin(), shown.end(), [&](const JobView* a, const JobView* b) {
    // Live jobs come first in every order.
    const auto key = [&](const JobView* job) { return order_of(*job, state.sort); };
    if (a->done != b->done) return b->done;
    return state.reverse ? key(b) < key(a) : key(a) < key(b);
  });
  return shown;
}

const JobView* chosen_job(const TopState& state) {
  const auto found =
      std::find_if(state.jobs.begin(), state.jobs.end(), [&](const JobView& job) { return job.id == state.job; });
  return found == state.jobs.end() ? nullptr : &*found;
}

std::optional<RankUse> use_of(const JobView& job) {
  std::optional<RankUse> sum;
  for (const RankView& rank : job.ranks) {
    if (!rank.use || job.done) continue;
    if (!sum) sum.emplace();
    sum->cpu_permille += rank.use->cpu_permille;
    sum->memory_bytes += rank.use->memory_bytes;
  }
  return sum;
}

size_t gpus_of(const JobView& job) {
  size_t count = 0;
  for (const RankView& rank : job.ranks) count += rank.gpus.size();
  return job.done ? 0 : count;
}

void take_jobs(TopState& state, std::vector<JobView> jobs) {
  state.jobs = std::move(jobs);
  const auto shown = shown_jobs(state);
  const bool there = std::any_of(shown.begin(), shown.end(), [&](const JobView* job) { return job->id == state.job; });
  const JobView* open = chosen_job(state);
  if (open == nullptr) state.page = TopPage::jobs;  // it was removed
  if (open != nullptr && state.rank >= open->ranks.size()) state.rank = 0;
  if (state.page == TopPage::jobs && !there) state.job = shown.empty() ? JobId() : shown.front()->id;
}

TopAction take_key(TopState& state, const KeyPress& key) {
  using Kind = KeyPress::Kind;
  constexpr int kPage = 10;
  constexpr int kAll = 1 << 20;
  if (state.filtering) return type_filter(state, key);
  if (state.asks_stop) return answer_stop(state, key);
  if (std::exchange(state.help, false)) return {};
  switch (key.kind) {
    case Kind::letter: return take_letter(state, key.letter);
    case Kind::enter:
      return state.page == TopPage::jobs ? open(state, TopPage::job, true) : open(state, TopPage::output, false);
    case Kind::escape: return back(state);
    case Kind::up: move(state, -1); break;
    case Kind::down: move(state, 1); break;
    case Kind::left: sort_by(state, -1); break;
    case Kind::right: sort_by(state, 1); break;
    case Kind::page_up: move(state, -kPage); break;
    case Kind::page_down: move(state, kPage); break;
    case Kind::home: move(state, -kAll); break;
    case Kind::end: move(state, kAll); break;
    case Kind::backspace: break;
  }
  return {};
}

}  // namespace muster
