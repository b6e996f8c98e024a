// WarmParent: one interpreter that waits at our hook (warm_hook.py) before its program, and its UNIX socket. It is asked to
// import, and to fork ranks. Loop thread only.
#pragma once

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

// A rank that is set up and waits; it ends when the gate closes before open_gate().
struct ForkedRank {
  pid_t pid = 0;
  UniqueFd gate;
};
void open_gate(const ForkedRank& rank);

class WarmParent {
 public:
  using Answered = std::function<void(const std::vector<std::string>& fields)>;

  // Executes `request` so that it comes to the hook. `folder` is 0700 and holds the hook, the socket and what the imports
  // print; one parent at a time. Errors as ProcessHost::spawn, and those of the socket.
  static Result<std::unique_ptr<WarmParent>> start(FdLoop& loop, ProcessHost& host, SpawnRequest request,
                                                   const std::string& folder);
  // Kills it; nobody is answered any more.
  ~WarmParent();
  WarmParent(const WarmParent&) = delete;
  WarmParent& operator=(const WarmParent&) = delete;

  // One after the other, from its start on. Without fields: it has ended.
  void ask(const WarmMessage& order, Answered answered);
  bool idle() const { return questions_.empty() && channel_.valid(); }

  // Between questions. Blocks for the milliseconds that a fork takes, 5 s at most. After a failure the parent is of no more
  // use.
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
  UniqueFd door_;
  UniqueFd channel_;
  std::unique_ptr<LoopWatch> watch_;
  std::string received_;
  std::deque<Question> questions_;
  bool asked_ = false;  // the first question was sent
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
