// RankContext: what a program has of its job: its place, the store of its attempt, and the notice that the attempt
// ends. Any thread; calls block.
//
// Calls share a few connections: one that waits holds its own. A thread listens for the end of the attempt once
// somebody wants to know.
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

// The end of an attempt, as it was heard of first.
struct End {
  std::string why;
  Connection::Clock::time_point grace_until;  // or earlier
};

class RankContext final : public Meeting {
 public:
  // Its agent has answered.
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

  // What a store call answers.
  Result<Reply> ask(const StoreCall& call);
  // Kept for a tenth of a second when the last one left just now; told at the end by the destructor.
  Status tell(const Progress& progress);
  // Once the attempt is to end.
  std::optional<End> end();
  // Standard output and error go to the files of the new attempt.
  Status rejoin();

 private:
  explicit RankContext(Place place);

  // As Connection::call, on a connection that is idle or new.
  Result<Reply> call(const std::string& frame, Duration patience, bool looks = false);
  // A call that the agent answers at once, on a node with a spare CPU: it may poll before it blocks (AdaptivePoll).
  Result<Reply> glancing_call(const std::string& frame);
  Result<std::unique_ptr<Connection>> idle_connection();
  Status send(const Progress& progress);
  void listen();
  void hear(const std::string& why, bool broken, Duration grace = Duration(0));
  void stop_listening();

  Place place_;
  const bool spare_cpu_;

  // mutex: any thread of the program may call; held for moments, never while waiting for the agent.
  std::mutex mutex_;
  std::vector<std::unique_ptr<Connection>> idle_;
  AdaptivePoll adaptive_poll_;
  std::optional<Progress> unsent_;
  Connection::Clock::time_point sent_at_;

  std::condition_variable heard_;
  std::thread listener_;
  std::unique_ptr<Connection> ear_;
  bool closing_ = false;
  std::optional<End> end_;
  std::string broken_;
  std::map<uint64_t, std::function<void(const std::string&)>> watchers_;
  uint64_t next_watcher_ = 1;
  // mutex: forget() must not return while a watcher runs; taken before mutex_.
  std::recursive_mutex telling_;
};

}  // namespace muster::worker
