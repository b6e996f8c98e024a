// WorkerSocket: the WorkerDoor on a UNIX socket (mode 0600): worker.proto's messages, each behind its length as four
// little-endian bytes. No gRPC: a blocking call on a plain socket costs a fifth, and a client needs no library
// (proto/README.md).
//
// A connection that asks for a lane is lent memory (core/base/lane.h), through which its short calls then come. An empty
// frame on it is the bell: from then on its lane is looked at, round after round with those of others, until a round
// finds nothing in any.
//
// A client that begins as gRPC does is given to WorkerGrpc. Else: one call at a time on a connection; who wants to wait
// and set at once opens two. A frame above 4 MiB, or one that is no message, ends the connection, as nonsense in its lane
// does. Loop thread only.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/port/worker_door.h"
#include "core/system/asio/fd_loop.h"
#include "core/wire/worker/patience.h"
#include "core/wire/worker/worker_grpc.h"

namespace muster {

class WorkerSocket final : public WorkerDoor {
 public:
  // Listens at `path`; when it cannot, path() is empty and workers go without.
  WorkerSocket(FdLoop& loop, std::string path);
  ~WorkerSocket() override;  // removes the socket
  WorkerSocket(const WorkerSocket&) = delete;
  WorkerSocket& operator=(const WorkerSocket&) = delete;

  std::string path() const override { return path_; }
  void remove_beside(const std::string& path) override;
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
  void take_call(Connection& connection, WorkerCall call);
  void reply(Connection& connection, const WorkerAnswer& answer);
  void flush(Connection& connection);
  void flush_later(Connection& connection);
  // Once more a frame, in a turn of its own: a client with many calls in the pipe must not deepen our stack.
  void go_on_later(const Connection& connection);
  void drop(Connection& connection);
  // Null: it has ended.
  Connection* find(uint64_t number) const;

  // worker_socket_lanes.cc
  void lend_lane(Connection& connection, uint32_t layout);
  // Takes the bells off what was read.
  void hear_bells(Connection& connection);
  // As long as there are questions in those that are awake.
  void look_at_lanes();
  // How many questions a look at each found.
  size_t round();
  // Round after round for some microseconds, where that is worth it: the same, as soon as one found some.
  size_t look_on();
  void take_question(Connection& connection);
  void reply_in_lane(Connection& connection, const WorkerAnswer& answer);
  // False: there is a question in one of them.
  bool let_lanes_sleep();

  FdLoop& loop_;
  std::string path_;
  int fd_ = -1;
  std::unique_ptr<LoopWatch> watch_;
  OnCall on_call_;
  std::map<uint64_t, std::unique_ptr<Connection>> connections_;
  uint64_t next_ = 1;
  std::vector<Connection*> awake_;  // whose lanes are looked at; null: has ended meanwhile
  bool look_posted_ = false;        // the next look at them
  Patience patience_;
  std::unique_ptr<WorkerGrpc> grpc_;  // once somebody speaks it
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
