// SPDX-License-Identifier: Apache-2.0
#include "core/worker/collective/assembly.h"

#include <cstdlib>
#include <map>

namespace muster::worker {

Assembly::Assembly(Meeting& meeting, const std::string& name, Claim mine, Duration timeout)
    : meeting_(meeting),
      name_(name),
      mine_(std::move(mine)),
      timeout_(timeout),
      first_(mine_.members.front()) {}

std::string Assembly::prefix(uint64_t number) const {
  return path() + "/" + std::to_string(first_) + "#" + std::to_string(number);
}

Result<Claim> Assembly::judge_all() {
  if (Status status = meeting_.set(key(first_), encode(mine_)); !status.ok()) return status;
  std::map<uint32_t, Claim> claims = {{first_, mine_}};
  Status failed;
  for (const uint32_t member : mine_.members) {
    if (member == first_) continue;
    Result<Claim> claim = read(member);
    if (claim.ok()) claims.emplace(member, std::move(*claim));
    // After a failure the other claims do not matter: the verdict ends the call on all ranks.
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

Result<Claim> Assembly::follow() {
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

Result<Claim> Assembly::read(uint32_t member) {
  const Result<std::string> text = meeting_.wait(key(member), timeout_);
  if (!text.ok()) return unmet(text.status());
  return decode_claim(*text);
}

// The error after a failed wait: the missing ranks, or why the attempt ended.
Status Assembly::unmet(const Status& why) {
  if (why.code() != Code::deadline_exceeded) {
    const std::string broken = meeting_.broken(Duration::zero());
    if (broken.empty()) return why.with_context("growing `" + name_ + "`");
    return Status(Code::aborted, "`" + name_ + "` cannot continue: " + broken);
  }
  std::vector<uint32_t> missing;
  for (const uint32_t member : mine_.members) {
    if (member != meeting_.rank() && !meeting_.get(key(member)).ok()) missing.push_back(member);
  }
  if (missing.empty()) return why.with_context("growing `" + name_ + "`");
  return Status(Code::deadline_exceeded,
                "growing `" + name_ + "` timed out: " + ranks_text(missing) + " did not call grow with this name");
}

}  // namespace muster::worker
