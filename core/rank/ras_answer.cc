// SPDX-License-Identifier: Apache-2.0
#include "core/rank/ras_answer.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "core/base/text.h"

namespace muster {
namespace {

using Json = nlohmann::json;

constexpr size_t kMostSentences = 4;
constexpr size_t kNamed = 4;
constexpr size_t kMostLine = 200;
constexpr size_t kMostLines = 4;
constexpr size_t kMostKinds = 32;       // of collectives; NCCL has about ten
constexpr size_t kMostRanks = 1 << 14;  // of a communicator, looked at for each kind

const Json& field_of(const Json& object, const char* key) {
  static const Json none;
  if (!object.is_object()) return none;
  const auto found = object.find(key);
  return found == object.end() ? none : *found;
}

const Json& list(const Json& object, const char* key) {
  static const Json none = Json::array();
  const Json& found = field_of(object, key);
  return found.is_array() ? found : none;
}

std::optional<int64_t> number(const Json& object, const char* key) {
  const Json& found = field_of(object, key);
  return found.is_number_integer() ? std::optional(found.get<int64_t>()) : std::nullopt;
}

std::string digits(const Json& object, const char* key) {
  const std::optional<int64_t> found = number(object, key);
  return found ? std::to_string(*found) : "?";
}

// "rank 3 of 4 (process 4711 on 10.0.0.2)": the rank in its communicator, and the size of the communicator.
std::string named(const Json& rank, const Json& communicator) {
  const Json& host = field_of(rank, "host");
  const std::string where = host.is_string() ? " on " + escaped(host.get<std::string>().substr(0, kMostLine)) : "";
  return "rank " + digits(rank, "rank") + " of " + digits(communicator, "size") + " (process " + digits(rank, "pid") +
         where + ")";
}

void tell_unreached(const Json& communicator, std::vector<std::string>& sentences) {
  std::vector<std::string> lost;
  for (const Json& rank : list(communicator, "missing_ranks")) {
    const Json& dead = field_of(field_of(rank, "status"), "considered_dead");
    const bool is_dead = dead.is_boolean() && dead.get<bool>();
    lost.push_back(named(rank, communicator) + (is_dead ? ", which it considers dead" : ""));
  }
  if (!lost.empty()) sentences.push_back("NCCL does not reach " + short_list(lost, kNamed));
}

// For each kind of collective, the largest number that any rank has launched.
std::map<std::string, int64_t> most_launched(std::span<const Json> ranks) {
  std::map<std::string, int64_t> most;
  for (const Json& rank : ranks) {
    const Json& counts = field_of(rank, "collective_counts");
    if (!counts.is_object()) continue;
    for (const auto& [name, count] : counts.items()) {
      if (!count.is_number_integer() || (most.size() == kMostKinds && !most.contains(name))) continue;
      most[name] = std::max(most[name], count.get<int64_t>());
    }
  }
  return most;
}

// Usually ranks differ in one kind only, that of the collective in which they wait.
void tell_behind(const Json& communicator, std::vector<std::string>& sentences) {
  const auto& all = list(communicator, "ranks").get_ref<const Json::array_t&>();
  const auto ranks = std::span<const Json>(all).first(std::min(all.size(), kMostRanks));
  for (const auto& [name, highest] : most_launched(ranks)) {
    std::vector<std::string> behind;
    for (const Json& rank : ranks) {
      const std::optional<int64_t> count = number(field_of(rank, "collective_counts"), name.c_str());
      if (count && *count < highest)
        behind.push_back(named(rank, communicator) + " " +
                         humane_count(static_cast<uint64_t>(std::max<int64_t>(*count, 0))));
    }
    if (behind.empty()) continue;
    const std::string kind = escaped(name.substr(0, kMostLine));
    sentences.push_back("NCCL counts: other ranks have launched " + humane_count(static_cast<uint64_t>(highest)) + " " +
                        kind + ", but " + short_list(behind, kNamed));
  }
}

void tell_errors(const Json& communicator, std::vector<std::string>& sentences) {
  for (const Json& rank : list(communicator, "ranks")) {
    const std::optional<int64_t> error = number(field_of(rank, "status"), "async_error");
    if (error && *error != 0)
      sentences.push_back("NCCL reports error " + std::to_string(*error) + " for " + named(rank, communicator));
  }
}

std::string trimmed(const std::string& line) {
  const size_t begin = line.find_first_not_of(" \t\r");
  const size_t end = line.find_last_not_of(" \t\r");
  return begin == std::string::npos ? "" : escaped(line.substr(begin, std::min(end + 1 - begin, kMostLine)));
}

}  // namespace

RasAnswer read_ras_json(std::string_view json) {
  RasAnswer answer;
  const Json document = Json::parse(json, nullptr, false);
  for (const Json& communicator : list(document, "communicators")) {
    for (const char* ranks : {"ranks", "missing_ranks"}) {
      for (const Json& rank : list(communicator, ranks)) {
        if (const auto pid = number(rank, "pid")) answer.processes.insert(*pid);
      }
    }
    if (answer.sentences.size() >= kMostSentences) continue;
    tell_unreached(communicator, answer.sentences);
    tell_behind(communicator, answer.sentences);
    tell_errors(communicator, answer.sentences);
  }
  if (answer.sentences.size() > kMostSentences) answer.sentences.resize(kMostSentences);
  return answer;
}

// Each paragraph of a section is one problem: a word in capitals, then lines about it.
RasAnswer read_ras_text(std::string_view text) {
  RasAnswer answer;
  bool telling = false;
  size_t lines = 0;
  for (const std::string& raw : split(text, '\n')) {
    const std::string line = trimmed(raw);
    if (line == "Errors" || line == "Warnings")
      telling = true;
    else if (line.starts_with("="))
      lines = 0;
    else if (line.empty())
      lines = 0;
    else if (telling && lines++ == 0)
      answer.sentences.push_back("NCCL: " + line);
    else if (telling && lines <= kMostLines)
      answer.sentences.back() += (lines == 2 ? ": " : ", ") + line;
  }
  if (answer.sentences.size() > kMostSentences) answer.sentences.resize(kMostSentences);
  return answer;
}

}  // namespace muster
