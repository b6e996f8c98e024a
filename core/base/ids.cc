// SPDX-License-Identifier: Apache-2.0
#include "core/base/ids.h"

#include <algorithm>

namespace muster {
namespace {

constexpr std::string_view kAlphabet = "abcdefghijklmnopqrstuvwxyz234567";
constexpr size_t kIdLength = 26;

}  // namespace

JobId JobId::make(Random& random) {
  std::string text;
  for (size_t i = 0; i < kIdLength; ++i) text += kAlphabet[random.below(kAlphabet.size())];
  return JobId(std::move(text));
}

Result<JobId> JobId::parse(std::string_view text) {
  const bool known =
      std::all_of(text.begin(), text.end(), [](char c) { return kAlphabet.find(c) != std::string_view::npos; });
  if (text.size() != kIdLength || !known) {
    return Status(Code::invalid_argument, "a job id is 26 characters of a-z and 2-7");
  }
  return JobId(std::string(text));
}

}  // namespace muster
