// SPDX-License-Identifier: Apache-2.0
#include "core/job/mpirun/mpirun_flags.h"

#include <algorithm>
#include <charconv>

#include "core/base/text.h"
#include "core/job/mpirun/mpirun_other_flags.h"
#include "core/job/names.h"

namespace muster {
namespace {

using F = MpirunFlags;
using A = MpirunApp;
using V = std::vector<std::string>;
using Fault = MpirunFault;
using Kind = MpirunFlag::Kind;

constexpr uint32_t kMostRanks = 100'000;
constexpr uint32_t kMostSeconds = 100'000'000;

Fault take_number(std::optional<uint32_t>& place, const std::string& text, uint32_t most) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number > most)
    return {"`" + escaped(text) + "` is not a whole number from 0 to " + std::to_string(most), ""};
  place = number;
  return {};
}

Fault add_variable(V& variables, const std::string& text) {
  const std::string name = text.substr(0, text.find('='));
  if (!is_variable(name)) return {"`" + escaped(name) + "` is not the name of a variable", "write NAME or NAME=VALUE"};
  if (!is_text(text)) return {"the value of " + name + " is not UTF-8 text", ""};
  variables.push_back(text);
  return {};
}

Fault add_variables(V& variables, const std::string& names, char separator) {
  for (const std::string& name : split(names, separator)) {
    if (const Fault fault = add_variable(variables, name); !fault.ok()) return fault;
  }
  return {};
}

// mpirun refuses a parameter that is set twice, unless the values are equal.
Fault add_parameter(F& flags, const std::string& prefix, const V& values) {
  const std::string name = prefix + values[0];
  for (const std::string& each : flags.variables) {
    if (each.starts_with(name + "=") && each != name + "=" + values[1])
      return {"the parameter " + escaped(values[0]) + " is set twice, to different values", "remove one of the two"};
  }
  return add_variable(flags.variables, name + "=" + values[1]);
}

// "tag", "rank,timestamp", "dir=FOLDER", as in Open MPI 5.
Fault take_output(F& flags, const std::string& words) {
  for (const std::string& word : split(words, ',')) {
    const size_t equals = word.find_first_of("=:");
    const std::string key = word.substr(0, equals);
    if (key == "tag" || key == "tag-detailed" || key == "tag-fullname" || key == "rank") {
      flags.tag = MpirunTag::open_mpi;
    } else if (key == "timestamp") {
      flags.times = true;
    } else if (key == "merge-stderr-to-stdout" || key == "merge") {
      flags.merge_stderr = true;
    } else if (key == "dir" && equals != std::string::npos) {
      flags.output_folder = word.substr(equals + 1);
    } else {
      return {"`" + escaped(word) + "` is not a kind of output",
              "use tag, rank, timestamp, merge-stderr-to-stdout or dir=FOLDER"};
    }
  }
  return {};
}

Fault take_input(F& flags, const std::string& text) {
  std::optional<uint32_t> rank;
  if (text != "all" && text != "none" && !take_number(rank, text, kMostRanks).ok())
    return {"`" + escaped(text) + "` is not a rank, all or none", ""};
  flags.input = text;
  return {};
}

void add_hosts(V& hosts, const std::string& words) {
  for (const std::string& word : split(words, ',')) hosts.push_back(word);
}

void add_sizes(std::vector<MpirunFlag>& flags) {
  const auto ranks = [](F&, A& app, const V& v) { return take_number(app.ranks, v[0], kMostRanks); };
  const auto per_node = [](F& f, A&, const V& v) { return take_number(f.per_node, v[0], kMostRanks); };
  flags.push_back({{"np", "n", "c"}, "N", "ranks of the program; without it, one per slot", ranks});
  flags.push_back({{"N", "npernode", "ppn", "perhost", "grr"}, "N", "ranks on each host", per_node});
  flags.push_back({{"pernode"}, "", "one rank on each host", [](F& f, A&, const V&) {
                     f.per_node = 1;
                     return Fault{};
                   }});
  flags.push_back({{"npersocket"}, "N", "ranks on each socket, as --map-by ppr:N:socket", [](F& f, A&, const V& v) {
                     f.map_by = "ppr:" + v[0] + ":socket";
                     return Fault{};
                   }});
  flags.push_back({{"ppr"}, "N:OBJECT", "as --map-by ppr:N:OBJECT", [](F& f, A&, const V& v) {
                     f.map_by = "ppr:" + v[0];
                     return Fault{};
                   }});
  flags.push_back({{"oversubscribe"}, "", "allows more ranks than slots", [](F& f, A&, const V&) {
                     f.oversubscribe = true;
                     return Fault{};
                   }});
  flags.push_back(
      {{"nooversubscribe"}, "", "more ranks than slots are an error; this is the default", [](F& f, A&, const V&) {
         f.oversubscribe = false;
         return Fault{};
       }});
  flags.push_back({{"use-hwthread-cpus"}, "", "counts hardware threads as slots, not cores", [](F& f, A&, const V&) {
                     f.hardware_threads = true;
                     return Fault{};
                   }});
  flags.push_back({{"app", "configfile"},
                   "FILE",
                   "reads the programs from FILE, one a line: [flags] PROGRAM [arguments]",
                   [](F& f, A&, const V& v) {
                     f.appfile = v[0];
                     return Fault{};
                   }});
}

void add_hosts_flags(std::vector<MpirunFlag>& flags) {
  const auto hosts = [](F&, A& app, const V& v) {
    add_hosts(app.hosts, v[0]);
    return Fault{};
  };
  const auto file = [](F&, A& app, const V& v) {
    app.hostfiles.push_back(v[0]);
    return Fault{};
  };
  flags.push_back({{"host", "H", "hosts"},
                   "HOST[:SLOTS],…",
                   "hosts of the ranks. A host without slots has one for each time it is named. Hosts other than this "
                   "machine are reached over ssh",
                   hosts});
  flags.push_back({{"hostfile", "machinefile", "machine", "f", "default-hostfile"},
                   "FILE",
                   "file with a host on each line: HOST, HOST:4 or HOST slots=4",
                   file});
}

void add_placement(std::vector<MpirunFlag>& flags) {
  flags.push_back({{"map-by"},
                   "POLICY",
                   "slot fills the hosts one after the other; node takes them in turn; ppr:N:node puts N ranks on each "
                   "host. :PE=N gives each rank N cores, :OVERSUBSCRIBE allows more ranks than slots",
                   [](F& f, A&, const V& v) {
                     f.map_by = v[0];
                     return Fault{};
                   }});
  flags.push_back({{"rank-by"}, "POLICY", "slot numbers ranks host by host, node in turn", [](F& f, A&, const V& v) {
                     f.rank_by = v[0];
                     return Fault{};
                   }});
  flags.push_back({{"bind-to"},
                   "POLICY",
                   "core or hwthread reserves CPUs for each rank and binds the rank to them; none is the default",
                   [](F& f, A&, const V& v) {
                     f.bind_to = v[0];
                     return Fault{};
                   }});
  flags.push_back(
      {{"cpus-per-proc", "cpus-per-rank"}, "N", "cores of each rank, as --map-by slot:PE=N", [](F& f, A&, const V& v) {
         return take_number(f.cpus_per_rank, v[0], kMostRanks);
       }});
  flags.push_back({{"bynode", "rr"}, "", "as --map-by node", [](F& f, A&, const V&) {
                     f.map_by = "node";
                     return Fault{};
                   }});
  flags.push_back({{"byslot", "bycore", "bysocket"}, "", "as --map-by slot", [](F& f, A&, const V&) {
                     f.map_by = "slot";
                     return Fault{};
                   }});
  flags.push_back({{"bind-to-core"}, "", "as --bind-to core", [](F& f, A&, const V&) {
                     f.bind_to = "core";
                     return Fault{};
                   }});
  flags.push_back({{"bind-to-socket"}, "", "as --bind-to socket", [](F& f, A&, const V&) {
                     f.bind_to = "socket";
                     return Fault{};
                   }});
}

void add_environment(std::vector<MpirunFlag>& flags) {
  const auto parameter = [](F& f, A&, const V& v) { return add_parameter(f, "OMPI_MCA_", v); };
  flags.push_back(
      {{"x"}, "NAME[=VALUE]", "sets a variable of the ranks, or copies it from the shell", [](F&, A& app, const V& v) {
         return add_variable(app.variables, v[0]);
       }});
  const auto of_all = [](F& f, A&, const V& v) { return add_variable(f.variables, join(v, "=")); };
  const auto of_app = [](F&, A& app, const V& v) { return add_variable(app.variables, join(v, "=")); };
  flags.push_back({{"genv"}, "NAME VALUE", "sets a variable for all programs", of_all, Kind::used, true});
  flags.push_back({{"env"}, "NAME VALUE", "sets a variable for this program", of_app, Kind::used, true});
  flags.push_back(
      {{"genvlist"}, "NAME,…", "copies these variables from the shell, for all programs", [](F& f, A&, const V& v) {
         return add_variables(f.variables, v[0], ',');
       }});
  flags.push_back(
      {{"envlist"}, "NAME,…", "copies these variables from the shell, for this program", [](F&, A& app, const V& v) {
         return add_variables(app.variables, v[0], ',');
       }});
  flags.push_back({{"mca", "gmca"}, "KEY VALUE", "a parameter of Open MPI: OMPI_MCA_KEY in the ranks", parameter});
  flags.push_back({{"prtemca", "gprtemca"}, "KEY VALUE", "PRTE_MCA_KEY in the ranks", [](F& f, A&, const V& v) {
                     return add_parameter(f, "PRTE_MCA_", v);
                   }});
  flags.push_back({{"pmixmca", "gpmixmca"}, "KEY VALUE", "PMIX_MCA_KEY in the ranks", [](F& f, A&, const V& v) {
                     return add_parameter(f, "PMIX_MCA_", v);
                   }});
  flags.push_back({{"wdir", "wd"}, "FOLDER", "working folder of the ranks", [](F&, A& app, const V& v) {
                     app.workdir = v[0];
                     return Fault{};
                   }});
  flags.push_back({{"path"}, "FOLDERS", "where the program is looked for, instead of PATH", [](F&, A& app, const V& v) {
                     app.path = v[0];
                     return Fault{};
                   }});
}

void add_output(std::vector<MpirunFlag>& flags) {
  flags.push_back({{"tag-output"}, "", "lines begin with [1,RANK]<stdout>:", [](F& f, A&, const V&) {
                     f.tag = MpirunTag::open_mpi;
                     return Fault{};
                   }});
  flags.push_back({{"prepend-rank", "l"}, "", "lines begin with [RANK]", [](F& f, A&, const V&) {
                     f.tag = MpirunTag::hydra;
                     return Fault{};
                   }});
  flags.push_back({{"timestamp-output", "prepend-timestamp"}, "", "lines begin with the time", [](F& f, A&, const V&) {
                     f.times = true;
                     return Fault{};
                   }});
  flags.push_back({{"output"},
                   "KIND,…",
                   "tag, rank, timestamp, merge-stderr-to-stdout, dir=FOLDER, as in Open MPI 5",
                   [](F& f, A&, const V& v) { return take_output(f, v[0]); }});
  flags.push_back({{"output-filename"},
                   "FOLDER[:nocopy]",
                   "also writes FOLDER/1/rank.N/stdout and stderr; with :nocopy nothing is printed",
                   [](F& f, A&, const V& v) {
                     f.output_folder = v[0];
                     return Fault{};
                   }});
  flags.push_back({{"outfile-pattern", "outfile"},
                   "FILE",
                   "writes stdout to FILE, in which %r is the rank",
                   [](F& f, A&, const V& v) {
                     f.out_pattern = v[0];
                     return Fault{};
                   }});
  flags.push_back({{"errfile-pattern", "errfile"}, "FILE", "the same for stderr", [](F& f, A&, const V& v) {
                     f.err_pattern = v[0];
                     return Fault{};
                   }});
  flags.push_back({{"merge-stderr-to-stdout"}, "", "stderr of ranks goes to stdout", [](F& f, A&, const V&) {
                     f.merge_stderr = true;
                     return Fault{};
                   }});
  flags.push_back({{"stdin"}, "RANK|all|none", "which ranks read stdin; default 0", [](F& f, A&, const V& v) {
                     return take_input(f, v[0]);
                   }});
}

void add_run(std::vector<MpirunFlag>& flags) {
  flags.push_back(
      {{"timeout"}, "SECONDS", "ends the job after this time, with exit code 110; 0: never", [](F& f, A&, const V& v) {
         return take_number(f.seconds, v[0], kMostSeconds);
       }});
  flags.push_back({{"max-restarts"}, "N", "restarts before the job fails; default 0", [](F& f, A&, const V& v) {
                     return take_number(f.restarts, v[0], kMostRanks);
                   }});
  flags.push_back({{"quiet", "q"}, "", "leaves out notes", [](F& f, A&, const V&) {
                     f.quiet = true;
                     return Fault{};
                   }});
  flags.push_back({{"verbose", "v"}, "", "shows the events of the job", [](F& f, A&, const V&) {
                     f.verbose = true;
                     return Fault{};
                   }});
  flags.push_back({{"shim"}, "", "prints a folder with mpirun and mpiexec, for PATH", [](F& f, A&, const V&) {
                     f.shim = true;
                     return Fault{};
                   }});
  flags.push_back({{"version", "V", "info"}, "", "prints the version", [](F& f, A&, const V&) {
                     f.version = true;
                     return Fault{};
                   }});
  flags.push_back({{"help", "h"}, "", "this text", [](F& f, A&, const V&) {
                     f.help = true;
                     return Fault{};
                   }});
}

std::vector<MpirunFlag> all_flags() {
  std::vector<MpirunFlag> flags;
  for (const auto add : {add_sizes, add_hosts_flags, add_placement, add_environment, add_output, add_run,
                         add_mpirun_ignored, add_mpirun_refused})
    add(flags);
  return flags;
}

}  // namespace

const std::vector<MpirunFlag>& mpirun_flags() {
  static const std::vector<MpirunFlag> flags = all_flags();
  return flags;
}

const MpirunFlag* mpirun_flag(const std::string& word) {
  if (!word.starts_with('-')) return nullptr;
  const std::string name = word.substr(word.starts_with("--") ? 2 : 1);
  const auto has_name = [&](const MpirunFlag& flag) {
    return std::find(flag.names.begin(), flag.names.end(), name) != flag.names.end();
  };
  const auto& flags = mpirun_flags();
  const auto found = std::find_if(flags.begin(), flags.end(), has_name);
  return found == flags.end() ? nullptr : &*found;
}

std::string mpirun_spelled(const MpirunFlag& flag) {
  const std::string& name = flag.names.front();
  return (name.size() <= 2 ? "-" : "--") + name;
}

}  // namespace muster
