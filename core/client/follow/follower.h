// SPDX-License-Identifier: Apache-2.0
// Follower: receives one job's stream until the job ends. If the connection to the controller is lost, it reconnects and
// resumes at the byte and the event that it had reached: nothing is shown twice, nothing is left out.
//
// If the ranks' files are on this machine, the stream contains only positions, and the follower reads the bytes from the
// files. If a file cannot be read (the socket leads to another machine, or logs.max dropped the bytes), it requests the
// rest as bytes.
//
// Loop thread only. Prints nothing; its listener does.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "core/port/control.h"
#include "core/port/loop.h"
#include "core/port/near_files.h"

namespace muster {

class FollowListener {
 public:
  virtual ~FollowListener() = default;
  virtual void on_event(const JobEvent& event) = 0;
  virtual void on_view(const JobView& view) = 0;
  virtual void on_output(const OutputChunk& chunk) = 0;
  // muster's own note: the connection to the controller is lost, or was lost and is back.
  virtual void on_remark(const std::string& sentence) = 0;
  // Called once, last. unavailable: no controller could be reached for `patience`.
  virtual void on_end(const Status& status) = 0;
};

class Follower {
 public:
  using Connect = std::function<Result<std::shared_ptr<JobClient>>()>;

  // `connect` makes a new connection after a loss; empty: a loss ends the following. `files` null: the stream contains
  // all bytes. `listener` must outlive the follower. A listener must not destroy the follower in a callback.
  Follower(Loop& loop, std::shared_ptr<JobClient> client, Connect connect, NearFiles* files, FollowListener& listener);
  ~Follower();
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  void start(FollowRequest request);

  // While held, no new items are read; the listener may still get items already received. Timers and the connection
  // remain active.
  void hold(bool held);

  // The current connection.
  JobClient& client() { return *client_; }

  static constexpr Duration patience = std::chrono::seconds(30);
  static constexpr Duration pause = std::chrono::milliseconds(250);
  // A loss shorter than this is reported only after it is over.
  static constexpr Duration worth_telling = std::chrono::seconds(2);
  // Bytes that are read and shown in one turn of the loop.
  static constexpr size_t block = 256 * 1024;

 private:
  using Stream = std::tuple<Attempt, uint32_t, OutputStream>;
  void follow();
  void take(const FollowItem& item);
  void take_output(const OutputChunk& chunk);
  void take_span(const OutputSpan& span);
  void read_on();
  void span_done();
  void ask_for_bytes();
  void resume();
  void ended(const Status& status);
  void lost(const Status& status);
  void tell_of_return();
  void give_up(const Status& status);
  void try_again();

  Loop& loop_;
  const Connect connect_;
  NearFiles* files_;  // null: the files are not on this machine
  FollowListener& listener_;
  FollowRequest request_;
  std::shared_ptr<JobClient> client_;
  std::unique_ptr<JobReadClient::Following> following_;
  std::map<Stream, uint64_t> reached_;  // the offset after the last byte shown
  OutputSpan span_;                     // the span being read
  OutputChunk read_;                    // its current block; the buffer is reused
  bool near_ = false;                   // a file was read: the files are on this machine
  bool held_ = false;                   // hold(true) was called
  bool reading_ = false;                // a span is being read; the stream is held meanwhile
  bool stopped_ = false;                // hold(true) was called while a span was being read
  std::optional<TimePoint> lost_since_;
  TimerId timer_ = 0;
  TimerId absence_ = 0;  // reports the loss
  bool told_ = false;    // the loss was reported
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
