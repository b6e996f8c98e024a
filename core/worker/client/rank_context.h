// SPDX-License-Identifier: Apache-2.0
// RankContext: a rank's connection to its job: its place, the store of its attempt, and the end notice. Any thread; calls
// block.
//
// Calls share a few connections; a call that waits has its own. The first call of end(), broken() or on_broken() starts a
// thread that listens for the end of the attempt.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/worker/client/adaptive_poll.h"
#include "core/worker/client/connection.h"
#include "core/worker/client/environment.h"
#include "core/worker/meeting.h"

namespace muster::worker {

// The announced end of an attempt.
struct End {
  std::string why;
  Connection::Clock::time_point grace_until;  // the process is killed then, or earlier
};

class RankContext final : public Meeting {
 public:
  // Connects to the agent.
  static Result<std::unique_ptr<RankContext>> open(Place place);
  ~RankContext() override;

  const Place& place() const { return place_; }

  uint32_t rank() const override { return place_.rank; }
  uint32_t world_size() const override { return place_.world_size; }
  std::string address() const override { return place_.address.empty() ? "127.0.0.1" : place_.address; }
  Status set(const std::string& key, const std::string& value) override;
  Result<std::string> get(const std::string& key) override;
  void remove(const std::string& key) override;
  Result<std::string> wait(const std::string& key, Duration timeout) override;
  Result<std::vector<std::string>> fence(const std::string& name, const std::string& value,
                                         const std::vector<uint32_t>& ranks, Duration timeout) override;
  std::string broken(Duration patience) override;
  uint64_t on_broken(std::function<void(const std::string&)> tell) override;
  void forget(uint64_t number) override;

  // Makes a store call; repeats it while the coordinator cannot be reached, if that is safe.
  Result<Reply> ask(const StoreCall& call);
  // Sends a progress report, or keeps it if the last one was sent less than 0.1 s ago. The destructor sends a kept report.
  Status tell(const Progress& progress);
  // The announced end; nullopt: none.
  std::optional<End> end();
  // Waits for the next attempt; redirects stdout and stderr to its files.
  Status rejoin();

 private:
  explicit RankContext(Place place);

  // Like Connection::call, on an idle or a new connection.
  Result<Reply> call(const std::string& frame, Duration patience, bool polls = false);
  // A call that the agent answers at once, on a node with a spare CPU: it may poll before it blocks (AdaptivePoll).
  Result<Reply> polling_call(const std::string& frame);
  Result<std::unique_ptr<Connection>> idle_connection();
  Status send(const Progress& progress);
  void listen();
  void set_end(const std::string& why, bool broken, Duration grace = Duration(0));
  void stop_listening();

  Place place_;
  const bool spare_cpu_;

  // mutex: protects the rest, since any thread may call. Never held while waiting for the agent.
  std::mutex mutex_;
  std::vector<std::unique_ptr<Connection>> idle_;
  AdaptivePoll adaptive_poll_;
  std::optional<Progress> unsent_;
  Connection::Clock::time_point sent_at_;

  std::condition_variable end_changed_;
  std::thread listener_;
  std::unique_ptr<Connection> end_connection_;
  bool closing_ = false;
  std::optional<End> end_;
  std::string broken_;
  std::map<uint64_t, std::function<void(const std::string&)>> watchers_;
  uint64_t next_watcher_ = 1;
  // mutex: held while watchers run, so that forget() does not return meanwhile. Taken before mutex_.
  std::recursive_mutex telling_;
};

}  // namespace muster::worker
