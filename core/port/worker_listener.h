// SPDX-License-Identifier: Apache-2.0
// WorkerListener: an agent's socket for its workers (MUSTER_SOCKET). It receives calls and sends answers, without interpreting
// them. Loop thread only.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/port/exec_channel.h"
#include "core/port/worker_messages.h"

namespace muster {

// In the sentence of an agent whose ranks have no MUSTER_SOCKET.
constexpr std::string_view kNoRankSocket = "ranks have no socket for their rendezvous, their progress and mpirun";

class WorkerListener {
 public:
  virtual ~WorkerListener() = default;

  // The value of MUSTER_SOCKET; empty: there is no socket.
  virtual std::string path() const = 0;

  // Listens anew if the socket was deleted, as cleaners of /tmp do. Calls that wait for an answer are not affected.
  virtual void restore() = 0;

  // Removes a socket that a rank created in the same folder and that has no listener any more.
  virtual void remove_beside(const std::string& path) = 0;

  // Call `answer` once, or never: then the worker's connection stays open until the listener is destroyed. `on_trouble` gets a
  // sentence when there is no socket, with the reason, or when a connection was closed because its workers use too much memory. Set once.
  using Answer = std::function<void(const WorkerAnswer&)>;
  using OnCall = std::function<void(WorkerCall, Answer answer)>;
  using OnTrouble = std::function<void(const std::string& what)>;
  virtual void listen(OnCall on_call, OnTrouble on_trouble) = 0;

  // `on_exec` gets each worker that runs a program beside another rank, as the viewer of that program. Set once.
  using OnExec = std::function<void(const ExecStart& start, std::unique_ptr<ExecChannel> viewer)>;
  virtual void serve_execs(OnExec on_exec) = 0;
};

}  // namespace muster
