// CoordinatorCore: what the parts of a coordinator ask of its core, and what they all work on. Loop thread only.
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

// What a coordinator acts through. Everything outlives it.
struct CoordinatorPorts {
  Loop& loop;
  Backend backend;
  JournalStore& store;
  OutputFiles& output;
  OutputKeeper& keeper;  // of what agents send (Capabilities::shares_filesystem)
  Log& log;
};

class CoordinatorCore {
 public:
  virtual ~CoordinatorCore() = default;

  // Feeds the job machine, and carries out what it wants. The coordinator may be destroyed in it; alive() tells.
  virtual void happen(const job::Event& event) = 0;
  // Told to people. `trouble`: again with the end.
  virtual void remark(const std::string& sentence, bool trouble) = 0;
  // The view of the job is another.
  virtual void changed() = 0;
  // Dismisses the node's agent and lets its backend end what is left of it.
  virtual void release(NodeIndex node) = 0;
  // The node is lost, whatever may still run there.
  virtual void give_up(NodeIndex node, const std::string& why) = 0;
  // False once the coordinator is destroyed.
  virtual std::shared_ptr<const bool> alive() const = 0;
};

// Refers to what outlives every part.
struct JobContext {
  CoordinatorCore& core;
  const CoordinatorPorts& ports;
  JobLedger& ledger;
  AgentNodes& nodes;
};

}  // namespace muster
