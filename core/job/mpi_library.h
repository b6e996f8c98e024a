// SPDX-License-Identifier: Apache-2.0
// The names of MPI libraries. Pure.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace muster {

// Whether a shared library of this name is an MPI library: "libmpi.so.40", "libmpi_mpifh.so.40", "libmpich.so.12".
inline bool is_mpi_library(std::string_view name) {
  constexpr std::array<std::string_view, 7> kNames = {"libmpi.so",    "libmpi_",     "libmpi++", "libmpich",
                                                      "libmpicxx.so", "libmpifort.", "libfmpich"};
  return std::any_of(kNames.begin(), kNames.end(), [&](std::string_view each) { return name.starts_with(each); });
}

// Whether it is one of MPICH or a relative, such as Intel MPI. Open MPI has had libmpi.so.20 and libmpi.so.40 since version 2.
inline bool is_mpich_library(std::string_view name) {
  return name.starts_with("libmpich") || name.starts_with("libmpi.so.12") || name.starts_with("libmpifort") ||
         name.starts_with("libmpicxx") || name.starts_with("libfmpich");
}

// muster may start the programs of ranks by a shell, which hides them from the MPI services. This variable then names them:
// "2=/opt/a:5=./b" is /opt/a for ranks 0 and 1 of the world, and ./b for ranks 2 to 4. The shell removes it.
constexpr const char* kMpiPrograms = "MUSTER_MPI_PROGRAMS";

// The number of a group's program among those of its world, if `muster mpirun` has made several groups for one program.
constexpr const char* kMpiApp = "MUSTER_MPI_APP";

}  // namespace muster
