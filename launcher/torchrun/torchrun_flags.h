// SPDX-License-Identifier: Apache-2.0
// TorchrunFlags: the values of a torchrun command line, with the defaults of torch 2.15. Values are kept as typed; settings.h interprets
// them. Also the table of all flags, which is used to parse, show and document them.
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
  bool local_rank_argument = false;  // of torch.distributed.launch: the script gets --local-rank=N
  std::string interpreter;           // of `python -m torch.distributed.run`; empty: none was typed
  bool operator==(const TorchrunFlags&) const = default;
};

// The member for a flag's value. Its type decides how the text is parsed.
using TorchrunPlace =
    std::variant<bool TorchrunFlags::*, std::string TorchrunFlags::*, std::optional<std::string> TorchrunFlags::*,
                 int64_t TorchrunFlags::*, std::optional<int64_t> TorchrunFlags::*, double TorchrunFlags::*,
                 std::vector<std::string> TorchrunFlags::*>;

struct TorchrunFlag {
  std::string name;  // "--nproc-per-node"; "--nproc_per_node" is the same
  char letter = 0;   // 'r' for "-r"; 0: none
  TorchrunPlace place;
  std::string placeholder;           // of its value; empty: the flag takes none
  std::string ours;                  // what muster does for it: shown in help and docs
  bool variable = true;              // a variable such as PET_NPROC_PER_NODE sets it if it is not typed
  std::vector<std::string> choices;  // allowed typed values; empty: any
};

// All flags except --help, in torchrun's order.
const std::vector<TorchrunFlag>& torchrun_flags();

// "nproc_per_node": the name of the value in Python.
std::string torchrun_dest(const TorchrunFlag& flag);

// "PET_NPROC_PER_NODE"; empty: the flag has no variable.
std::string torchrun_variable(const TorchrunFlag& flag);

// All values as a JSON object, by Python's names.
std::string torchrun_flags_json(const TorchrunFlags& flags);

}  // namespace muster
