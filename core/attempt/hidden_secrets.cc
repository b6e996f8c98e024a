// SPDX-License-Identifier: Apache-2.0
#include "core/attempt/hidden_secrets.h"

namespace muster {
namespace {

// A shorter value would occur in many texts by chance.
constexpr size_t kShortest = 4;

}  // namespace

std::string without_secrets(std::string text, const std::map<std::string, std::string>& secrets) {
  for (const auto& [name, value] : secrets) {
    if (value.size() < kShortest) continue;
    const std::string shown = "[" + name + "]";
    for (size_t at = text.find(value); at != std::string::npos; at = text.find(value, at + shown.size()))
      text.replace(at, value.size(), shown);
  }
  return text;
}

Report without_secrets(Report report, const std::map<std::string, std::string>& secrets) {
  for (RankReport& rank : report.ranks) {
    rank.exit.detail = without_secrets(std::move(rank.exit.detail), secrets);
    rank.exit.trace = without_secrets(std::move(rank.exit.trace), secrets);
  }
  report.trouble = without_secrets(std::move(report.trouble), secrets);  // it may name the command line of a process
  return report;
}

}  // namespace muster
