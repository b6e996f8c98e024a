// SPDX-License-Identifier: Apache-2.0
#include "core/worker/collective/membership.h"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "core/base/text.h"
#include "core/worker/collective/roster.h"

namespace muster::worker {
namespace {

Status wrong(const std::string& name, const std::string& what) {
  return Status(Code::invalid_argument, "`" + name + "` cannot be grown: " + what);
}

std::string text_of(uint32_t rank) { return "rank " + std::to_string(rank); }

// Checks that all ranks that pass a parent pass the same one, and that all its ranks do.
Status check_parent(const std::string& name, const Claim& first, const std::map<uint32_t, Claim>& claims) {
  for (const auto& [rank, claim] : claims) {
    if (!claim.prefix.empty() && claim.prefix != first.prefix) {
      return wrong(name, text_of(first.parent.at(0)) + " and " + text_of(rank) + " pass different parents, `" +
                             first.name + "` and `" + claim.name + "`");
    }
  }
  std::vector<uint32_t> outside, silent;
  for (const uint32_t member : first.parent) {
    const auto at = claims.find(member);
    if (at == claims.end())
      outside.push_back(member);
    else if (at->second.prefix.empty())
      silent.push_back(member);
  }
  if (!outside.empty())
    return wrong(
        name, ranks_text(outside) + " of `" + first.name + "` must be among the members: a communicator can only grow");
  if (!silent.empty())
    return wrong(name,
                 ranks_text(silent) + " of `" + first.name + "` passed no parent; only ranks that join may do that");
  return Status();
}

}  // namespace

std::string ranks_text(const std::vector<uint32_t>& ranks) {
  if (ranks.size() == 1) return text_of(ranks[0]);
  std::vector<uint32_t> all(ranks.size());
  std::iota(all.begin(), all.end(), 0);
  return Roster{"", "", ranks, 0}.names_of(all);
}

std::string encode(const Claim& claim) {
  std::vector<std::string> head = {
      std::to_string(claim.number),          std::to_string(static_cast<int>(claim.backend)),
      std::to_string(claim.timeout.count()), std::to_string(claim.wrong.size()),
      std::to_string(claim.prefix.size()),   std::to_string(claim.name.size()),
      std::to_string(claim.members.size()),  std::to_string(claim.parent.size())};
  for (const uint32_t member : claim.members) head.push_back(std::to_string(member));
  for (const uint32_t member : claim.parent) head.push_back(std::to_string(member));
  return join(head, " ") + "\n" + claim.wrong + claim.prefix + claim.name;
}

Result<Claim> decode_claim(std::string_view text) {
  constexpr size_t fixed = 8;
  const Status broken(
      Code::data_loss,
      "cannot parse another rank's data for a growing communicator; do all ranks run the same version of muster?");
  const size_t line = text.find('\n');
  if (line == std::string_view::npos) return broken;
  std::vector<uint64_t> numbers;
  for (const std::string& word : split(text.substr(0, line), ' ')) {
    const auto [at, error] = std::from_chars(word.data(), word.data() + word.size(), numbers.emplace_back());
    if (error != std::errc() || at != word.data() + word.size()) return broken;
  }
  if (numbers.size() < fixed || numbers[1] > static_cast<uint64_t>(Backend::nccl)) return broken;
  for (size_t i = 3; i < fixed; ++i) {
    if (numbers[i] > text.size()) return broken;
  }
  std::string_view rest = text.substr(line + 1);
  if (numbers.size() != fixed + numbers[6] + numbers[7] || rest.size() != numbers[3] + numbers[4] + numbers[5])
    return broken;
  Claim claim;
  claim.number = numbers[0];
  claim.backend = static_cast<Backend>(numbers[1]);
  claim.timeout = Duration(static_cast<Duration::rep>(numbers[2]));
  claim.wrong = rest.substr(0, numbers[3]);
  claim.prefix = rest.substr(numbers[3], numbers[4]);
  claim.name = rest.substr(numbers[3] + numbers[4]);
  const auto lists = numbers.begin() + fixed;
  const auto parent = lists + static_cast<std::ptrdiff_t>(numbers[6]);
  for (auto at = lists; at != parent; ++at) claim.members.push_back(static_cast<uint32_t>(*at));
  for (auto at = parent; at != numbers.end(); ++at) claim.parent.push_back(static_cast<uint32_t>(*at));
  return claim;
}

Status same_members(const std::string& name, uint32_t one, const Claim& its, uint32_t other, const Claim& others) {
  if (its.members == others.members) return Status();
  return wrong(name, "the ranks disagree about its members: " + text_of(one) + " says " + ranks_text(its.members) +
                         ", " + text_of(other) + " says " + ranks_text(others.members));
}

Result<Claim> judge(const std::string& name, const std::map<uint32_t, Claim>& claims) {
  const auto& [first_rank, first] = *claims.begin();
  const Claim* parent = nullptr;
  std::vector<uint32_t> all;
  for (const auto& [rank, claim] : claims) {
    all.push_back(rank);
    if (Status differ = same_members(name, first_rank, first, rank, claim); !differ.ok()) return differ;
    if (!claim.wrong.empty())
      return Status(Code::failed_precondition, "`" + name + "` cannot be grown: " + text_of(rank) + ": " + claim.wrong);
    if (parent == nullptr && !claim.prefix.empty()) parent = &claim;
  }
  if (parent == nullptr) return wrong(name, "none of " + ranks_text(all) + " passed a parent");
  if (Status bad = check_parent(name, *parent, claims); !bad.ok()) return bad;
  return *parent;
}

std::vector<uint32_t> grown(const Claim& parent) {
  std::vector<uint32_t> all = parent.parent;
  for (const uint32_t member : parent.members) {
    if (std::find(parent.parent.begin(), parent.parent.end(), member) == parent.parent.end()) all.push_back(member);
  }
  return all;
}

}  // namespace muster::worker
