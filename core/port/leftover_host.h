// SPDX-License-Identifier: Apache-2.0
// LeftoverHost: finds and signals leftovers: processes that ranks or service programs started and whose parent has ended. The agent
// is their parent now (subreaper, prctl(2)). It makes no decisions. Loop thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/port/process_host.h"

namespace muster {

struct Leftover {
  ProcessIdentity identity;
  int64_t session = 0;  // id of its session; that of a rank is the pid of its main process
};

// What is known of it from its command line and its environment.
struct LeftoverOrigin {
  std::string command;   // for messages: "sh upload.sh"
  std::string rank;      // MUSTER_RANK; empty: unknown
  Attempt attempt = 0;   // MUSTER_ATTEMPT; 0: unknown
  bool service = false;  // a service program started it, not a rank (kServiceVariable)
};

class LeftoverHost {
 public:
  virtual ~LeftoverHost() = default;

  // The living children of this process that ProcessHost did not start. Their own children are not listed.
  virtual std::vector<Leftover> leftovers() = 0;

  virtual LeftoverOrigin origin(const Leftover& leftover) = 0;

  // False: /proc is not mounted, so leftovers() finds none.
  virtual bool sees_processes() = 0;

  // Whether its stdin is a pipe into which another of these leftovers, of the same session, writes.
  virtual bool reads_from_another(const Leftover& leftover, const std::vector<Leftover>& all) = 0;

  // Whether it or one of its descendants has a GPU open or a TCP or UDP port, or it is unknown. Takes milliseconds.
  virtual bool holds_device_or_port(const Leftover& leftover) = 0;

  // SIGKILL goes also to the process group that it leads, other signals to the process alone. No effect if it has ended.
  virtual void signal(const Leftover& leftover, int number) = 0;

  // `handler` is called in a later turn after a child of this process has ended. It must not destroy its owner. Replaces an earlier
  // handler; null: none.
  virtual void on_child_end(std::function<void()> handler) = 0;
};

}  // namespace muster
