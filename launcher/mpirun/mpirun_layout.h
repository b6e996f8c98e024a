// SPDX-License-Identifier: Apache-2.0
// Where the ranks of a command line of mpirun run, by the rules of Open MPI's mpirun. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/job/diagnostic.h"
#include "core/job/mpirun/mpirun_flags.h"
#include "launcher/mpirun/mpirun_hosts.h"

namespace muster {

// What a machine has, of the CPUs that ranks may use.
struct MpirunMachine {
  uint32_t cores = 1;
  uint32_t threads = 1;
  uint32_t sockets = 1;
  uint32_t numa_nodes = 1;
};

struct MpirunFacts {
  MpirunMachine here;
  std::map<std::string, MpirunMachine> hosts;  // of hosts that are not this machine, by name
  std::vector<std::string> own_names;          // of this machine
  std::map<std::string, std::string> environment;
};

// The hosts of each program; empty: this machine.
struct MpirunPlaces {
  std::vector<MpirunHost> hosts;             // of all programs
  std::vector<std::vector<size_t>> of_apps;  // indices into `hosts`; empty: all hosts
  bool remote = false;                       // some host is not this machine
  std::optional<Diagnostic> problem;
};

// Neighbouring ranks of one program with the same number on each of several hosts: a group of the job.
struct MpirunPart {
  size_t app = 0;
  std::vector<size_t> hosts;  // indices into MpirunPlaces::hosts; different ones
  uint32_t ranks = 0;         // on each host, at least 1
  bool operator==(const MpirunPart&) const = default;
};

struct MpirunLayout {
  std::vector<MpirunPart> parts;  // in the order of the ranks
  bool cyclic = false;            // ranks are numbered over the hosts in turn; only with one part
  uint32_t cpus = 0;              // of each rank, reserved and bound; 0: not bound
  std::vector<std::string> notes;
  std::optional<Diagnostic> problem;  // the other members are unusable
};

// `files`: the text of each host file, by the name typed.
MpirunPlaces mpirun_places(const MpirunFlags& flags, const std::map<std::string, std::string>& files,
                           const std::vector<std::string>& own_names);

// `places` without hosts: this machine. E1705: there are too few slots or CPUs; E1707: muster cannot number ranks so.
MpirunLayout mpirun_layout(const MpirunFlags& flags, const MpirunPlaces& places, const MpirunFacts& facts);

}  // namespace muster
