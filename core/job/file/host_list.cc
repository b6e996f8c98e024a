// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/host_list.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/base/text.h"

namespace muster {
namespace {

constexpr size_t kLongestName = 255;
constexpr size_t kLongestHostLabel = 63;
constexpr std::string_view kBlank = " \t\r";

bool belongs_in_name(char c) {
  const bool alphanumeric = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return alphanumeric || std::string_view("._-@+%:~").find(c) != std::string_view::npos;
}

// Why `name` is not the name of a host; empty if it is one. ssh would take a host or user that begins with a dash as an
// option (CVE-2017-1000117).
std::string fault_of_name(std::string_view name) {
  const size_t at = name.rfind('@');  // as ssh splits it
  const std::string_view host = at == std::string_view::npos ? name : name.substr(at + 1);
  if (name.empty() || host.empty() || at == 0) return "the name of a host is missing";
  if (name.front() == '-' || host.front() == '-')
    return "`" + escaped(name) + "` begins with a dash, so ssh would take it as an option";
  if (name.size() > kLongestName) return "the name of a host has at most 255 bytes";
  if (name.find('[') != std::string_view::npos)
    return "`" + escaped(name) + "`: brackets enclose an address; ranges such as a[01-04] are not expanded";
  if (!std::all_of(name.begin(), name.end(), belongs_in_name))
    return "`" + escaped(name) + "` is not the name of a host: use letters, digits and ._-@+%:~";
  return "";
}

std::optional<uint32_t> number_of(std::string_view text, uint32_t least, uint32_t most) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && number >= least && number <= most ? std::optional(number) : std::nullopt;
}

struct Parts {
  std::string name;
  std::optional<std::string_view> slots;
};

// Splits NAME:SLOTS or USER@[ADDRESS]:SLOTS. An IPv6 address without brackets has several colons, so it has no slots.
Parts parts_of(std::string_view word) {
  const size_t at = word.rfind('@');
  const std::string user(word.substr(0, at == std::string_view::npos ? 0 : at + 1));
  const std::string_view host = word.substr(user.size());
  const size_t close = host.starts_with('[') ? host.find(']') : std::string_view::npos;
  if (close != std::string_view::npos && close + 1 == host.size())
    return {user + std::string(host.substr(1, close - 1)), {}};
  if (close != std::string_view::npos && host[close + 1] == ':')
    return {user + std::string(host.substr(1, close - 1)), host.substr(close + 2)};
  const size_t colon = host.find(':');
  if (colon == std::string_view::npos || host.find(':', colon + 1) != std::string_view::npos)
    return {std::string(word), {}};
  return {user + std::string(host.substr(0, colon)), host.substr(colon + 1)};
}

}  // namespace

std::string fault_of_label(std::string_view label) {
  const bool plain = std::all_of(label.begin(), label.end(), [](char c) {
    const bool alphanumeric = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return alphanumeric || std::string_view("._-").find(c) != std::string_view::npos;
  });
  if (plain && !label.empty() && label.size() <= kLongestHostLabel) return "";
  return "`" + escaped(label) + "` is not a label: use letters, digits and ._-, at most " +
         std::to_string(kLongestHostLabel);
}

void HostListBuilder::problem(const char* code, const SourceRange& where, std::string message, std::string help) {
  has_problem_ = true;
  sink_.add({.code = code, .where = where, .message = std::move(message), .help = std::move(help)});
}

ListedHost* HostListBuilder::host(std::string_view word, const SourceRange& where) {
  const auto [name, slots] = parts_of(word);
  ListedHost read{name, std::nullopt, where};
  if (const std::string fault = fault_of_name(read.name); !fault.empty()) {
    problem("E1501", where, fault);
    return nullptr;
  }
  if (slots && !take_slots(read, *slots)) return nullptr;
  return keep(std::move(read));
}

bool HostListBuilder::take_slots(ListedHost& host, std::string_view text) {
  host.slots = number_of(text, 1, kMostSlots);
  if (host.slots) return true;
  problem(
      "E1502", host.where,
      "`" + escaped(text) + "` is not a number of slots for " + host.name + ": use 1 to " + std::to_string(kMostSlots));
  return false;
}

HostList HostListBuilder::take(const SourceRange& whole) {
  if (hosts_.empty() && !has_problem_) problem("E1504", whole, "the list contains no host");
  if (hosts_.size() > kMostHosts) {
    problem("E1505", whole,
            "the list has " + humane_count(hosts_.size()) + " hosts; a job has at most " + humane_count(kMostHosts));
  }
  return {std::move(hosts_), sink_.take()};
}

ListedHost* HostListBuilder::keep(ListedHost host) {
  const auto [first, is_new] = places_.insert({host.name, host.where});
  if (!is_new) {
    const uint32_t line = first->second.line;
    problem("E1503", host.where, "the host " + host.name + " is listed twice",
            line > 0 ? "first on line " + std::to_string(line) : "remove one of the two");
    return nullptr;
  }
  hosts_.push_back(std::move(host));
  return &hosts_.back();
}

namespace {

struct Word {
  std::string_view text;
  uint32_t column = 1;
};

std::vector<Word> words_of(std::string_view line) {
  line = line.substr(0, line.find('#'));
  std::vector<Word> words;
  for (size_t at = line.find_first_not_of(kBlank); at != std::string_view::npos;) {
    const size_t end = std::min(line.find_first_of(kBlank, at), line.size());
    words.push_back({line.substr(at, end - at), static_cast<uint32_t>(at + 1)});
    at = line.find_first_not_of(kBlank, end);
  }
  return words;
}

void read_slots(HostListBuilder& reader, ListedHost& host, std::optional<std::string_view> value,
                const SourceRange& where) {
  if (!value || host.slots)
    return reader.problem("E1502", where, "the slots of " + host.name + " must be written once, as NAME:4 or slots=4");
  const SourceRange before = std::exchange(host.where, where);
  reader.take_slots(host, *value);
  host.where = before;
}

void read_label(HostListBuilder& reader, ListedHost& host, std::optional<std::string_view> value,
                const SourceRange& where) {
  const std::string fault = value && host.label.empty()
                                ? fault_of_label(*value)
                                : "the label of " + host.name + " must be written once, as label=rack1";
  if (!fault.empty()) return reader.problem("E1507", where, fault);
  host.label = *value;
}

void read_weight(HostListBuilder& reader, ListedHost& host, std::optional<std::string_view> value,
                 const SourceRange& where) {
  const auto weight = value && !host.weight ? number_of(*value, 0, kMostWeight) : std::nullopt;
  if (!weight)
    return reader.problem(
        "E1508", where,
        "the weight of " + host.name + " must be written once, as weight=2, from 0 to " + std::to_string(kMostWeight));
  host.weight = weight;
}

// A word after the name of the host, such as slots=4.
void read_setting(HostListBuilder& reader, ListedHost& host, const Word& word, const SourceRange& where) {
  const size_t equals = word.text.find('=');
  const std::string_view key = word.text.substr(0, equals);
  const auto value = equals == std::string_view::npos ? std::nullopt : std::optional(word.text.substr(equals + 1));
  if (key == "slots") return read_slots(reader, host, value, where);
  if (key == "label") return read_label(reader, host, value, where);
  if (key == "weight") return read_weight(reader, host, value, where);
  const bool limit = key == "max_slots" || key == "max-slots";
  reader.problem("E1506", where, "a host has no setting `" + escaped(key) + "`",
                 limit ? "slots=N is already the largest number of ranks that a host takes"
                       : "a host can have slots=N, label=WORD and weight=N; a comment begins with #");
}

}  // namespace

std::string host_word(const std::string& name, uint32_t slots) {
  const size_t at = name.rfind('@');
  const std::string user = name.substr(0, at == std::string::npos ? 0 : at + 1);
  const std::string host = name.substr(user.size());
  const bool bracketed = host.find(':') != std::string::npos;
  return user + (bracketed ? "[" + host + "]" : host) + (slots > 0 ? ":" + std::to_string(slots) : "");
}

HostList parse_host_words(std::string_view words, const std::string& flag) {
  HostListBuilder reader;
  const SourceRange where{flag, 0, 0, 1};
  for (const std::string& word : split(words, ',')) reader.host(word, where);
  return reader.take(where);
}

HostList parse_host_file(std::string_view text, const std::string& file) {
  HostListBuilder reader;
  uint32_t number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++number;
    const std::vector<Word> words = words_of(line);
    if (words.empty()) continue;
    const auto place = [&](const Word& word) {
      return SourceRange{file, number, word.column, static_cast<uint32_t>(word.text.size())};
    };
    ListedHost* host = reader.host(words.front().text, place(words.front()));
    for (size_t i = 1; host != nullptr && i < words.size(); ++i) read_setting(reader, *host, words[i], place(words[i]));
  }
  return reader.take({file, 1, 1, 1});
}

}  // namespace muster
