// SPDX-License-Identifier: Apache-2.0
// Finds the MPI library of a program, and the libpmix that belongs to it. Reads files; starts nothing. Any thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/ids.h"
#include "core/port/process_host.h"

namespace muster {

struct MpiProgram {
  std::string
      library;  // to which the program is linked, or a library of MPICH that it may load: "libmpi.so.12"; empty: neither
  bool linked = false;       // a program that is not linked to MPI, such as a shell, may end without MPI_Init
  bool starts_none = false;  // a program of the system that uses no MPI and starts no other program, such as hostname
  std::string found;         // path of that library, or of one beside the interpreter; empty: not found
  std::vector<std::string> libpmix;  // to try in this order: those of the program's MPI, then the system's by name
  std::string conflict;              // why the programs of the world cannot meet; empty: they can
};

// A program, as it is typed, and the MPI library to which it is linked; empty: to none.
using MpiLink = std::pair<std::string, std::string>;

// Why programs that are linked to these libraries cannot be one world; empty: they can. Pure.
std::string mpi_conflict(const std::vector<MpiLink>& programs);

// The program that `request` starts. Of several behind a shell of muster's (kMpiPrograms), the first one that uses MPI.
MpiProgram mpi_program(const SpawnRequest& request);

}  // namespace muster
