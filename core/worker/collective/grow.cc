// Communicator::grow(): ranks of a communicator and ranks that join it meet in the store.
//
// Each rank reads the claim of the first of its members, writes its own, and waits for the verdict; the first reads all
// claims and writes it. Where lists of members differ, each rank meets one that differs from its own: that of its first
// member, that of a rank it judges, or the verdict. Keys of claims are taken away once all have read them, so that a
// name can be grown again; where ranks disagreed they stay, since nobody knows who will still read them. Verdicts are
// numbered by who writes them.
#include <algorithm>
#include <cstdlib>
#include <set>

#include "core/worker/collective/communicator.h"
#include "core/worker/collective/membership.h"

namespace muster::worker {
namespace {

class Assembly {
 public:
  Assembly(Meeting& meeting, const std::string& name, Claim mine, Duration timeout)
      : meeting_(meeting),
        name_(name),
        mine_(std::move(mine)),
        timeout_(timeout),
        first_(mine_.members.front()) {}

  // The parent's claim, the same on every member; its number is that of the growth.
  Result<Claim> meet() { return meeting_.rank() == first_ ? judge_all() : follow(); }
  std::string prefix(uint64_t number) const {
    return path() + "/" + std::to_string(first_) + "#" + std::to_string(number);
  }

 private:
  std::string path() const { return "communicator/" + name_ + "/grow"; }
  std::string key(uint32_t rank) const { return path() + "/claim/" + std::to_string(rank); }
  std::string verdict(uint64_t number) const { return prefix(number) + "/verdict"; }

  Result<Claim> judge_all() {
    if (Status status = meeting_.set(key(first_), encode(mine_)); !status.ok()) return status;
    std::map<uint32_t, Claim> claims = {{first_, mine_}};
    Status failed;
    for (const uint32_t member : mine_.members) {
      if (member == first_) continue;
      Result<Claim> claim = read(member);
      if (claim.ok()) claims.emplace(member, std::move(*claim));
      // The rest need not be waited for: what this rank says now is the end for all.
      failed = claim.ok() ? same_members(name_, first_, mine_, member, claims.at(member)) : claim.status();
      if (!failed.ok()) break;
    }
    Result<Claim> result = failed.ok() ? judge(name_, claims) : Result<Claim>(failed);
    if (result.ok()) result->number = mine_.number;
    if (result.ok()) meeting_.remove(key(first_));
    const std::string text = result.ok() ? encode(*result) : result.status().message();
    const int code = result.ok() ? 0 : static_cast<int>(result.status().code());
    const Status told = meeting_.set(verdict(mine_.number), std::to_string(code) + " " + text);
    return told.ok() || !result.ok() ? result : Result<Claim>(told);
  }

  Result<Claim> follow() {
    const Result<Claim> first = read(first_);
    if (Status status = meeting_.set(key(meeting_.rank()), encode(mine_)); !status.ok()) return status;
    if (!first.ok()) return first.status();
    if (Status differ = same_members(name_, first_, *first, meeting_.rank(), mine_); !differ.ok()) return differ;
    const Result<std::string> said = meeting_.wait(verdict(first->number), timeout_);
    if (!said.ok()) return unmet(said.status());
    const size_t space = said->find(' ');
    const auto code = static_cast<Code>(std::atoi(said->c_str()));
    if (code != Code::ok) return Status(code, said->substr(space + 1));
    meeting_.remove(key(meeting_.rank()));
    return decode_claim(std::string_view(*said).substr(space + 1));
  }

  Result<Claim> read(uint32_t member) {
    const Result<std::string> text = meeting_.wait(key(member), timeout_);
    if (!text.ok()) return unmet(text.status());
    return decode_claim(*text);
  }

  // Who has not come; or why the attempt ended, as for any opening.
  Status unmet(const Status& why) {
    if (why.code() != Code::deadline_exceeded) {
      const std::string broken = meeting_.broken(Duration::zero());
      if (broken.empty()) return why.with_context("growing `" + name_ + "`");
      return Status(Code::aborted, "`" + name_ + "` cannot go on: " + broken);
    }
    std::vector<uint32_t> missing;
    for (const uint32_t member : mine_.members) {
      if (member != meeting_.rank() && !meeting_.get(key(member)).ok()) missing.push_back(member);
    }
    if (missing.empty()) return why.with_context("growing `" + name_ + "`");
    return Status(Code::deadline_exceeded, "`" + name_ + "` was not grown in time: " + ranks_text(missing) +
                                               " did not call grow with this name");
  }

  Meeting& meeting_;
  const std::string& name_;
  const Claim mine_;
  const Duration timeout_;
  const uint32_t first_;
};

Status check_members(const RankSeat& seat, const std::vector<uint32_t>& members, const std::string& name) {
  const std::set<uint32_t> all(members.begin(), members.end());
  const bool sorted = std::equal(members.begin(), members.end(), all.begin(), all.end());
  if (sorted && !all.empty() && *all.rbegin() < seat.world_size() && all.count(seat.rank()) > 0) return Status();
  return Status(Code::invalid_argument, "growing `" + name + "`: the members are to be ranks of the world, sorted, " +
                                            "each once, below " + std::to_string(seat.world_size()) +
                                            ", with this one (" + std::to_string(seat.rank()) + ") among them");
}

}  // namespace

Communicator::Opened Communicator::grow(Meeting& meeting, Communicator* parent, const std::vector<uint32_t>& members,
                                        const std::string& name) {
  if (Status named = check_name(name); !named.ok()) return named;
  if (Status bad = check_members(meeting, members, name); !bad.ok()) return bad;
  const Result<uint64_t> number = opening_number(meeting, name, "grown");
  if (!number.ok()) return number.status().with_context("growing `" + name + "`");
  CommunicatorOptions options = parent != nullptr ? parent->options_ : CommunicatorOptions{};
  Claim mine{.number = *number, .members = members};
  if (parent != nullptr) {
    // NCCL grows nothing that is at work.
    mine.wrong = parent->synchronize().message();
    mine.prefix = parent->roster_.prefix;
    mine.name = parent->roster_.name;
    mine.parent = parent->roster_.members;
    mine.backend = parent->backend();
    mine.timeout = options.timeout;
  }
  Assembly assembly(meeting, name, std::move(mine), options.timeout);
  const Result<Claim> growth = assembly.meet();
  if (!growth.ok()) return growth.status();
  Roster roster{name, assembly.prefix(growth->number), grown(*growth), 0};
  while (roster.members[roster.rank] != meeting.rank()) ++roster.rank;
  options.name = name;
  options.backend = growth->backend;
  options.timeout = growth->timeout;
  Origin origin;
  origin.parent = parent;
  origin.grown_from = static_cast<uint32_t>(growth->parent.size());
  return connected(meeting, std::move(roster), options, origin);
}

}  // namespace muster::worker
