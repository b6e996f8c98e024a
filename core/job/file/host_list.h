// Which hosts a job may use, as people write them: words of --hosts, or a file with a host a line, as MPI's machine files have
// it. A host is whatever the user's ssh makes of the name: an alias of ssh_config as well. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/job/diagnostic.h"
#include "core/job/document/diagnostic_sink.h"

namespace muster {

struct ListedHost {
  std::string name;               // what ssh is given: "a1", "user@a1", "fe80::1"; never begins with a dash
  std::optional<uint32_t> slots;  // ranks it takes; nothing: what it has
  SourceRange where;
  std::string label;
  std::optional<uint32_t> weight;
};

struct HostList {
  std::vector<ListedHost> hosts;  // in the order written; usable where there are no problems
  std::vector<Diagnostic> problems;
};

constexpr size_t kMostHosts = 4096;
constexpr uint32_t kMostSlots = 65536;
constexpr uint32_t kMostWeight = 1000;

// Why that is no label; empty: it is one.
std::string fault_of_label(std::string_view label);

// Puts a list together, and what is wrong with it.
class HostListBuilder {
 public:
  void problem(const char* code, const SourceRange& where, std::string message, std::string help = "");

  // NAME, NAME:SLOTS, [ADDRESS]:SLOTS. Null: that is no host, or one that is in the list.
  ListedHost* host(std::string_view word, const SourceRange& where);

  bool take_slots(ListedHost& host, std::string_view text);

  // `whole`: where a problem of the list as a whole is shown.
  HostList take(const SourceRange& whole);

 private:
  ListedHost* keep(ListedHost host);

  std::vector<ListedHost> hosts_;
  std::map<std::string, SourceRange> places_;
  bool spoiled_ = false;
  DiagnosticSink sink_;
};

// What reads back as this host: "a1", "a1:4", "mia@[fe80::1]:4". 0: no slots.
std::string host_word(const std::string& name, uint32_t slots);

// "a1,a2:4,user@b,[fe80::1]:2". Problems point at `flag`.
HostList parse_host_words(std::string_view words, const std::string& flag);

// A line: NAME or NAME:SLOTS, then slots=N, label=WORD and weight=N in any order, and behind # a comment. Problems have the line and column in `file`.
HostList parse_host_file(std::string_view text, const std::string& file);

}  // namespace muster
