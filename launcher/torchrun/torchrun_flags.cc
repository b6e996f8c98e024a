// SPDX-License-Identifier: Apache-2.0
#include "launcher/torchrun/torchrun_flags.h"

#include <algorithm>
#include <cctype>
#include <cstdio>

#include "core/job/json_text.h"

namespace muster {
namespace {

// A flag that takes one of `choices`.
TorchrunFlag with_choices(std::vector<std::string> choices, TorchrunFlag flag) {
  flag.choices = std::move(choices);
  return flag;
}

}  // namespace

const std::vector<TorchrunFlag>& torchrun_flags() {
  using F = TorchrunFlags;
  static const std::vector<TorchrunFlag> flags{
      {"--nnodes", 0, &F::nnodes, "N|MIN:MAX",
       "number of hosts; start the same command on each. MIN:MAX waits for MIN hosts, then in a last call for more"},
      {"--nproc-per-node", 0, &F::nproc_per_node, "N|auto|cpu|gpu",
       "ranks on this machine; cpu: one per usable CPU, gpu: one per visible GPU, auto: gpu if there is one, else "
       "cpu"},
      {"--rdzv-backend", 0, &F::rdzv_backend, "NAME",
       "static: hosts are numbered by --node-rank; c10d: by arrival at --rdzv-endpoint; not used on one node"},
      {"--rdzv-endpoint", 0, &F::rdzv_endpoint, "HOST[:PORT]",
       "address at which hosts meet; default port 29400, static: 29500; not used on one node"},
      {"--rdzv-id", 0, &F::rdzv_id, "ID", "run id; ranks get it, and the folder in --log-dir begins with it"},
      {"--rdzv-conf", 0, &F::rdzv_conf, "K=V,…",
       "uses timeout, join_timeout, last_call_timeout and is_host; checks only the form of other keys"},
      {"--standalone", 0, &F::standalone, "", "one node, with a new run id"},
      {"--max-restarts", 0, &F::max_restarts, "N", "restarts before the job fails; each attempt has a new store"},
      {"--monitor-interval", 0, &F::monitor_interval, "SECONDS",
       "accepted and ignored: muster notices the end of a rank at once"},
      with_choices({"spawn", "fork", "forkserver"}, {"--start-method", 0, &F::start_method, "METHOD",
                                                     "accepted and ignored: ranks are programs, as in torchrun"}),
      {"--event-log-handler", 0, &F::event_log_handler, "NAME",
       "accepted and ignored: `muster events` shows the events"},
      {"--role", 0, &F::role, "NAME", "ROLE_NAME of the ranks; prefixes begin with it"},
      {"--module", 'm', &F::module, "", "the script is a module, as with python -m"},
      {"--no-python", 0, &F::no_python, "", "the script is a program, not run by an interpreter"},
      {"--run-path", 0, &F::run_path, "", "runs the script with runpy.run_path and records its exception"},
      {"--log-dir", 0, &F::log_dir, "FOLDER", "folder for the files of --redirects and --tee, and for error files"},
      {"--redirects", 'r', &F::redirects, "0-3|RANK:0-3,…",
       "streams that go to files instead of the console: 1 stdout, 2 stderr, 3 both"},
      {"--tee", 't', &F::tee, "0-3|RANK:0-3,…", "streams that go to files and, with a prefix, to the console"},
      {"--log-line-prefix-template", 0, &F::log_line_prefix_template, "TEMPLATE",
       "prefix of the lines of --tee, made of ${role_name} ${local_rank} ${rank} ${hostname}"},
      {"--local-ranks-filter", 0, &F::local_ranks_filter, "RANK,…", "shows only these local ranks on the console"},
      {"--duplicate-stdout-filters", 0, &F::duplicate_stdout_filters, "WORD,…",
       "copies lines of --tee that contain one of the words to filtered_stdout.log"},
      {"--duplicate-stderr-filters", 0, &F::duplicate_stderr_filters, "WORD,…",
       "copies lines of --tee that contain one of the words to filtered_stderr.log"},
      {"--node-rank", 0, &F::node_rank, "N", "static: number of this host; the other hosts connect to host 0"},
      {"--master-addr", 0, &F::master_addr, "HOST", "static: address of node rank 0; not used on one node"},
      {"--master-port", 0, &F::master_port, "PORT",
       "static: port of node rank 0, default 29500; on one node each attempt gets a free port"},
      {"--local-addr", 0, &F::local_addr, "HOST",
       "address of this host for other hosts; default: the address from which it connects"},
      {"--logs-specs", 0, &F::logs_specs, "NAME", "only default; muster refuses plugins in Python", false},
      with_choices({"node", "socket", "exclusive", "core-complex"},
                   {"--numa-binding", 0, &F::numa_binding, "MODE",
                    "binds each rank to CPUs near its GPU: of the NUMA node, the socket, a share of the node, or a "
                    "last-level cache",
                    false}),
      {"--signals-to-handle", 0, &F::signals_to_handle, "SIGNAL,…",
       "signals that stop the job; ranks get the same signal"},
      {"--shutdown-timeout", 0, &F::shutdown_timeout, "SECONDS",
       "time between the signal that stops ranks and SIGKILL; default 30"},
      {"--virtual-local-rank", 0, &F::virtual_local_rank, "", "LOCAL_RANK is 0, and each rank sees one GPU"},
      with_choices({"bash", "zsh", "tcsh"}, {"--print-completion", 0, &F::print_completion, "SHELL",
                                             "prints a completion script; does not need shtab", false}),
  };
  return flags;
}

std::string torchrun_dest(const TorchrunFlag& flag) {
  std::string dest = flag.name.substr(2);
  std::replace(dest.begin(), dest.end(), '-', '_');
  return dest;
}

std::string torchrun_variable(const TorchrunFlag& flag) {
  if (!flag.variable) return "";
  std::string name = "PET_" + torchrun_dest(flag);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::toupper(c); });
  return name;
}

namespace {

std::string value_json(bool value) { return value ? "true" : "false"; }
std::string value_json(const std::string& value) { return json_quoted(value); }
std::string value_json(int64_t value) { return std::to_string(value); }
std::string value_json(const std::vector<std::string>& value) { return json_list(value); }

std::string value_json(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

template <typename T>
std::string value_json(const std::optional<T>& value) {
  return value ? value_json(*value) : "null";
}

}  // namespace

std::string torchrun_flags_json(const TorchrunFlags& flags) {
  std::string text = "{";
  for (const TorchrunFlag& flag : torchrun_flags()) {
    const std::string value = std::visit([&](auto place) { return value_json(flags.*place); }, flag.place);
    text += json_quoted(torchrun_dest(flag)) + ":" + value + ",";
  }
  return text + "\"training_script\":" + json_quoted(flags.training_script) +
         ",\"training_script_args\":" + json_list(flags.training_script_args) + "}";
}

}  // namespace muster
