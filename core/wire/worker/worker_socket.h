// SPDX-License-Identifier: Apache-2.0
// WorkerSocket: the WorkerListener on a UNIX socket (mode 0600). A frame is the length in four little-endian bytes and a message
// of worker.proto (docs/reference/rank-socket.md). A call by frames costs a fifth of a call by gRPC, and needs no library.
//
// A connection that begins with gRPC's preface is passed to WorkerGrpc. Any other connection has one call at a time; a client
// that needs two calls at once opens two connections. A frame above 4 MiB, or one that is no WorkerRequest, ends its connection.
// If unfinished frames and answers that were not read take more than 128 MiB, the connection with the most bytes is closed.
// Loop thread only.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "core/base/unix_socket.h"
#include "core/port/worker_listener.h"
#include "core/system/asio/fd_loop.h"
#include "core/system/posix/unique_fd.h"
#include "core/wire/worker/worker_grpc.h"

namespace muster {

class WorkerSocket final : public WorkerListener {
 public:
  // Listens at `path`. If that fails, path() is empty and ranks have no socket.
  WorkerSocket(FdLoop& loop, std::string path);
  ~WorkerSocket() override;  // removes the socket
  WorkerSocket(const WorkerSocket&) = delete;
  WorkerSocket& operator=(const WorkerSocket&) = delete;

  std::string path() const override { return here() ? path_ : ""; }
  void restore() override;
  void remove_beside(const std::string& path) override;
  void listen(OnCall on_call, OnTrouble on_trouble) override;
  void serve_execs(OnExec on_exec) override { on_exec_ = std::move(on_exec); }

 private:
  struct Connection;

  bool here() const;  // the path still leads to our listener
  void accept();
  void accept_later();
  // Each of these may end the connection, so the caller must not use it afterwards.
  void readable(Connection& connection);
  bool wants_grpc(int fd) const;
  void hand_over(Connection& connection);
  void take_frame(Connection& connection);
  void reply(Connection& connection, const WorkerAnswer& answer);
  void flush(Connection& connection);
  void flush_later(Connection& connection);
  // Takes the next frame in a later turn of the loop, so that pipelined calls do not deepen the stack.
  void go_on_later(const Connection& connection);
  void drop(const Connection& connection);
  // Counts the memory of the connection. False: it was closed.
  bool count(Connection& connection);
  void close_largest();
  // There is no socket; `error`: errno of listen_unix(). Tells it once.
  void miss(int error);
  void tell(const std::string& what);
  // Null: it has ended.
  Connection* find(uint64_t number) const;

  FdLoop& loop_;
  const std::string path_;
  UniqueFd listener_;
  FileMark mark_;        // of the file at path_ that belongs to listener_
  std::string missing_;  // why there is no socket
  std::unique_ptr<LoopWatch> watch_;
  OnCall on_call_;
  OnTrouble on_trouble_;
  OnExec on_exec_;
  std::map<uint64_t, std::unique_ptr<Connection>> connections_;
  size_t held_ = 0;  // bytes that all connections hold
  uint64_t next_ = 1;
  std::unique_ptr<WorkerGrpc> grpc_;  // set when the first gRPC client connects
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
