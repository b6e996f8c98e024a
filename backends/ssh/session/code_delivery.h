// SPDX-License-Identifier: Apache-2.0
// CodeDelivery: copies a job's code to a host, with `muster unpack` there. Nothing is sent if the host has the archive already or mounts
// the job's folder. Loop thread only.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/ssh/session/host_session.h"
#include "core/job/code_order.h"

namespace muster {

// Sets the inode and change time of the order's folder, by which a host recognises a folder that both machines mount. False: there is
// no such folder here.
bool mark_folder(CodeOrder& order);

class CodeDelivery {
 public:
  // `archive`: a path on this machine; it is read while it is sent. `connected` runs when muster runs on the host. `done` runs once, in a
  // later turn, with nullopt or with the reason of the failure.
  using Done = std::function<void(const std::optional<ssh::SshTrouble>&)>;
  CodeDelivery(FdLoop& loop, std::shared_ptr<const HostAccess> access, std::string host, const CodeOrder& order,
               std::string archive, std::function<void()> connected, Done done);
  ~CodeDelivery();
  CodeDelivery(const CodeDelivery&) = delete;
  CodeDelivery& operator=(const CodeDelivery&) = delete;

  uint64_t sent_bytes() const { return sent_; }

 private:
  void arrived(HostArrival arrival);
  void read_answer();
  void begin_archive();
  void write_more();
  bool read_block();
  void restart_deadline();
  void ended(const HelperEnd& end);
  void finish(const std::optional<ssh::SshTrouble>& trouble);

  FdLoop& loop_;
  const std::string host_;
  const std::string archive_;
  const std::function<void()> connected_;
  Done done_;
  std::string outgoing_;
  size_t written_ = 0;
  std::string answer_;
  uint64_t sent_ = 0;  // bytes of the archive
  UniqueFd stream_;
  UniqueFd writing_;  // a duplicate of stream_, because a descriptor can be watched only once
  UniqueFd file_;
  std::unique_ptr<LoopWatch> reads_;
  std::unique_ptr<LoopWatch> writes_;
  TimerId deadline_ = 0;
  std::unique_ptr<HostSession> session_;
};

}  // namespace muster
