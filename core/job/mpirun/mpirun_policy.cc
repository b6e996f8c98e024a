// SPDX-License-Identifier: Apache-2.0
#include "core/job/mpirun/mpirun_policy.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "core/base/text.h"

namespace muster {
namespace {

using Fill = MpirunPolicy::Fill;
using Environment = std::map<std::string, std::string>;

constexpr uint32_t kMost = 100'000;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::optional<uint32_t> number_of(const std::string& text) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && number > 0 && number <= kMost ? std::optional(number) : std::nullopt;
}

// socket for package, and so on; empty: muster does not count such objects.
std::string object_of(const std::string& word) {
  if (word == "node" || word == "board" || word == "host") return "node";
  if (word == "socket" || word == "package") return "socket";
  if (word == "numa" || word == "core" || word == "hwthread") return word;
  return "";
}

bool is_one_of(const std::string& word, std::initializer_list<const char*> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

Status wrong(const std::string& flag, const std::string& word, const std::string& known) {
  return {Code::invalid_argument, flag + ": unknown policy `" + escaped(word) + "`; use " + known};
}

Status not_here(const std::string& flag, const std::string& word, const std::string& instead) {
  return {Code::unimplemented, flag + " " + escaped(word) + " is not available: muster does not have it; " + instead};
}

class Reader {
 public:
  explicit Reader(const Environment& environment) : environment_(environment) {}

  Status read(const MpirunFlags& flags) {
    policy_.oversubscribe = flags.oversubscribe || is_set(flags, "OMPI_MCA_rmaps_base_oversubscribe");
    policy_.hardware_threads = flags.hardware_threads || is_set(flags, "OMPI_MCA_hwloc_base_use_hwthreads_as_cpus");
    std::string map = flags.map_by;
    for (const char* name : {"PRTE_MCA_rmaps_default_mapping_policy", "OMPI_MCA_rmaps_base_mapping_policy"}) {
      if (map.empty()) map = value_of(flags, name);
    }
    if (Status status = read_map(map); !status.ok()) return status;
    if (flags.per_node) {
      if (*flags.per_node == 0) return {Code::invalid_argument, "-N wants a number of ranks from 1; use -N 1"};
      policy_.fill = Fill::per_object;
      policy_.per = *flags.per_node;
      policy_.object = "node";
    }
    if (Status status = read_rank(lower(flags.rank_by)); !status.ok()) return status;
    if (flags.cpus_per_rank) each_ = *flags.cpus_per_rank;
    std::string bind = flags.bind_to;
    if (bind.empty()) bind = value_of(flags, "OMPI_MCA_hwloc_base_binding_policy");
    return read_bind(lower(bind));
  }

  MpirunPolicy take() { return std::move(policy_); }

 private:
  // A parameter of the command line is stronger than one of the environment.
  std::string value_of(const MpirunFlags& flags, const std::string& name) const {
    for (const std::string& each : flags.variables) {
      if (each.starts_with(name + "=")) return each.substr(name.size() + 1);
    }
    const auto found = environment_.find(name);
    return found == environment_.end() ? "" : found->second;
  }

  bool is_set(const MpirunFlags& flags, const std::string& name) const {
    return is_one_of(lower(value_of(flags, name)), {"1", "true", "yes", "t", "y"});
  }

  Status read_map(const std::string& typed) {
    const std::vector<std::string> parts = split(lower(typed), ':');
    size_t rest = 1;
    const std::string& word = parts[0];
    if (word == "ppr") {
      const auto per = parts.size() > 2 ? number_of(parts[1]) : std::nullopt;
      policy_.object = parts.size() > 2 ? object_of(parts[2]) : "";
      if (!per || policy_.object.empty()) return wrong("--map-by", typed, "ppr:N:node, socket, numa, core or hwthread");
      policy_.fill = Fill::per_object;
      policy_.per = *per;
      rest = 3;
    } else if (is_one_of(word, {"seq", "dist", "rankfile"}) || word.starts_with("pe-list") || word == "user") {
      return not_here("--map-by", typed, "name the hosts in their order with -H HOST:SLOTS");
    } else if (word == "node" || word == "board") {
      policy_.fill = Fill::by_node;
      policy_.cyclic = true;
    } else if (!is_one_of(word, {"", "slot", "hwthread", "core", "l1cache", "l2cache", "l3cache", "numa", "socket",
                                 "package", "rr", "machine", "cache"})) {
      return wrong("--map-by", typed, "slot, node, core, socket, numa or ppr:N:node");
    }
    for (; rest < parts.size(); ++rest) {
      for (const std::string& each : split(parts[rest], ',')) {
        if (Status status = read_modifier(typed, each); !status.ok()) return status;
      }
    }
    return {};
  }

  Status read_modifier(const std::string& typed, const std::string& word) {
    if (word.starts_with("pe=")) {
      const auto each = number_of(word.substr(3));
      if (!each) return wrong("--map-by", typed, "PE=N with the number of cores of a rank");
      each_ = *each;
    } else if (word == "oversubscribe") {
      policy_.oversubscribe = true;
    } else if (word == "nooversubscribe") {
      policy_.oversubscribe = false;
    } else if (word == "hwtcpus") {
      policy_.hardware_threads = true;
    } else if (word == "overload-allowed") {
      policy_.overload = true;
    } else if (word == "span" || word == "nolocal") {
      return not_here("--map-by", typed, "use --map-by node, and name the hosts with -H");
    } else if (!is_one_of(word, {"", "corecpus", "inherit", "noinherit", "display", "donotlaunch"})) {
      return wrong("--map-by", typed, "the modifiers PE=N, OVERSUBSCRIBE and NOOVERSUBSCRIBE");
    }
    return {};
  }

  Status read_rank(const std::string& word) {
    if (word.empty()) return {};
    if (word.find(':') != std::string::npos) return not_here("--rank-by", word, "use --rank-by slot or node");
    if (!is_one_of(word, {"slot", "fill", "node", "board", "hwthread", "core", "l1cache", "l2cache", "l3cache", "numa",
                          "socket", "package"}))
      return wrong("--rank-by", word, "slot or node");
    policy_.cyclic = word == "node" || word == "board";
    return {};
  }

  Status read_bind(const std::string& typed) {
    const std::vector<std::string> parts = split(typed, ':');
    const std::string& word = parts[0];
    for (size_t i = 1; i < parts.size(); ++i) {
      if (parts[i] == "overload-allowed") policy_.overload = true;
      if (const auto each = number_of(parts[i])) each_ = *each;
      if (word == "user" || (!number_of(parts[i]) && !is_one_of(parts[i], {"overload-allowed", "if-supported"})))
        return not_here("--bind-to", typed, "use --bind-to core");
    }
    if (word == "core" || word == "hwthread" || (word.empty() && each_ > 0)) {
      policy_.cores = std::max(each_, 1u);
      policy_.threads = word == "hwthread" || policy_.hardware_threads;
    } else if (is_one_of(word, {"socket", "package", "numa", "board", "machine", "l1cache", "l2cache", "l3cache",
                                "cache", "rr"})) {
      policy_.note = "--bind-to " + word + " has no effect: muster binds ranks to cores or not at all";
    } else if (!is_one_of(word, {"", "none"})) {
      return wrong("--bind-to", typed, "core, hwthread or none");
    }
    return {};
  }

  const Environment& environment_;
  MpirunPolicy policy_;
  uint32_t each_ = 0;  // PE
};

}  // namespace

Result<MpirunPolicy> mpirun_policy(const MpirunFlags& flags, const Environment& environment) {
  Reader reader(environment);
  if (Status status = reader.read(flags); !status.ok()) return status;
  return reader.take();
}

}  // namespace muster
