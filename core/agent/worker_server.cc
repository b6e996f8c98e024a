// SPDX-License-Identifier: Apache-2.0
#include "core/agent/worker_server.h"

#include <algorithm>
#include <cctype>

#include "core/job/plan/job_node.h"

namespace muster {
namespace {

constexpr size_t kMostQuestions = 64;

RendezvousAnswer failure(Status status) { return {std::move(status), "", {}}; }

bool is_metric_name(const std::string& name) {
  return !name.empty() && name.size() <= kLongestMetric && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("_./-").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

Status check(const Progress& progress) {
  if (progress.metrics.size() > kMostMetrics)
    return Status(Code::invalid_argument, "progress has at most " + std::to_string(kMostMetrics) + " metrics");
  for (const auto& [name, value] : progress.metrics) {
    if (!is_metric_name(name))
      return Status(Code::invalid_argument, "the name of a metric must have 1 to " + std::to_string(kLongestMetric) +
                                                " characters: letters, digits and _ . / -");
  }
  return Status();
}

}  // namespace

WorkerServer::WorkerServer(Loop& loop, Rejoin rejoin)
    : loop_(loop),
      rejoin_(std::move(rejoin)),
      rendezvous_(loop),
      rendezvous_channel_(rendezvous_.connect([this](RendezvousReply reply) { answered(std::move(reply)); })) {}

void WorkerServer::begin(Attempt attempt, std::set<uint32_t> indices, const std::vector<RendezvousMember>& members) {
  end({"attempt " + std::to_string(attempt) + " begins", true, Duration(0)}, false);
  attempt_ = attempt;
  indices_ = std::move(indices);
  is_local_ = !members.empty();
  end_.reset();
  progress_.clear();
  calls_.clear();
  met_ = TimePoint();
  if (is_local_) rendezvous_.begin(members, attempt, false);
}

void WorkerServer::end(const EndNotice& notice, bool again) {
  if (attempt_ == 0) return;
  again_ = again;
  const bool first = !end_;
  if (first) tell_end(notice);
  settle_rejoins();
}

void WorkerServer::settle_rejoins() {
  for (auto& [index, answer] : std::exchange(rejoins_, {})) {
    if (again_) {
      rejoin_(index, std::move(answer));
    } else {
      answer(NewPlace{Status(Code::failed_precondition, "no attempt follows: " + end_->why), {}});
    }
  }
}

void WorkerServer::tell_end(const EndNotice& notice) {
  end_ = notice;
  grace_until_ = loop_.now() + notice.grace;
  if (is_local_) rendezvous_.end(attempt_, notice.why);
  for (const auto& [index, answers] : std::exchange(wait_for_end_, {})) {
    for (const WorkerListener::Answer& answer : answers) answer(notice);
  }
}

void WorkerServer::connect(ChannelToCoordinator* channel) {
  channel_ = channel;
  if (channel_ != nullptr) return;
  // Last: a rank that calls again at once must not use the lost channel.
  for (const auto& [id, answer] : std::exchange(sent_, {}))
    answer(failure(Status(Code::unavailable, "the link to the coordinator was lost; call again")));
}

void WorkerServer::answered(RendezvousReply reply) {
  auto found = asked_.extract(reply.id);
  if (found.empty()) found = sent_.extract(reply.id);
  if (!found.empty()) found.mapped()(std::move(reply.answer));
}

Status WorkerServer::unknown_rank(const WorkerCall& call) const {
  return indices_.count(call.index) > 0 ? Status() : no_such_rank(call.index);
}

Status WorkerServer::refusal(const WorkerCall& call) const {
  if (Status refused = unknown_rank(call); !refused.ok()) return refused;
  if (call.attempt == attempt_) return Status();
  return Status(Code::failed_precondition, "attempt " + std::to_string(call.attempt) + " has ended; attempt " +
                                               std::to_string(attempt_) + " is running");
}

void WorkerServer::ask(WorkerCall call, WorkerListener::Answer answer) {
  if (indices_.count(call.index) > 0) ++calls_[call.index];
  if (met_ == TimePoint() && !indices_.empty() && calls_.size() == indices_.size()) met_ = loop_.now();
  std::visit([&](auto& each) { take(call, each, std::move(answer)); }, call.call);
}

void WorkerServer::ask_for_service(const RendezvousCall& call, std::function<void(const RendezvousAnswer&)> answer) {
  if (indices_.empty()) return answer(failure(no_such_rank(0)));
  RendezvousCall asked = call;
  take({attempt_, *indices_.begin(), {}}, asked,
       [answer = std::move(answer)](const WorkerAnswer& given) { answer(std::get<RendezvousAnswer>(given)); });
}

// The rendezvous itself checks the attempt. Only the coordinator knows the job's nodes: other gangs of the job have other nodes.
void WorkerServer::take(const WorkerCall& call, RendezvousCall& asked, WorkerListener::Answer answer) {
  if (const Status refused = unknown_rank(call); !refused.ok()) return answer(failure(refused));
  const bool about_nodes = asked.kind == RendezvousCall::Kind::get && asked.key == kJobNodesKey;
  const bool here = is_local_ && !about_nodes;
  if (!here && channel_ == nullptr)
    return answer(failure(Status(Code::unavailable, "the coordinator is not connected; call again")));
  const uint64_t id = next_request_++;
  (here ? asked_ : sent_).emplace(id, std::move(answer));
  RendezvousRequest request{id, call.attempt, call.index, std::move(asked)};
  return here ? rendezvous_.ask(rendezvous_channel_, std::move(request)) : channel_->send(std::move(request));
}

void WorkerServer::take(const WorkerCall& call, const Progress& progress, WorkerListener::Answer answer) {
  Status refused = refusal(call);
  if (refused.ok()) refused = check(progress);
  if (refused.ok()) progress_[call.index] = progress;
  answer(failure(refused));
}

void WorkerServer::take(const WorkerCall& call, const EndQuestion&, WorkerListener::Answer answer) {
  if (const Status refused = refusal(call); !refused.ok()) return answer(EndNotice{refused.message(), true, {}});
  if (end_) return answer(EndNotice{end_->why, end_->broken, std::max(Duration(0), grace_until_ - loop_.now())});
  std::deque<WorkerListener::Answer>& waiting = wait_for_end_[call.index];
  waiting.push_back(std::move(answer));
  if (waiting.size() > kMostQuestions) waiting.pop_front();  // most likely of a closed connection
}

void WorkerServer::take(const WorkerCall& call, const RejoinRequest& request, WorkerListener::Answer answer) {
  if (const Status refused = refusal(call); !refused.ok()) return answer(NewPlace{refused, {}});
  if (request.withdraw) return withdraw_rejoin(call.index, answer);
  rejoins_[call.index] = std::move(answer);
  if (end_) settle_rejoins();
}

// If no attempt follows, no request was granted, and the rank ends like any other.
void WorkerServer::withdraw_rejoin(uint32_t index, const WorkerListener::Answer& answer) {
  if (auto node = rejoins_.extract(index); !node.empty())
    node.mapped()(NewPlace{Status(Code::failed_precondition, "the rank has withdrawn its request"), {}});
  const bool granted = end_ && again_;
  answer(NewPlace{granted ? Status(Code::failed_precondition, "the attempt has ended: " + end_->why) : Status(), {}});
}

uint64_t WorkerServer::calls(uint32_t index) const {
  const auto found = calls_.find(index);
  return found == calls_.end() ? 0 : found->second;
}

std::optional<rendezvous::OpenBarrier> WorkerServer::longest_open() const {
  return is_local_ ? rendezvous_.longest_open() : std::nullopt;
}

const Progress* WorkerServer::progress(uint32_t index) const {
  const auto found = progress_.find(index);
  return found == progress_.end() ? nullptr : &found->second;
}

}  // namespace muster
