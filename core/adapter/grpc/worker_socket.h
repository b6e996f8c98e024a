// WorkerSocket: the WorkerDoor on a UNIX socket (mode 0600): worker.proto's messages, each behind its length as four
// little-endian bytes. No gRPC: a blocking call on a plain socket costs a fifth, and a client needs no library
// (proto/README.md).
//
// A client that begins as gRPC does is given to WorkerGrpc. Else: one call at a time on a connection; who wants to wait
// and set at once opens two. A frame above 4 MiB, or one that is no message, ends the connection. Loop thread only.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "core/adapter/asio/fd_loop.h"
#include "core/adapter/grpc/worker_grpc.h"
#include "core/port/worker_door.h"

namespace muster {

class WorkerSocket final : public WorkerDoor {
 public:
  // Listens at `path`; when it cannot, path() is empty and workers go without.
  WorkerSocket(FdLoop& loop, std::string path);
  ~WorkerSocket() override;  // removes the socket
  WorkerSocket(const WorkerSocket&) = delete;
  WorkerSocket& operator=(const WorkerSocket&) = delete;

  std::string path() const override { return path_; }
  void listen(OnCall on_call) override { on_call_ = std::move(on_call); }

 private:
  struct Connection;

  void accept();
  void accept_later();
  // Each may end the connection: the last thing that is done with it.
  void readable(Connection& connection);
  bool wants_grpc(int fd) const;
  void hand_over(Connection& connection);
  void take_frame(Connection& connection);
  void reply(Connection& connection, const WorkerAnswer& answer);
  void flush(Connection& connection);
  void flush_later(Connection& connection);
  void drop(const Connection& connection);
  // Null: it has ended.
  Connection* find(uint64_t number) const;

  FdLoop& loop_;
  std::string path_;
  int fd_ = -1;
  std::unique_ptr<LoopWatch> watch_;
  OnCall on_call_;
  std::map<uint64_t, std::unique_ptr<Connection>> connections_;
  uint64_t next_ = 1;
  std::unique_ptr<WorkerGrpc> grpc_;  // once somebody speaks it
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
