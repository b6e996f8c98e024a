// SPDX-License-Identifier: Apache-2.0
// Finds the MPI library of a program, and the libpmix that belongs to it. Reads files; starts nothing. Any thread.
#pragma once

#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/port/process_host.h"

namespace muster {

struct MpiProgram {
  std::string library;  // to which the program is linked: "libmpi.so.40"; empty: it is a script, or linked to no MPI
  std::string found;    // path of that library, or of one beside the interpreter; empty: not found
  std::vector<std::string> libpmix;  // to try in this order: those of the program's MPI, then the system's by name
};

// The program that `request` starts. Of several behind a shell of muster's (kMpiPrograms), the first one that uses MPI.
MpiProgram mpi_program(const SpawnRequest& request);

// The number of the program of a rank of the world, from 0: MPI_APPNUM. 0 unless a shell of muster's starts several programs.
uint32_t mpi_app(const SpawnRequest& request, Rank world_rank);

}  // namespace muster
