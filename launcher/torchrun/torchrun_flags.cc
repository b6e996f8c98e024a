#include "launcher/torchrun/torchrun_flags.h"

#include <algorithm>
#include <cctype>
#include <cstdio>

#include "core/job/json_text.h"

namespace muster {

const std::vector<TorchrunFlag>& torchrun_flags() {
  using F = TorchrunFlags;
  static const std::vector<TorchrunFlag> flags{
      {"--nnodes", 0, &F::nnodes, "N|MIN:MAX",
       "hosts on which the same is typed; MIN:MAX waits for MIN, then a last call for more"},
      {"--nproc-per-node", 0, &F::nproc_per_node, "N|auto|cpu|gpu",
       "ranks on this machine; cpu: one per CPU that may be used, gpu: one per visible GPU, auto: gpu where there is "
       "one, else cpu"},
      {"--rdzv-backend", 0, &F::rdzv_backend, "NAME",
       "static: hosts by --node-rank; c10d: by arrival at --rdzv-endpoint; not used on one node"},
      {"--rdzv-endpoint", 0, &F::rdzv_endpoint, "HOST[:PORT]",
       "where hosts meet, port 29400 unless typed; not used on one node"},
      {"--rdzv-id", 0, &F::rdzv_id, "ID", "the run id that ranks see and the folder of --log-dir begins with"},
      {"--rdzv-conf", 0, &F::rdzv_conf, "K=V,…",
       "timeout, join_timeout, last_call_timeout, is_host; the rest is checked in form"},
      {"--standalone", 0, &F::standalone, "", "one node, and a run id of its own"},
      {"--max-restarts", 0, &F::max_restarts, "N", "restarts before the job fails, each with a store of its own"},
      {"--monitor-interval", 0, &F::monitor_interval, "SECONDS",
       "taken and not used: the end of a rank is noticed at once"},
      {"--start-method",
       0,
       &F::start_method,
       "METHOD",
       "taken and not used: ranks are programs, as in torchrun",
       true,
       {"spawn", "fork", "forkserver"}},
      {"--event-log-handler", 0, &F::event_log_handler, "NAME", "taken and not used: `muster events` has the events"},
      {"--role", 0, &F::role, "NAME", "ROLE_NAME of the ranks, and what prefixes begin with"},
      {"--module", 'm', &F::module, "", "the script is a module, as with python -m"},
      {"--no-python", 0, &F::no_python, "", "the script is a program; no interpreter is put in front of it"},
      {"--run-path", 0, &F::run_path, "", "the script is run by runpy.run_path, and its exception recorded"},
      {"--log-dir", 0, &F::log_dir, "FOLDER", "where the files of --redirects and --tee go, and error files"},
      {"--redirects", 'r', &F::redirects, "0-3|RANK:0-3,…",
       "to files instead of the console: 1 stdout, 2 stderr, 3 both"},
      {"--tee", 't', &F::tee, "0-3|RANK:0-3,…", "to files and, with a prefix, to the console"},
      {"--log-line-prefix-template", 0, &F::log_line_prefix_template, "TEMPLATE",
       "what stands before a line of --tee: ${role_name} ${local_rank} ${rank} ${hostname}"},
      {"--local-ranks-filter", 0, &F::local_ranks_filter, "RANK,…", "only these local ranks on the console"},
      {"--duplicate-stdout-filters", 0, &F::duplicate_stdout_filters, "WORD,…",
       "lines of --tee with one of the words also go to filtered_stdout.log"},
      {"--duplicate-stderr-filters", 0, &F::duplicate_stderr_filters, "WORD,…",
       "lines of --tee with one of the words also go to filtered_stderr.log"},
      {"--node-rank", 0, &F::node_rank, "N", "static: which host this is; 0 is where the others come to"},
      {"--master-addr", 0, &F::master_addr, "HOST", "static: where node rank 0 listens; not used on one node"},
      {"--master-port", 0, &F::master_port, "PORT",
       "static: its port, 29500; on one node each attempt gets a free port"},
      {"--local-addr", 0, &F::local_addr, "HOST", "where other hosts reach this one; else where it comes from"},
      {"--logs-specs", 0, &F::logs_specs, "NAME", "default; another name is of a plugin in Python and refused", false},
      {"--numa-binding",
       0,
       &F::numa_binding,
       "MODE",
       "binds ranks to CPUs beside their GPUs: to the NUMA node, the socket, a share of the node, a last cache",
       false,
       {"node", "socket", "exclusive", "core-complex"}},
      {"--signals-to-handle", 0, &F::signals_to_handle, "SIGNAL,…",
       "the signals that stop the job; ranks get the one that came"},
      {"--shutdown-timeout", 0, &F::shutdown_timeout, "SECONDS", "between the signal that stops ranks and SIGKILL; 30"},
      {"--virtual-local-rank", 0, &F::virtual_local_rank, "", "LOCAL_RANK is 0, and each rank sees one GPU"},
      {"--print-completion",
       0,
       &F::print_completion,
       "SHELL",
       "prints a completion script, without shtab",
       false,
       {"bash", "zsh", "tcsh"}},
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
