// SPDX-License-Identifier: Apache-2.0
// CoordinatorCore: the interface through which the parts of a coordinator call it, and the context that they share. Loop thread
// only.
#pragma once

#include <memory>
#include <string>

#include "core/base/log.h"
#include "core/coordinator/agent_nodes.h"
#include "core/coordinator/job_ledger.h"
#include "core/machine/job/job.h"
#include "core/port/backend.h"
#include "core/port/job_store.h"
#include "core/port/loop.h"
#include "core/port/output_files.h"
#include "core/port/output_keeper.h"

namespace muster {

// The ports of a coordinator. All of them outlive it.
struct CoordinatorPorts {
  Loop& loop;
  Backend backend;
  JournalStore& store;
  OutputFiles& output;
  OutputKeeper& keeper;  // for output that agents send (Capabilities::shares_filesystem is false)
  Log& log;
};

class CoordinatorCore {
 public:
  virtual ~CoordinatorCore() = default;

  // Passes the event to the job machine and performs its actions. The coordinator may be destroyed during the call: check
  // alive() afterwards.
  virtual void happen(const job::Event& event) = 0;
  // Adds a note to the journal. `trouble`: it is a problem, which is shown again when the job ends.
  virtual void remark(const std::string& sentence, bool trouble) = 0;
  // The view of the job has changed.
  virtual void changed() = 0;
  // Dismisses the node's agent and releases the node to its backend.
  virtual void release(NodeIndex node) = 0;
  // Counts the node as lost, even if processes may still run there.
  virtual void give_up(NodeIndex node, const std::string& why) = 0;
  // False once the coordinator is destroyed.
  virtual std::shared_ptr<const bool> alive() const = 0;
};

// References that every part of a coordinator needs. They outlive the parts.
struct JobContext {
  CoordinatorCore& core;
  const CoordinatorPorts& ports;
  JobLedger& ledger;
  AgentNodes& nodes;
};

}  // namespace muster
