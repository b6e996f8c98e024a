// SPDX-License-Identifier: Apache-2.0
#include "backends/typed/typed_backend.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/port/dismiss_agent.h"

namespace muster {
namespace {

constexpr uint32_t kMostRanks = 65536;  // per host; the limit of --nproc-per-node
constexpr const char* kJobEnded = "the job has ended";

bool is_loopback(const std::string& address) { return address == "::1" || address.starts_with("127."); }

std::string range(const HostOffer& offer) {
  const std::string least = std::to_string(offer.least_nodes);
  return offer.least_nodes == offer.most_nodes ? least : least + ":" + std::to_string(offer.most_nodes);
}

}  // namespace

TypedBackend::TypedBackend(Loop& loop, const Backend& own, HostOffer first, Duration last_call,
                           std::function<void()> changed, std::function<void(const std::string&)> missed)
    : loop_(loop),
      arrivals_(loop),
      own_(own),
      first_(std::move(first)),
      last_call_(last_call),
      changed_(std::move(changed)),
      missed_(std::move(missed)) {}

// The reason why a host may not join; empty: it may.
std::string TypedBackend::refusal(const ArrivedAgent& agent) const {
  if (!agent.hello.offer) return "only `muster torchrun` can join this job";
  const HostOffer& offer = *agent.hello.offer;
  if (offer.ranks == 0 || offer.ranks > kMostRanks) return "a host has 1 to " + std::to_string(kMostRanks) + " ranks";
  if (offer.run != first_.run) {
    return "this is the endpoint of --rdzv-id " + escaped(first_.run) + ", not of " + escaped(offer.run);
  }
  if (offer.node_rank.has_value() != first_.node_rank.has_value()) {
    return "the hosts have different --rdzv-backend: one has static, the other c10d";
  }
  if (range(offer) != range(first_)) {
    return "the hosts have different --nnodes: " + range(first_) + " on the first, " + range(offer) + " on " +
           agent.hello.host;
  }
  if (over_) return kJobEnded;
  if (closed_) return refusal_of_late(offer);
  if (hosts() >= first_.most_nodes) return "all " + range(first_) + " hosts have joined";
  if (!offer.node_rank) return "";
  if (*offer.node_rank == 0) return "--node-rank 0 is taken by the host that listens here";
  if (*offer.node_rank >= first_.most_nodes) {
    return "--node-rank " + std::to_string(*offer.node_rank) + " of --nnodes " + range(first_) +
           ": node ranks are counted from 0";
  }
  const auto same = std::find_if(joined_.begin(), joined_.end(),
                                 [&](const auto& host) { return host->offer.node_rank == offer.node_rank; });
  if (same == joined_.end()) return "";
  return "--node-rank " + std::to_string(*offer.node_rank) + " is already taken by " + (*same)->name;
}

std::string TypedBackend::refusal_of_late(const HostOffer& offer) const {
  if (!offer.node_rank) return "";
  const bool wanted =
      std::any_of(vacant_.begin(), vacant_.end(), [&](const auto& entry) { return fits(entry.first, offer); });
  if (wanted) return "";
  if (vacant_.empty()) return "the job already runs, and no host is missing";
  return "the job needs " + missing(vacant_.begin()->first);
}

// "a host in place of node-b, --node-rank 1"
std::string TypedBackend::missing(NodeIndex node) const {
  const auto& lost = joined_.at(node - 1);
  const std::string rank = lost->offer.node_rank ? ", --node-rank " + std::to_string(*lost->offer.node_rank) : "";
  return "a host in place of " + lost->name + rank;
}

void TypedBackend::agent_arrived(ArrivedAgent agent) {
  // The name comes from the network and is shown on terminals.
  agent.hello.host = shown_name(agent.hello.host);
  if (const std::string why = refusal(agent); !why.empty()) return dismiss_agent(loop_, std::move(agent.channel), why);
  closed_ ? take_vacancy(std::move(agent)) : add_host(std::move(agent));
}

std::unique_ptr<TypedBackend::Host> TypedBackend::host_of(ArrivedAgent agent,
                                                          std::function<void(Arrivals::Ticket)> left) {
  auto host = std::make_unique<Host>(Host{*agent.hello.offer, agent.hello.host, agent.peer});
  host->agent = arrivals_.add(std::move(agent), std::move(left));
  return host;
}

void TypedBackend::add_host(ArrivedAgent agent) {
  joined_.push_back(host_of(std::move(agent), [this](Arrivals::Ticket left) {
    if (closed_) return;  // the placement of its node notices it
    arrivals_.forget(left);
    std::erase_if(joined_, [&](const auto& each) { return each->agent == left; });
    changed_();
  }));
  if (first_.node_rank) {
    std::sort(joined_.begin(), joined_.end(),
              [](const auto& a, const auto& b) { return *a->offer.node_rank < *b->offer.node_rank; });
  }
  changed_();
}

bool TypedBackend::fits(NodeIndex node, const HostOffer& offer) const {
  return !offer.node_rank || joined_.at(node - 1)->offer.node_rank == offer.node_rank;
}

std::map<NodeIndex, TypedBackend::Placed>::iterator TypedBackend::vacancy_for(const HostOffer& offer) {
  return std::find_if(vacant_.begin(), vacant_.end(), [&](const auto& entry) { return fits(entry.first, offer); });
}

void TypedBackend::take_vacancy(ArrivedAgent agent) {
  const auto vacant = vacancy_for(*agent.hello.offer);
  if (vacant == vacant_.end()) return keep_waiting(std::move(agent));
  const Placed done = std::move(vacant->second);
  const NodeIndex node = vacant->first;
  vacant_.erase(vacant);
  joined_[node - 1] = host_of(std::move(agent), nullptr);
  hand_over(*joined_[node - 1], done);
}

void TypedBackend::keep_waiting(ArrivedAgent agent) {
  waiting_.push_back(host_of(std::move(agent), [this](Arrivals::Ticket left) {
    const bool waited = std::erase_if(waiting_, [&](const auto& each) { return each->agent == left; }) > 0;
    if (waited) arrivals_.forget(left);
  }));
}

void TypedBackend::hand_over(const Host& host, const Placed& done) {
  std::optional<ArrivedAgent> agent = arrivals_.take(host.agent);
  agent ? done(PlacedAgent{std::move(*agent), host.name})
        : done(Status(Code::unavailable, host.name + " was dismissed"));
}

void TypedBackend::send_all_away(const std::string& why) {
  closed_ = true;
  for (const auto& host : joined_) {
    if (host) arrivals_.dismiss_agent(host->agent, why);
  }
}

Result<Plan> TypedBackend::plan(const JobSpec& spec, const std::vector<Holder>& held, const JobOrigin& origin) {
  Result<Plan> own = own_.planning.plan(spec, held, origin);
  if (!own.ok()) return own;
  closed_ = true;
  own->membership = ElasticMembership{first_.least_nodes, first_.most_nodes, last_call_};
  std::vector<HostShare> hosts = {{own->nodes.front().host, static_cast<uint32_t>(own->ranks.size()), first_.role}};
  for (const auto& host : joined_) hosts.push_back({host->name, host->offer.ranks, host->offer.role});
  return plan_of_hosts(hosts, *own);
}

void TypedBackend::place(const NodeRef& node, std::function<void(Result<PlacedAgent>)> done) {
  if (is_own(node)) return own_.placement.place(node, std::move(done));
  if (joined_.size() < node.node) joined_.resize(node.node);
  std::unique_ptr<Host>& host = joined_[node.node - 1];
  if (!waiting_.empty() && !waits(host)) {
    host = std::move(waiting_.front());
    waiting_.erase(waiting_.begin());
  }
  if (!waits(host)) {
    vacant_[node.node] = std::move(done);
    return host && first_.least_nodes == first_.most_nodes ? missed_(missing(node.node)) : void();
  }
  loop_.post([this, alive = alive_, index = node.node - 1, done = std::move(done)] {
    if (*alive) hand_over(*joined_[index], done);
  });
}

void TypedBackend::adopt(const NodeRef& node, const std::string& token) {
  if (is_own(node)) own_.placement.adopt(node, token);
}

// Ranks reach the first node at the address that hosts connected to. A host on the same machine has the same address.
std::string TypedBackend::address(const NodeRef& node) const {
  std::string own = first_.address;
  for (const auto& host : joined_) {
    if (host && first_.address.empty() && (own.empty() || is_loopback(own))) own = host->offer.dialled;
  }
  if (own.empty()) own = first_.dialled;
  if (is_own(node) || node.node > joined_.size() || !joined_[node.node - 1]) return own;
  const Host& host = *joined_[node.node - 1];
  if (!host.offer.address.empty()) return host.offer.address;
  return is_loopback(host.peer) ? own : host.peer;
}

void TypedBackend::on_lost(std::function<void(const NodeRef&, const std::string&)> handler) {
  own_.placement.on_lost(std::move(handler));
}

void TypedBackend::end(const NodeRef& node) {
  if (is_own(node)) own_.placement.end(node);
}

void TypedBackend::release(const NodeRef& node) {
  vacant_.erase(node.node);
  if (!is_own(node)) return;
  over_ = true;  // the first host stays until the end
  for (const auto& host : waiting_) arrivals_.dismiss_agent(host->agent, kJobEnded);
  waiting_.clear();
  own_.placement.release(node);
}

}  // namespace muster
