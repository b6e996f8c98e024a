// SPDX-License-Identifier: Apache-2.0
#include "launcher/mpirun/mpirun_hosts.h"

#include <algorithm>
#include <charconv>

#include "core/base/text.h"
#include "core/job/file/host_list.h"

namespace muster {
namespace {

MpirunHost* find_host(std::vector<MpirunHost>& hosts, const std::string& name) {
  const auto found = std::find_if(hosts.begin(), hosts.end(), [&](const MpirunHost& h) { return h.name == name; });
  return found == hosts.end() ? nullptr : &*found;
}

// NAME or NAME:SLOTS, checked.
std::optional<Diagnostic> read_host(std::string_view word, const SourceRange& where, MpirunHost& host) {
  HostListBuilder reader;
  const ListedHost* read = reader.host(word, where);
  if (read != nullptr) host = {read->name, read->slots};
  HostList list = reader.take(where);
  return list.problems.empty() ? std::nullopt : std::optional(list.problems.front());
}

struct Word {
  std::string text;
  uint32_t column = 1;
};

std::vector<Word> words_of(std::string_view line) {
  constexpr std::string_view blank = " \t\r,";
  line = line.substr(0, line.find('#'));
  std::vector<Word> words;
  for (size_t at = line.find_first_not_of(blank); at != std::string_view::npos;) {
    const size_t end = std::min(line.find_first_of(blank, at), line.size());
    words.push_back({std::string(line.substr(at, end - at)), static_cast<uint32_t>(at + 1)});
    at = line.find_first_not_of(blank, end);
  }
  return words;
}

Diagnostic problem_at(const char* code, const SourceRange& where, std::string message, std::string help) {
  Diagnostic problem;
  problem.code = code;
  problem.where = where;
  problem.message = std::move(message);
  problem.help = std::move(help);
  return problem;
}

// "slots=4", "max_slots=8". The largest number of ranks on a host is its slots, as without --oversubscribe.
std::optional<Diagnostic> read_setting(const std::string& word, const SourceRange& where, MpirunHost& host) {
  const size_t equals = word.find('=');
  const std::string key = word.substr(0, equals);
  const bool limit = key == "max_slots" || key == "max-slots";
  if (!limit && key != "slots" && key != "cpu" && key != "count")
    return problem_at("E1506", where, "a host has no setting `" + escaped(key) + "`",
                      "a host can have slots=N and max_slots=N; a comment begins with #");
  const std::string text = equals == std::string::npos ? "" : word.substr(equals + 1);
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number == 0 || number > kMostSlots)
    return problem_at("E1502", where,
                      "`" + escaped(text) + "` is not a number of slots for " + host.name + ": use 1 to " +
                          std::to_string(kMostSlots),
                      "");
  if (!limit) host.slots = number;
  return std::nullopt;
}

}  // namespace

std::optional<Diagnostic> add_host_words(const std::vector<std::string>& words, std::vector<MpirunHost>& hosts) {
  for (const std::string& word : words) {
    MpirunHost host;
    if (auto problem = read_host(word, {"-H", 0, 0, 1}, host)) return problem;
    host.slots = host.slots.value_or(1);
    if (MpirunHost* known = find_host(hosts, host.name)) {
      known->slots = known->slots.value_or(0) + *host.slots;
    } else {
      hosts.push_back(std::move(host));
    }
  }
  return std::nullopt;
}

std::optional<Diagnostic> add_host_file(const std::string& text, const std::string& file,
                                        std::vector<MpirunHost>& hosts) {
  std::vector<std::pair<std::string, uint32_t>> bare;  // hosts without slots, and how many lines name them
  uint32_t number = 0;
  const size_t before = hosts.size();
  for (const std::string& line : split(text, '\n')) {
    ++number;
    const std::vector<Word> words = words_of(line);
    if (words.empty()) continue;
    const auto place = [&](const Word& word) {
      return SourceRange{file, number, word.column, static_cast<uint32_t>(word.text.size())};
    };
    MpirunHost host;
    if (auto problem = read_host(words.front().text, place(words.front()), host)) return problem;
    for (size_t i = 1; i < words.size(); ++i) {
      if (auto problem = read_setting(words[i].text, place(words[i]), host)) return problem;
    }
    MpirunHost* known = find_host(hosts, host.name);
    if (known == nullptr) {
      hosts.push_back(host);
      bare.emplace_back(host.name, 1);
      continue;
    }
    const auto counted =
        std::find_if(bare.begin(), bare.end(), [&](const auto& each) { return each.first == host.name; });
    if (host.slots || counted == bare.end() || (known->slots && counted->second == 1))
      return problem_at("E1503", place(words.front()), "the slots of " + host.name + " are given twice",
                        "list a host once with slots=N, or on N lines without slots");
    known->slots = ++counted->second;
  }
  if (hosts.size() == before)
    return problem_at("E1504", {file, 1, 1, 1}, "the list contains no host", "write a line: NAME slots=4");
  if (hosts.size() > kMostHosts)
    return problem_at(
        "E1505", {file, 1, 1, 1},
        "the list has " + humane_count(hosts.size()) + " hosts; a job has at most " + humane_count(kMostHosts), "");
  return std::nullopt;
}

bool merge_own_names(std::vector<MpirunHost>& hosts, const std::vector<std::string>& own_names) {
  const auto is_own = [&](const MpirunHost& host) {
    return std::find(own_names.begin(), own_names.end(), host.name) != own_names.end();
  };
  if (hosts.empty() || !std::all_of(hosts.begin(), hosts.end(), is_own)) return false;
  MpirunHost merged{hosts.front().name, std::nullopt};
  for (const MpirunHost& host : hosts) {
    if (host.slots) merged.slots = merged.slots.value_or(0) + *host.slots;
  }
  hosts = {merged};
  return true;
}

}  // namespace muster
