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
  CollectiveProgress stand;
};

using Members = std::vector<Member>;

std::string called(const CollectiveProgress& stand) {
  return stand.name + " #" + std::to_string(stand.sequence) + (stand.group.empty() ? "" : " of " + stand.group);
}

template <typename Wanted>
std::string names(const Members& members, Wanted wanted) {
  std::vector<std::string> found;
  for (const Member& member : members) {
    if (wanted(member.stand)) found.push_back(member.rank);
  }
  return short_list(found, kNamedRanks);
}

bool several(const std::string& listed) { return listed.find(", ") != std::string::npos; }

// The first collective in which anybody waits.
const CollectiveProgress* earliest(const Members& members) {
  const CollectiveProgress* found = nullptr;
  for (const Member& member : members) {
    if (member.stand.waits && (found == nullptr || member.stand.sequence < found->sequence)) found = &member.stand;
  }
  return found;
}

std::string differing(const Members& members, const CollectiveProgress& first) {
  const auto same = [&](const CollectiveProgress& stand) { return stand.waits && stand.sequence == first.sequence; };
  std::map<std::string, Members> kinds;
  for (const Member& member : members) {
    if (!same(member.stand)) continue;
    const bool shape_counts = member.stand.name == "all_reduce" && !member.stand.shape.empty();
    kinds[member.stand.name + (shape_counts ? " of " + member.stand.shape : "")].push_back(member);
  }
  if (kinds.size() < 2) return "";
  std::vector<std::string> parts;
  for (const auto& [kind, those] : kinds) {
    const std::string who = names(those, same);
    parts.push_back(who + (several(who) ? " are in " : " is in ") + kind);
  }
  return "collective #" + std::to_string(first.sequence) + (first.group.empty() ? "" : " of " + first.group) +
         " differs: " + join(parts, ", ");
}

std::string sentence_of(const Members& members) {
  const CollectiveProgress* first = earliest(members);
  if (first == nullptr) return "";
  const std::string missing = names(members, [&](const auto& stand) { return stand.sequence < first->sequence; });
  const std::string inside =
      names(members, [&](const auto& stand) { return stand.waits && stand.sequence == first->sequence; });
  const std::string wait = inside + (several(inside) ? " wait in it" : " waits in it");
  if (!missing.empty())
    return missing + (several(missing) ? " have" : " has") + " not entered " + called(*first) + "; " + wait;
  const std::string different = differing(members, *first);
  if (!different.empty()) return different;
  const std::string past =
      names(members, [&](const auto& stand) { return stand.sequence > first->sequence || !stand.waits; });
  if (past.empty()) return inside + (several(inside) ? " are all in " : " is in ") + called(*first);
  return inside + (several(inside) ? " wait in " : " waits in ") + called(*first) + "; " + past +
         (several(past) ? " are" : " is") + " past it";
}

std::map<std::string, Members> by_group(const std::map<uint32_t, RankSeen>& ranks) {
  std::map<std::string, Members> groups;
  for (const auto& [index, rank] : ranks) {
    if (!rank.standing) continue;
    for (const CollectiveProgress& stand : rank.standing->collectives)
      groups[stand.group].push_back({rank.name, stand});
  }
  return groups;
}

}  // namespace

std::string collectives_sentence(const std::map<uint32_t, RankSeen>& ranks) {
  std::vector<std::string> sentences;
  for (const auto& [group, members] : by_group(ranks)) {
    const std::string sentence = sentence_of(members);
    if (!sentence.empty()) sentences.push_back(sentence);
  }
  // Those that keep others waiting say most.
  std::stable_partition(sentences.begin(), sentences.end(),
                        [](const std::string& text) { return text.find(" not entered ") != std::string::npos; });
  if (sentences.size() > 2) sentences.resize(2);
  return join(sentences, "; ");
}

}  // namespace muster::watchdog
