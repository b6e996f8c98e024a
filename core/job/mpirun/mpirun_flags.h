// SPDX-License-Identifier: Apache-2.0
// MpirunFlags: the values of a command line of mpirun or mpiexec, as typed. mpirun_layout.h interprets them. Also the table of all
// flags, which is used to parse, show and document them. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster {

// One program of the line. With `:` there are several (MPMD).
struct MpirunApp {
  std::vector<std::string> command;
  std::optional<uint32_t> ranks;       // nullopt or 0: as many as there are slots
  std::vector<std::string> variables;  // NAME or NAME=VALUE, in the order typed
  std::string workdir;                 // empty: the current folder
  std::string path;                    // folders in which the program is looked for; empty: PATH
  std::vector<std::string> hosts;      // words of -H: NAME or NAME:SLOTS
  std::vector<std::string> hostfiles;
  bool operator==(const MpirunApp&) const = default;
};

// The label at the beginning of each line of output.
enum class MpirunTag {
  none,
  open_mpi,  // "[1,0]<stdout>:"
  hydra,     // "[0] "
};

struct MpirunFlags {
  std::vector<MpirunApp> apps;
  std::vector<std::string> variables;  // of all programs: NAME or NAME=VALUE
  std::string appfile;
  std::string map_by;
  std::string rank_by;
  std::string bind_to;
  std::optional<uint32_t> per_node;
  std::optional<uint32_t> cpus_per_rank;
  bool oversubscribe = false;
  bool hardware_threads = false;  // a slot is a hardware thread, not a core
  MpirunTag tag = MpirunTag::none;
  bool times = false;  // lines begin with the time
  bool merge_stderr = false;
  std::string output_folder;  // --output-filename FOLDER[:nocopy]
  std::string out_pattern;    // of file names, %r is the rank
  std::string err_pattern;
  std::string input = "0";  // RANK, all or none
  std::optional<uint32_t> seconds;
  std::optional<uint32_t> restarts;
  bool quiet = false;
  bool verbose = false;
  bool help = false;
  bool version = false;
  bool shim = false;
  std::vector<std::string> ignored;  // a sentence for each flag without effect, once
  bool operator==(const MpirunFlags&) const = default;
};

// A mistake in the values of a flag. Both empty: none.
struct MpirunFault {
  std::string message;
  std::string help;
  bool ok() const { return message.empty(); }
};

struct MpirunFlag {
  enum class Kind {
    used,
    ignored,  // accepted; a note on stderr says that it has no effect
    refused,  // it would change the result, and muster does not have it
  };
  std::vector<std::string> names;  // without dashes; -NAME and --NAME are the same. The first one is shown.
  std::string values;              // placeholders of its values, separated by blanks: "KEY VALUE"; empty: none
  std::string ours;                // what muster does with it, why it has no effect, or what to use instead
  // Stores the values: as many as there are placeholders, or one if `joined`. Null for flags that are ignored or refused.
  MpirunFault (*take)(MpirunFlags&, MpirunApp&, const std::vector<std::string>&) = nullptr;
  Kind kind = Kind::used;
  bool joined = false;  // NAME=VALUE in one word stands for both values
};

// In the order of the documentation.
const std::vector<MpirunFlag>& mpirun_flags();

// The flag that `word` names ("-np", "--np"), or null.
const MpirunFlag* mpirun_flag(const std::string& word);

// "-np", "--oversubscribe": its first name.
std::string mpirun_spelled(const MpirunFlag& flag);

}  // namespace muster
