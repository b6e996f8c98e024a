// SPDX-License-Identifier: Apache-2.0
// MpiProgramSearch: finds the MPI program of an attempt once for all MPI services of an agent. It reads files on a thread of its own,
// since a network file system may answer late. Loop thread only.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/node/mpi/mpi_program.h"
#include "core/port/loop.h"

namespace muster {

class MpiProgramSearch {
 public:
  using Found = std::function<void(const MpiProgram& program)>;

  explicit MpiProgramSearch(Loop& loop);
  // A search in progress continues; nobody is told of its result.
  ~MpiProgramSearch();
  MpiProgramSearch(const MpiProgramSearch&) = delete;
  MpiProgramSearch& operator=(const MpiProgramSearch&) = delete;

  // The program that `request` starts. `world` names the attempt (MpiTask::name_space). `found` is called once, in this call if the
  // program of this attempt is known, else in a later turn; not if another attempt begins before.
  void find(const std::string& world, const SpawnRequest& request, Found found);

 private:
  struct Gate;
  void take(const std::string& world, const MpiProgram& program);

  Loop& loop_;
  const std::shared_ptr<Gate> gate_;
  std::string world_;
  std::vector<Found> waiting_;
  std::unique_ptr<MpiProgram> program_;  // of `world_`; null: not found yet
};

}  // namespace muster
