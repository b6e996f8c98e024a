// SPDX-License-Identifier: Apache-2.0
// ProgramService: the node service that runs the program of DesiredState::program. Ranks start when it listens at its port: those
// of other nodes learn it through the rendezvous. If it fails, the attempt fails. If it exits with 0, the attempt goes on. Its output is kept beside that of the node's first rank.
// Loop thread only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/job/service_program.h"
#include "core/node/exchange/node_exchange.h"
#include "core/port/loop.h"
#include "core/port/node_service.h"
#include "core/port/process_host.h"

namespace muster {

// The process of the program, if `rank` is the first rank of its node. It gets the rank's environment, except its place.
SpawnRequest program_request(const ServiceProgram& program, const SpawnRequest& rank);

class ProgramService final : public NodeService {
 public:
  // `host`: this node, for messages.
  ProgramService(Loop& loop, ProcessHost& processes, std::string host)
      : loop_(loop),
        processes_(processes),
        host_(std::move(host)) {}
  ~ProgramService() override;

  std::string name() const override { return "program"; }
  Status reserve(const Bind&, const NodePorts&) override { return Status(); }
  // `failed`: it cannot be executed, it has ended, or it does not listen within a minute.
  void start(const ServiceStart& start, ServiceEvents events) override;
  RankGift gift(uint32_t) const override { return {}; }
  RankFault fault(uint32_t, const ExitStatus&) override { return {}; }
  // SIGTERM, and SIGKILL 2 s later; a program of muster's own gets SIGKILL at once.
  void stop() override;
  bool stopped() const override { return process_ == 0; }
  void tell(Report&) override {}

 private:
  void wait_for_node();
  void look();
  void ended(const ExitStatus& exit);
  void fail(const std::string& why);
  void say_failed(const std::string& what);

  Loop& loop_;
  ProcessHost& processes_;
  const std::string host_;
  ServiceProgram program_;
  std::unique_ptr<NodeExchange> nodes_;  // while the attempt runs
  std::string stderr_path_;
  ProcessHandle process_ = 0;
  bool stopping_ = false;
  bool ready_ = false;
  TimePoint begun_;
  Duration pause_{0};  // between two looks at the port
  TimerId timer_ = 0;  // the next look, or SIGKILL
  ServiceEvents events_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
