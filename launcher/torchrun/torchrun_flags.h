// TorchrunFlags: what a torchrun command line says, as torch 2.15 reads it, with its defaults. Values as typed: what they mean
// for a job is settings.h's. The table of all flags, by which they are read, shown and documented.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace muster {

struct TorchrunFlags {
  std::string nnodes = "1:1";
  std::string nproc_per_node = "1";
  std::string rdzv_backend = "static";
  std::string rdzv_endpoint;
  std::string rdzv_id = "none";
  std::string rdzv_conf;
  bool standalone = false;
  int64_t max_restarts = 0;
  double monitor_interval = 0.1;
  std::string start_method = "spawn";
  std::string event_log_handler = "null";
  std::string role = "default";
  bool module = false;
  bool no_python = false;
  bool run_path = false;
  std::optional<std::string> log_dir;
  std::string redirects = "0";
  std::string tee = "0";
  std::string log_line_prefix_template;
  std::string local_ranks_filter;
  std::vector<std::string> duplicate_stdout_filters;
  std::vector<std::string> duplicate_stderr_filters;
  int64_t node_rank = 0;
  std::string master_addr = "127.0.0.1";
  std::optional<int64_t> master_port;
  std::optional<std::string> local_addr;
  std::optional<std::string> logs_specs;
  std::optional<std::string> numa_binding;
  std::string signals_to_handle = "SIGTERM,SIGINT,SIGHUP,SIGQUIT";
  std::optional<int64_t> shutdown_timeout;
  bool virtual_local_rank = false;
  std::optional<std::string> print_completion;
  std::string training_script;
  std::vector<std::string> training_script_args;
  bool operator==(const TorchrunFlags&) const = default;
};

// Where a flag's value goes; its type says how the text is read.
using TorchrunPlace =
    std::variant<bool TorchrunFlags::*, std::string TorchrunFlags::*, std::optional<std::string> TorchrunFlags::*,
                 int64_t TorchrunFlags::*, std::optional<int64_t> TorchrunFlags::*, double TorchrunFlags::*,
                 std::vector<std::string> TorchrunFlags::*>;

struct TorchrunFlag {
  std::string name;  // "--nproc-per-node"; "--nproc_per_node" is the same
  char letter = 0;   // 'r' for "-r"; 0: none
  TorchrunPlace place;
  std::string placeholder;           // of its value; empty: it has none
  std::string ours;                  // what muster does for it, for people
  bool variable = true;              // PET_NPROC_PER_NODE stands for it where it is not typed
  std::vector<std::string> choices;  // of a typed value; empty: any
};

// In torchrun's order; --help is not in it.
const std::vector<TorchrunFlag>& torchrun_flags();

// "nproc_per_node", as Python calls the value.
std::string torchrun_dest(const TorchrunFlag& flag);

// "PET_NPROC_PER_NODE"; empty: the environment is not asked for it.
std::string torchrun_variable(const TorchrunFlag& flag);

// All values as a JSON object, by Python's names.
std::string torchrun_flags_json(const TorchrunFlags& flags);

}  // namespace muster
