// Follower: one job's stream, for as long as the job lasts: when the controller goes away it connects again and
// goes on at the byte and the event it had reached, so that nothing is shown twice and nothing is left out.
//
// Where the ranks' files can be read, the stream says which bytes are to be shown and they are read here; what turns out not
// to be there (another machine's socket, bytes that logs.max dropped meanwhile) is asked for again, as bytes.
//
// Loop thread only. Prints nothing: its listener does.
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
  // muster's own remark: the controller was gone, or stays away.
  virtual void on_remark(const std::string& sentence) = 0;
  // Once, last. unavailable: the controller stayed away for `patience`.
  virtual void on_end(const Status& status) = 0;
};

class Follower {
 public:
  using Connect = std::function<Result<std::shared_ptr<ControlClient>>()>;

  // `connect` makes a new connection after a loss; empty: a loss is the end. `files`: null: all bytes come with the
  // stream. `listener` outlives the follower, which the listener may destroy in any turn but that of a callback.
  Follower(Loop& loop, std::shared_ptr<ControlClient> client, Connect connect, NearFiles* files,
           FollowListener& listener);
  ~Follower();
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  void start(FollowRequest request);

  // While held the listener gets no more than what was under way; signals, timers and the connection live on.
  void hold(bool held);

  // The connection of the moment.
  ControlClient& client() { return *client_; }

  static constexpr Duration patience = std::chrono::seconds(30);
  static constexpr Duration pause = std::chrono::milliseconds(250);
  // A shorter absence is told once it is over.
  static constexpr Duration worth_telling = std::chrono::seconds(2);
  // Read and shown in one turn of the loop.
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
  NearFiles* files_;  // null: they are not here
  FollowListener& listener_;
  FollowRequest request_;
  std::shared_ptr<ControlClient> client_;
  std::unique_ptr<JobReadClient::Following> following_;
  std::map<Stream, uint64_t> reached_;  // the offset behind the last byte shown
  OutputSpan span_;                     // the one being read
  OutputChunk read_;                    // of it; its buffer is used again
  bool near_ = false;                   // a file could be read
  bool held_ = false;                   // by who follows
  bool reading_ = false;                // a span is being read, and the stream held for it
  bool stopped_ = false;                // in the middle of it
  std::optional<TimePoint> lost_since_;
  TimerId timer_ = 0;
  TimerId absence_ = 0;  // tells of it
  bool told_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
