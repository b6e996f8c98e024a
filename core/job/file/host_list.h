// SPDX-License-Identifier: Apache-2.0
// Parses the lists of hosts that users write: the words of --hosts, or a file with one host per line, like the machine
// files of MPI. A host is any name that the user's ssh accepts, such as an alias of ssh_config. Pure.
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
  std::string name;               // the name for ssh: "a1", "user@a1", "fe80::1"; never begins with a dash
  std::optional<uint32_t> slots;  // ranks it takes; nullopt: as many as fit
  SourceRange where;
  std::string label;
  std::optional<uint32_t> weight;
};

struct HostList {
  std::vector<ListedHost> hosts;  // in the order written; usable only if there are no problems
  std::vector<Diagnostic> problems;
};

constexpr size_t kMostHosts = 4096;
constexpr uint32_t kMostSlots = 65536;
constexpr uint32_t kMostWeight = 1000;

// Why `label` is not a label of a host; empty if it is one.
std::string fault_of_label(std::string_view label);

// Collects the hosts of a list and its problems.
class HostListBuilder {
 public:
  void problem(const char* code, const SourceRange& where, std::string message, std::string help = "");

  // Adds NAME, NAME:SLOTS or [ADDRESS]:SLOTS. Null, after reporting it: `word` is not a host, or it is already in the
  // list. The pointer is valid until the next call.
  ListedHost* host(std::string_view word, const SourceRange& where);

  // Sets host.slots. False, after reporting it: `text` is not a number of slots.
  bool take_slots(ListedHost& host, std::string_view text);

  // The list. Problems of the whole list, such as too many hosts, are placed at `whole`.
  HostList take(const SourceRange& whole);

 private:
  ListedHost* keep(ListedHost host);

  std::vector<ListedHost> hosts_;
  std::map<std::string, SourceRange> places_;
  bool has_problem_ = false;
  DiagnosticSink sink_;
};

// A word that parses as this host: "a1", "a1:4", "mia@[fe80::1]:4". slots 0: none are written.
std::string host_word(const std::string& name, uint32_t slots);

// Parses "a1,a2:4,user@b,[fe80::1]:2". Problems are placed at `flag`.
HostList parse_host_words(std::string_view words, const std::string& flag);

// Parses lines of NAME or NAME:SLOTS, followed by slots=N, label=WORD and weight=N in any order; # begins a comment.
// Problems have the line and column in `file`.
HostList parse_host_file(std::string_view text, const std::string& file);

}  // namespace muster
