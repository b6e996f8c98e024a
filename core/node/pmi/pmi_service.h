// SPDX-License-Identifier: Apache-2.0
// PmiService: the node service of MPI jobs whose program is linked to MPICH or a relative, such as Intel MPI. It gives each rank a socket
// (PMI_FD) on which it serves PMI, and exchanges its values with other nodes (NodeExchange). Other programs are PmixService's.
// Loop thread only.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/node/exchange/node_exchange.h"
#include "core/node/mpi/mpi_folder.h"
#include "core/node/mpi/mpi_program_search.h"
#include "core/node/pmi/pmi_server.h"
#include "core/port/mpi_task.h"
#include "core/port/node_service.h"
#include "core/system/asio/fd_loop.h"
#include "core/system/posix/unique_fd.h"

namespace muster {

class PmiService final : public NodeService {
 public:
  // `folder`: for notes of shared memory; made and removed here. `host`: this node, for messages.
  PmiService(FdLoop& loop, MpiProgramSearch& programs, std::string folder, std::string host);
  ~PmiService() override { *alive_ = false; }

  std::string name() const override { return "pmi"; }
  Status reserve(const Bind&, const NodePorts&) override { return Status(); }
  // `failed`: the system has no more descriptors.
  void start(const ServiceStart& start, ServiceEvents events) override;
  RankGift gift(uint32_t index) const override;
  RankFault fault(uint32_t index, const ExitStatus& exit) override;
  void stop() override;
  bool stopped() const override { return true; }
  // Report::met: when all ranks of the node had called MPI_Init.
  void tell(Report& report) override;

 private:
  struct RankState {
    uint32_t local = 0;
    UniqueFd ours;
    UniqueFd writing;  // the same socket: a descriptor can have only one watch
    UniqueFd theirs;   // the rank inherits it
    std::unique_ptr<LoopWatch> reads;
    std::unique_ptr<LoopWatch> writes;  // while `output` waits for the rank to read
    std::string output;
    std::optional<int> aborted;  // the code
    std::string refused;         // the last call that was refused
  };

  Status begin(const MpiTask& task, const ServiceRendezvous& rendezvous, PmiWorld world);
  Status open(RankState& rank);
  void read(RankState& rank);
  void write(RankState& rank);
  void write_later(RankState& rank);
  void act(const PmiActions& actions);
  void abort(const PmiAbort& abort);
  void refuse(RankState& rank, const std::string& call);
  void accuse(const PmiActions::Fault& fault);
  void exchange(const std::string& values);
  RankState* state_of(uint32_t local);

  FdLoop& loop_;
  MpiProgramSearch& programs_;
  const std::string host_;

  std::map<uint32_t, RankState> ranks_;  // by plan index
  PmiWorld world_;
  std::optional<PmiServer> server_;
  MpiFolder folder_;
  std::vector<Rank> leaders_;               // the first rank of each node
  std::unique_ptr<NodeExchange> exchange_;  // of this attempt
  bool yields_ = false;                     // there are more ranks than CPUs, so a waiting one leaves its CPU
  bool starts_none_ = false;                // MpiProgram::starts_none
  bool linked_ = false;                     // the program, to an MPI library
  bool warned_ = false;                     // of a program that is not, and ended without MPI_Init
  uint64_t exchanges_ = 0;
  uint64_t round_ = 0;  // rises with each start and stop; answers to earlier attempts are dropped
  ServiceEvents events_;
  TimePoint met_;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
