// SPDX-License-Identifier: Apache-2.0
// WarmParent: a Python interpreter that waits in muster's hook (warm_hook.py) before it runs its program. It takes orders
// to import modules and to fork ranks over a UNIX socket. Loop thread only.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/node/warm/warm_message.h"
#include "core/port/process_host.h"
#include "core/system/asio/fd_loop.h"
#include "core/system/posix/unique_fd.h"

namespace muster {

// A forked rank that waits before its program. open_gate() starts the program; if the gate closes first, the rank exits.
struct ForkedRank {
  pid_t pid = 0;
  UniqueFd gate;
};
// `stdio`: what becomes its stdin, stdout and stderr; -1: as the fork has set it.
void open_gate(const ForkedRank& rank, const std::array<int, 3>& stdio);

class WarmParent {
 public:
  using Answered = std::function<void(const std::vector<std::string>& fields)>;

  // Executes `request` so that it runs the hook. `folder` has mode 0700 and holds the hook, the socket and the output of the
  // imports; only one parent may use it at a time. Errors: those of ProcessHost::spawn and of the socket.
  static Result<std::unique_ptr<WarmParent>> start(FdLoop& loop, ProcessHost& host, SpawnRequest request,
                                                   const std::string& folder);
  // Kills the parent; open questions get no answer.
  ~WarmParent();
  WarmParent(const WarmParent&) = delete;
  WarmParent& operator=(const WarmParent&) = delete;

  // Queues an order; orders are sent one after the other. An answer without fields: the parent has ended.
  void ask(const WarmMessage& order, Answered answered);
  bool idle() const { return questions_.empty() && channel_.valid(); }

  // Forks a rank; only if idle(). Blocks while the parent forks: some milliseconds, 5 s at most. After a failure the parent
  // must not be used any more.
  Result<ForkedRank> fork(const WarmMessage& order);

 private:
  struct Question {
    std::string order;
    Answered answered;
  };

  WarmParent(FdLoop& loop, ProcessHost& host, const std::string& folder);
  Status listen();
  Status execute(SpawnRequest request);
  void accept();
  void readable();
  void heard(const std::vector<std::string>& fields);
  void send_next();
  void lose();

  FdLoop& loop_;
  ProcessHost& host_;
  const std::string folder_;
  std::vector<std::string> argv_;
  ProcessHandle process_ = 0;
  bool ended_ = false;
  UniqueFd listener_;
  UniqueFd channel_;
  std::unique_ptr<LoopWatch> watch_;
  std::string received_;
  std::deque<Question> questions_;
  bool asked_ = false;  // the first question has been sent
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
