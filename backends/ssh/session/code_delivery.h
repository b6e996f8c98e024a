// CodeDelivery: a job's code on its way to a host, by `muster unpack` there: sent where the host has it neither from before nor in a
// folder that both mount. Loop thread only.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/ssh/session/host_session.h"
#include "core/job/code_order.h"

namespace muster {

// By what a host knows the folder of an order on a disk that both mount: its inode, and when it was changed. False: there is no such
// folder here.
bool mark_folder(CodeOrder& order);

class CodeDelivery {
 public:
  // `archive`: its path here, read as it is sent. `let_in` runs once muster is there. `done` runs once, in a later turn: nothing, or why the code is not there.
  using Done = std::function<void(const std::optional<ssh::SshTrouble>&)>;
  CodeDelivery(FdLoop& loop, std::shared_ptr<const HostAccess> access, std::string host, const CodeOrder& order,
               std::string archive, std::function<void()> let_in, Done done);
  ~CodeDelivery();
  CodeDelivery(const CodeDelivery&) = delete;
  CodeDelivery& operator=(const CodeDelivery&) = delete;

  uint64_t sent_bytes() const { return sent_; }

 private:
  void arrived(HostArrival arrival);
  void hear();
  void begin_archive();
  void write_more();
  bool read_block();
  void be_patient();
  void ended(const HelperEnd& end);
  void finish(const std::optional<ssh::SshTrouble>& trouble);

  FdLoop& loop_;
  const std::string host_;
  const std::string archive_;
  const std::function<void()> let_in_;
  Done done_;
  std::string outgoing_;
  size_t written_ = 0;
  std::string answer_;
  uint64_t sent_ = 0;  // of the archive
  UniqueFd stream_;
  UniqueFd writing_;  // the same: a descriptor is watched once
  UniqueFd file_;
  std::unique_ptr<LoopWatch> reads_;
  std::unique_ptr<LoopWatch> writes_;
  TimerId deadline_ = 0;
  std::unique_ptr<HostSession> session_;
};

}  // namespace muster
