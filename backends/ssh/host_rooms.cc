// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/host_rooms.h"

#include <algorithm>
#include <utility>

namespace muster {
namespace {

constexpr Duration kFresh = std::chrono::seconds(9);

}  // namespace

std::optional<std::vector<Holder>> HostRooms::others_on(const JobOnNodes& waiting, TimePoint asked,
                                                        const std::function<void()>& seen) {
  const TimePoint oldest = loop_.now() - kFresh;
  std::vector<Holder> others;
  bool known = true;
  for (const JobHost& host : waiting.hosts) {
    const auto found = hosts_.find(host.name);
    const bool later = found != hosts_.end() && found->second.answered_at >= asked;
    const bool fresh = later ? found->second.answered_at >= oldest : asked >= oldest;
    if (!fresh) ask(host.name, waiting.environment, seen);
    known = known && fresh;
    for (Holder other : later && found->second.holders ? *found->second.holders : host.others) {
      other.host = host.name;
      if (ours_.count(other.job) == 0) others.push_back(std::move(other));
    }
  }
  return known ? std::optional(std::move(others)) : std::nullopt;
}

void HostRooms::ask(const std::string& name, const std::map<std::string, std::string>& environment,
                    const std::function<void()>& seen) {
  Host& host = hosts_[name];
  if (host.link) return;
  host.seen = seen;
  host.link = links_.look({name, environment, {"facts", "--machine"}, ""},
                          [this, name](const Result<std::vector<Holder>>& holders) { answered(name, holders); });
}

void HostRooms::answered(const std::string& name, const Result<std::vector<Holder>>& holders) {
  Host& host = hosts_.at(name);
  host.answered_at = loop_.now();
  if (holders.ok()) host.holders = *holders;
  spent_.take(std::move(host.link));
  const bool all =
      std::none_of(hosts_.begin(), hosts_.end(), [](const auto& each) { return each.second.link != nullptr; });
  const std::function<void()> seen = std::exchange(host.seen, nullptr);
  if (all && seen) seen();
}

}  // namespace muster
