// SPDX-License-Identifier: Apache-2.0
#include "core/agent/rank/leftovers.h"

#include <algorithm>

#include "core/base/text.h"

namespace muster {
namespace {

// A program that orphans processes all the time makes a look per this time, not one per process.
constexpr Duration kBetweenLooks = std::chrono::milliseconds(10);
// A killed process that does not end is looked at again after this time.
constexpr Duration kNextKill = std::chrono::seconds(1);
constexpr size_t kMostNames = 4;

}  // namespace

Leftovers::Leftovers(Loop& loop, LeftoverHost& host, LeftoverHandlers handlers)
    : loop_(loop),
      host_(host),
      handlers_(std::move(handlers)) {}

Leftovers::~Leftovers() {
  host_.on_child_end(nullptr);
  loop_.cancel(timer_);
}

void Leftovers::bind(const LeftoverSpec& spec, const std::string& place) {
  situation_.spec = spec;
  place_ = place;
  if (!host_.sees_processes())
    handlers_.tell("muster cannot see processes" + place_ +
                   ", so it will not end those that ranks leave running: /proc is not "
                   "mounted. To mount it, as root: mount -t proc proc /proc");
  host_.on_child_end([this] {
    if (!known_.empty()) look_soon();
  });
}

void Leftovers::begin(Attempt attempt) {
  attempt_ = attempt;
  if (situation_.over) previous_over_ = situation_.over;
  for (auto& [key, known] : known_) {
    known.earlier = known.earlier ? known.earlier : previous_over_;
    known.holds.reset();
  }
  situation_.over.reset();
  situation_.stop.reset();
  ended_.clear();
  blocked_ = swept_ = false;
  if (!known_.empty()) look_soon();
}

void Leftovers::rank_ended(int64_t pid, bool finished) {
  ended_[pid] = finished;
  if (situation_.stop) look();
}

void Leftovers::stop(const leftover::Stop& stop) {
  std::optional<leftover::Stop>& now = situation_.stop;
  const leftover::Stop before = now.value_or(stop);
  now = stop;
  now->deadline = std::min(stop.deadline, before.deadline);
  now->signal = before.signal;
  now->last = stop.last || before.last;
  if (!ended_.empty() || !known_.empty()) look();
}

void Leftovers::over() {
  if (situation_.over) return;
  situation_.over = loop_.now();
  look();
}

std::set<int64_t> Leftovers::spared() const {
  std::set<int64_t> pids;
  for (const auto& [key, known] : known_) {
    if (known.sent != SIGKILL) pids.insert(key.first);
  }
  return pids;
}

std::set<int64_t> Leftovers::spared_after_services() const {
  std::set<int64_t> pids = spared();
  for (const auto& [key, known] : known_) {
    if (known.origin.service) pids.erase(key.first);
  }
  return pids;
}

void Leftovers::swept() {
  std::erase_if(known_, [](const auto& entry) { return entry.second.sent == SIGKILL; });
  swept_ = true;
  tell_losses();
}

void Leftovers::look_soon() {
  loop_.cancel(timer_);
  timer_ = loop_.at(std::max(loop_.now(), looked_ + kBetweenLooks), [this] { look(); });
}

// A leftover whose parent has ended is new in the list, and the rank that it belonged to may have ended long before.
void Leftovers::look() {
  loop_.cancel(timer_);
  looked_ = loop_.now();
  const bool before = settled();
  blocked_ = false;
  std::map<Key, Known> alive;
  std::optional<TimePoint> next;
  const std::vector<Leftover> all = host_.leftovers();
  for (const Leftover& leftover : all) {
    const Key key{leftover.identity.pid, leftover.identity.start_ticks};
    const Known& known = know(leftover);
    if (!concerns(leftover, known)) continue;
    const std::optional<TimePoint> again = known.origin.service ? std::nullopt : treat(leftover, all);
    if (again) next = next ? std::min(*next, *again) : again;
    alive.emplace(key, known_[key]);
  }
  known_ = std::move(alive);
  if (next) timer_ = loop_.at(std::max(*next, looked_ + kBetweenLooks), [this] { look(); });
  if (!situation_.over || swept_) tell_losses();
  if (settled() && !before) handlers_.settled();
}

Leftovers::Known& Leftovers::know(const Leftover& leftover) {
  const auto [found, is_new] = known_.try_emplace({leftover.identity.pid, leftover.identity.start_ticks});
  Known& known = found->second;
  if (!is_new) return known;
  known.pid = leftover.identity.pid;
  known.origin = host_.origin(leftover);
  if (known.origin.attempt > 0 && known.origin.attempt < attempt_) known.earlier = previous_over_;
  return known;
}

// While ranks run, what they start belongs to them.
bool Leftovers::concerns(const Leftover& leftover, const Known& known) const {
  return situation_.over || known.earlier || ended_.contains(leftover.session);
}

leftover::Facts Leftovers::facts_of(const Leftover& leftover, const std::vector<Leftover>& all, Known& known) {
  leftover::Facts facts;
  const auto rank = ended_.find(leftover.session);
  facts.in_session = rank != ended_.end();
  facts.finished = facts.in_session && rank->second;
  facts.earlier = known.earlier;
  if (leftover::is_part_of_stopped_rank(facts, situation_) && known.sent == 0) {
    const bool reads = host_.reads_from_another(leftover, all);
    if (!reads && known.reads && !known.read) known.read = looked_;
    known.reads = known.reads || reads;
  }
  facts.reads = known.reads;
  facts.read = known.read;
  if (leftover::needs_resources(facts, situation_)) {
    if (!known.holds) known.holds = host_.holds_device_or_port(leftover);
    facts.holds = *known.holds;
  }
  return facts;
}

// Returns when to look at it again.
std::optional<TimePoint> Leftovers::treat(const Leftover& leftover, const std::vector<Leftover>& all) {
  Known& known = know(leftover);
  const leftover::Verdict verdict = leftover::judge(facts_of(leftover, all, known), situation_, loop_.now());
  const bool kills = verdict.signal == SIGKILL;
  if (verdict.signal != 0 && (kills || known.sent == 0)) {
    host_.signal(leftover, verdict.signal);
    known.sent = verdict.signal;
  }
  // The sweep at the end of the attempt waits for what is killed.
  blocked_ = blocked_ || (verdict.blocks && !kills);
  if (verdict.loss != leftover::Loss::none && known.loss == leftover::Loss::none) {
    known.loss = verdict.loss;
    losses_[known.loss].push_back(known);
  }
  return kills ? looked_ + kNextKill : verdict.until;
}

void Leftovers::tell_losses() {
  std::vector<std::string> sentences;
  for (const auto& [loss, lost] : std::exchange(losses_, {})) sentences.push_back(sentence_of(loss, lost));
  if (sentences.empty()) return;
  handlers_.tell(join(sentences, "; "));
  handlers_.changed();
}

std::string Leftovers::sentence_of(leftover::Loss loss, const std::vector<Known>& lost) const {
  std::vector<std::string> names;
  for (const Known& each : lost)
    names.push_back("`" + each.origin.command + "` (pid " + std::to_string(each.pid) + ")");
  const bool one = names.size() == 1;
  const std::string it = one ? "it" : "them";
  const std::string grace = humane_duration(situation_.spec.grace);
  std::string text = one && !lost[0].origin.rank.empty() ? "rank " + lost[0].origin.rank : "ranks";
  text += place_ + " left " + (one ? "" : std::to_string(names.size()) + " processes running: ");
  text += short_list(names, kMostNames) + (one ? " running" : "") + "; muster ended " + it;
  if (loss == leftover::Loss::grace) text += " " + grace + " after the last rank had ended";
  if (loss == leftover::Loss::restart) text += " before the restart";
  if (loss == leftover::Loss::stop) text += " at the end of the grace";
  text += std::string(", so ") + (one ? "its" : "their") + " work may be lost. Let the program wait for " + it;
  return loss == leftover::Loss::grace ? text + ", or raise timeouts.leftovers above " + grace : text;
}

}  // namespace muster
