// WorkerListener: an agent's socket for its workers (MUSTER_SOCKET): calls come in, answers go out. It judges nothing. Loop
// thread only.
#pragma once

#include <functional>
#include <string>

#include "core/port/worker_messages.h"

namespace muster {

class WorkerListener {
 public:
  virtual ~WorkerListener() = default;

  // What MUSTER_SOCKET says; empty: there is no socket.
  virtual std::string path() const = 0;

  // Of a socket that a rank made beside it, and which nobody listens at any more.
  virtual void remove_beside(const std::string& path) = 0;

  // `answer` is called once, or never: then the worker's connection stays open until the door goes. Set once.
  using Answer = std::function<void(const WorkerAnswer&)>;
  using OnCall = std::function<void(WorkerCall, Answer answer)>;
  virtual void listen(OnCall on_call) = 0;
};

}  // namespace muster
