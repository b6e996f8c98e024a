// ParkedRanks: processes of an attempt that has ended, which asked to be ranks of the next one (muster_rejoin). They
// belong to no attempt until the next one takes them, and end when there is none. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "core/port/loop.h"
#include "core/port/process_host.h"
#include "core/port/worker_listener.h"

namespace muster {

// Where the end of a process is told: to the attempt it is a rank of, or here.
struct ExitRoute {
  std::function<void(const ExitStatus&)> to;
};
struct RankProcess {
  ProcessHandle handle = 0;
  int64_t pid = 0;
  std::shared_ptr<ExitRoute> route;
};

class ParkedRanks {
 public:
  // `changed` runs when a process has ended here.
  ParkedRanks(Loop& loop, ProcessHost& host, std::function<void()> changed);
  ~ParkedRanks();

  void park(uint32_t index, RankProcess process, WorkerListener::Answer answer);
  bool has(uint32_t index) const { return parked_.count(index) > 0; }
  bool empty() const { return parked_.empty(); }

  // From now on the process is the caller's, who answers it with its new place.
  struct Taken {
    RankProcess process;
    WorkerListener::Answer answer;
  };
  Taken take(uint32_t index);
  // There is no next attempt: all are told why, and are killed when `grace` has passed. Repeated and shortened freely.
  void end(Duration grace, const std::string& why);

 private:
  struct Parked {
    RankProcess process;
    WorkerListener::Answer answer;  // null once told
  };
  void kill_all();

  Loop& loop_;
  ProcessHost& host_;
  std::function<void()> changed_;
  std::map<uint32_t, Parked> parked_;
  TimerId kill_timer_ = 0;
};

}  // namespace muster
