// SPDX-License-Identifier: Apache-2.0
// PmixService: the node service of MPI jobs. For each attempt it starts a helper process (pmix_helper.h) that serves PMIx to the ranks
// of the node, gives the ranks its variables, and makes the helper's calls of the rendezvous. It knows which ranks have joined and
// left the MPI world, so that a rank that exits with 0 but never joined it counts as failed. Loop thread only.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/node/exchange/node_exchange.h"
#include "core/node/mpi/mpi_folder.h"
#include "core/node/mpi/mpi_program_search.h"
#include "core/node/pmix/pmix_channel.h"
#include "core/port/loop.h"
#include "core/port/node_service.h"
#include "core/system/asio/fd_loop.h"

namespace muster {

struct PmixPlace {
  std::vector<std::string> program;  // the words that start muster itself
  std::string folder;                // for the socket and the files of libpmix: a short path; made and removed here
  std::string shared;  // for shared memory of the ranks, in a file system in memory; made and removed here
  std::string host;    // this node, for messages
};

class PmixService final : public NodeService {
 public:
  PmixService(FdLoop& loop, ProcessHost& host, MpiProgramSearch& programs, PmixPlace place);
  ~PmixService() override;

  std::string name() const override { return "pmix"; }
  Status reserve(const Bind&, const NodePorts&) override { return Status(); }
  // `failed`: there is no libpmix, the helper ended, or did not answer within 30 s.
  void start(const ServiceStart& start, ServiceEvents events) override;
  RankGift gift(uint32_t index) const override;
  RankFault fault(uint32_t index, const ExitStatus& exit) override;
  void stop() override;
  bool stopped() const override { return !running_; }
  // Report::met: when all ranks of the node had joined the MPI world.
  void tell(Report& report) override;

 private:
  struct RankState {
    uint32_t rank = 0;
    std::map<std::string, std::string> environment;
    bool joined = false;
    bool left = false;
    std::optional<int> aborted;  // the code
    std::string refused;         // the last call that was refused
  };

  Status begin(const ServiceStart& start, const MpiTask& task);
  Status serve(const SpawnRequest& first, const MpiProgram& program);
  Status make_folders();
  void remove_folders();
  Status spawn(const SpawnRequest& first);
  void heard(const PmixFields& message);
  void is_ready(const PmixFields& message);
  void take(RankState& rank, const PmixFields& message);
  RankState* state_of(const std::string& rank);
  void ask(const PmixFields& message);
  void fence(uint64_t id, const PmixFields& message);
  void answer(uint64_t id, const Status& status, const std::vector<std::string>& values);
  void ended(const ExitStatus& exit);
  void fail(const std::string& why);
  std::string silent_fault(const RankState& rank);
  std::string fault_of_peer() const;
  void say(const std::string& what) { events_.trouble(std::string(kMpiTrouble) + place_.host + ": " + what); }

  FdLoop& loop_;
  ProcessHost& host_;
  MpiProgramSearch& programs_;
  const PmixPlace place_;

  std::unique_ptr<PmixChannel> channel_;
  std::unique_ptr<NodeExchange> exchange_;  // of this attempt
  ProcessHandle helper_ = 0;
  bool running_ = false;  // the helper
  bool ready_ = false;
  uint64_t round_ = 0;  // rises with each start and stop; answers to earlier helpers are dropped
  MpiTask task_;
  MpiProgram program_;
  MpiFolder folder_;
  std::string shared_;                 // the folder for shared memory
  bool crowded_ = false;               // there are more ranks than CPUs
  std::set<std::string> set_by_user_;  // names of variables
  ServiceEvents events_;
  std::map<uint32_t, RankState> ranks_;  // by plan index
  TimePoint met_;
  bool warned_ = false;
  TimerId deadline_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
