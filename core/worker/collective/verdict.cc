// SPDX-License-Identifier: Apache-2.0
#include "core/worker/collective/verdict.h"

#include <algorithm>

#include "core/base/text.h"

namespace muster::worker {
namespace {

// A call and the ranks that made it.
struct Group {
  Call call;
  std::vector<uint32_t> ranks;
};

std::string who_calls_what(const Roster& roster, const std::vector<Group>& groups) {
  std::vector<std::string> parts;
  for (const Group& group : groups) {
    parts.push_back(roster.names_of(group.ranks) + (group.ranks.size() == 1 ? " calls " : " call ") +
                    describe(group.call, roster.names()));
  }
  return join(parts, ", ");
}

void add(std::vector<Group>& groups, uint32_t rank, const Call& call) {
  for (Group& group : groups) {
    if (group.call == call) return group.ranks.push_back(rank);
  }
  groups.push_back({call, {rank}});
}

std::optional<std::string> different_collectives(const Roster& roster, const GroupProgress& all_progress) {
  std::map<uint64_t, std::vector<Group>> by_number;
  for (const auto& [rank, progress] : all_progress) {
    for (const Call& call : progress.calls) {
      if (!call.point_to_point()) add(by_number[call.number], rank, call);
    }
  }
  for (const auto& [number, groups] : by_number) {
    if (groups.size() < 2) continue;
    return "the ranks of `" + roster.name + "` disagree at collective #" + std::to_string(number) + ": " +
           who_calls_what(roster, groups);
  }
  return std::nullopt;
}

bool same_message(const Call& send, const Call& receive) {
  return send.kind == Kind::send && receive.kind == Kind::receive && send.from == receive.from &&
         send.to == receive.to && send.number == receive.number;
}

// Finds a send and a receive that belong together but differ.
std::optional<std::string> different_messages(const Roster& roster, const GroupProgress& all_progress) {
  std::vector<Group> sends, receives;
  for (const auto& [rank, progress] : all_progress) {
    for (const Call& call : progress.calls) {
      if (call.kind == Kind::send) sends.push_back({call, {rank}});
      if (call.kind == Kind::receive) receives.push_back({call, {rank}});
    }
  }
  for (const Group& send : sends) {
    for (const Group& receive : receives) {
      if (!same_message(send.call, receive.call) || match(send.call, receive.call)) continue;
      return "the ranks of `" + roster.name + "` disagree at message #" + std::to_string(send.call.number) + " from " +
             roster.name_of(send.call.from) + " to " + roster.name_of(send.call.to) + ": " +
             who_calls_what(roster, {send, receive});
    }
  }
  return std::nullopt;
}

// Whether `call` of another rank cannot end before `other` takes part in it.
bool needs(const Roster& roster, const Call& call, uint32_t other) {
  if (call.point_to_point()) return other == (call.kind == Kind::send ? call.to : call.from);
  // The transport decides which rank forwards a broadcast to which; only the root is certain.
  return call.kind != Kind::broadcast || call.from == other || roster.size() == 2;
}

// Whether a rank has taken part in `call` or is in it.
bool came(const Call& call, const RankProgress& progress) {
  for (const Call& done : progress.passed) {
    if (call.point_to_point() && done.from == call.from && done.to == call.to && done.number >= call.number)
      return true;
  }
  for (const Call& now : progress.calls) {
    const bool same_pair = call.point_to_point() && now.point_to_point() && now.from == call.from && now.to == call.to;
    if (same_pair && now.number > call.number) return true;
    if (match(call, now) || (!call.point_to_point() && now.collectives >= call.number)) return true;
  }
  return false;
}

std::optional<std::string> waiting_for_each_other(const Roster& roster, const GroupProgress& all_progress) {
  const auto own = all_progress.find(roster.rank);
  if (own == all_progress.end() || own->second.calls.empty()) return std::nullopt;
  const Call& mine = own->second.calls.back();
  for (const auto& [other, progress] : all_progress) {
    if (other == roster.rank || progress.calls.empty()) continue;
    const Call& theirs = progress.calls.back();
    if (!needs(roster, mine, other) || came(mine, progress)) continue;
    if (!needs(roster, theirs, roster.rank) || came(theirs, own->second)) continue;
    std::vector<Group> groups = {{mine, {roster.rank}}, {theirs, {other}}};
    if (other < roster.rank) std::swap(groups[0], groups[1]);
    return "ranks of `" + roster.name + "` wait for each other: " + who_calls_what(roster, groups);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> judge(const Roster& roster, const GroupProgress& all_progress) {
  if (auto found = different_collectives(roster, all_progress)) return found;
  if (auto found = different_messages(roster, all_progress)) return found;
  return waiting_for_each_other(roster, all_progress);
}

std::vector<uint32_t> missing(const Roster& roster, const Call& call, const GroupProgress& all_progress) {
  std::vector<uint32_t> found;
  for (uint32_t other = 0; other < roster.size(); ++other) {
    if (other == roster.rank) continue;
    const bool wanted = !call.point_to_point() || needs(roster, call, other);
    const auto at = all_progress.find(other);
    if (wanted && (at == all_progress.end() || !came(call, at->second))) found.push_back(other);
  }
  return found;
}

std::string encode(const RankProgress& progress) { return encode(progress.calls) + "|" + encode(progress.passed); }

Result<RankProgress> decode_progress(std::string_view text) {
  const size_t bar = text.find('|');
  if (bar == std::string_view::npos)
    return Status(Code::data_loss, "`" + escaped(text) + "` is not the progress of a rank");
  Result<std::vector<Call>> calls = decode(text.substr(0, bar)), passed = decode(text.substr(bar + 1));
  if (!calls.ok()) return calls.status();
  if (!passed.ok()) return passed.status();
  return RankProgress{*calls, *passed};
}

}  // namespace muster::worker
