// SPDX-License-Identifier: Apache-2.0
#include "core/machine/watchdog/collectives.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "core/base/text.h"

namespace muster::watchdog {
namespace {

constexpr size_t kNamedRanks = 4;

struct Member {
  std::string rank;
  CollectiveProgress progress;
};

using Members = std::vector<Member>;

std::string called(const CollectiveProgress& at) {
  return at.name + " #" + std::to_string(at.sequence) + (at.group.empty() ? "" : " of " + at.group);
}

template <typename Wanted>
std::string names(const Members& members, Wanted wanted) {
  std::vector<std::string> found;
  for (const Member& member : members) {
    if (wanted(member.progress)) found.push_back(member.rank);
  }
  return short_list(found, kNamedRanks);
}

bool several(const std::string& listed) { return listed.find(", ") != std::string::npos; }

// The first collective in which a rank waits.
const CollectiveProgress* earliest(const Members& members) {
  const CollectiveProgress* found = nullptr;
  for (const Member& member : members) {
    const CollectiveProgress& at = member.progress;
    if (at.waits && (found == nullptr || at.sequence < found->sequence)) found = &at;
  }
  return found;
}

std::string differing(const Members& members, const CollectiveProgress& first) {
  const auto same = [&](const CollectiveProgress& at) { return at.waits && at.sequence == first.sequence; };
  std::map<std::string, Members> kinds;
  for (const Member& member : members) {
    const CollectiveProgress& at = member.progress;
    if (!same(at)) continue;
    const bool shape_counts = at.name == "all_reduce" && !at.shape.empty();
    kinds[at.name + (shape_counts ? " of " + at.shape : "")].push_back(member);
  }
  if (kinds.size() < 2) return "";
  std::vector<std::string> parts;
  for (const auto& [kind, those] : kinds) {
    const std::string ranks = names(those, same);
    parts.push_back(ranks + (several(ranks) ? " are in " : " is in ") + kind);
  }
  return "collective #" + std::to_string(first.sequence) + (first.group.empty() ? "" : " of " + first.group) +
         " differs: " + join(parts, ", ");
}

std::string sentence_of(const Members& members) {
  const CollectiveProgress* first = earliest(members);
  if (first == nullptr) return "";
  const std::string missing = names(members, [&](const auto& at) { return at.sequence < first->sequence; });
  const std::string inside = names(members, [&](const auto& at) { return at.waits && at.sequence == first->sequence; });
  const std::string wait = inside + (several(inside) ? " wait in it" : " waits in it");
  if (!missing.empty())
    return missing + (several(missing) ? " have" : " has") + " not entered " + called(*first) + "; " + wait;
  const std::string different = differing(members, *first);
  if (!different.empty()) return different;
  const std::string past = names(members, [&](const auto& at) { return at.sequence > first->sequence || !at.waits; });
  if (past.empty()) return inside + (several(inside) ? " are all in " : " is in ") + called(*first);
  return inside + (several(inside) ? " wait in " : " waits in ") + called(*first) + "; " + past +
         (several(past) ? " are" : " is") + " past it";
}

std::map<std::string, Members> by_group(const std::map<uint32_t, RankSeen>& ranks) {
  std::map<std::string, Members> groups;
  for (const auto& [index, rank] : ranks) {
    if (!rank.standing) continue;
    for (const CollectiveProgress& at : rank.standing->collectives) groups[at.group].push_back({rank.name, at});
  }
  return groups;
}

// The function of torch.distributed that the main thread has called: "all_reduce". Empty: it has called none. The main thread is the
// first of the stack. Nothing: its Python functions are not known.
std::optional<std::string> torch_call(const RankLocation& location) {
  constexpr std::string_view kThread = "  Python thread";
  constexpr std::string_view kFile = " (distributed_c10d.py:";
  const std::vector<std::string> lines = split(location.stack, '\n');
  auto line = std::find_if(lines.begin(), lines.end(), [&](const auto& text) { return text.starts_with(kThread); });
  if (line == lines.end()) return std::nullopt;
  std::string found;
  bool known = false;
  for (++line; line != lines.end() && line->starts_with("    "); ++line) {
    known = true;
    // Innermost first: the last one is what the program has called.
    const size_t file = line->find(kFile);
    if (file != std::string::npos) found = line->substr(4, file - 4);
  }
  return known ? std::optional(found) : std::nullopt;
}

}  // namespace

std::string torch_calls_sentence(const std::map<uint32_t, RankSeen>& ranks) {
  std::vector<std::string> outside;
  std::map<std::string, std::vector<std::string>> inside;
  for (const auto& [index, rank] : ranks) {
    const std::optional<std::string> call = rank.standing ? torch_call(*rank.standing) : std::nullopt;
    if (!call) return "";
    (call->empty() ? outside : inside[*call]).push_back(rank.name);
  }
  if (inside.empty()) return "";
  std::vector<std::string> parts;
  if (!outside.empty())
    parts.push_back(short_list(outside, kNamedRanks) + (outside.size() > 1 ? " are" : " is") + " in no collective");
  for (const auto& [call, names] : inside)
    parts.push_back(short_list(names, kNamedRanks) + (names.size() > 1 ? " wait in " : " waits in ") + call);
  return join(parts, "; ");
}

std::string collectives_sentence(const std::map<uint32_t, RankSeen>& ranks) {
  std::vector<std::string> sentences;
  for (const auto& [group, members] : by_group(ranks)) {
    const std::string sentence = sentence_of(members);
    if (!sentence.empty()) sentences.push_back(sentence);
  }
  // Sentences that name ranks that block others come first.
  std::stable_partition(sentences.begin(), sentences.end(),
                        [](const std::string& text) { return text.find(" not entered ") != std::string::npos; });
  if (sentences.size() > 2) sentences.resize(2);
  return join(sentences, "; ");
}

}  // namespace muster::watchdog
