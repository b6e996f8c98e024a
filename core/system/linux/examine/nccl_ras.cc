// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/examine/nccl_ras.h"

#include <algorithm>
#include <optional>

#include "core/rank/ras_answer.h"
#include "core/system/linux/examine/bounded_talk.h"

namespace muster {
namespace {

using std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;

constexpr size_t kMostLine = 256;
constexpr size_t kMostAnswer = 4 << 20;  // 500 bytes for each rank of each communicator
constexpr auto kOneLine = milliseconds(700);
constexpr auto kAnswer = milliseconds(4000);
// All processes of a node listen at one address (SO_REUSEPORT) and the kernel picks one, which may be a stopped one: so try again.
constexpr int kTries = 3;

class RasTalk {
 public:
  RasTalk(const std::string& address, SteadyClock::time_point end)
      : end_(end),
        connection_(connect_locally(address, line())) {}

  bool listens() const { return connection_.valid(); }

  // Sends `said`; true if the reply begins with `answer`.
  bool agrees(const std::string& said, std::string_view answer) {
    if (!write_whole(connection_.get(), said + "\n", line())) return false;
    return read_through(connection_.get(), "\n", line()).starts_with(answer);
  }

  std::string status(const std::string& question) {
    if (!write_whole(connection_.get(), question + "\n", line())) return "";
    return read_to_end(connection_.get(), {sooner(kAnswer), kMostAnswer});
  }

 private:
  SteadyClock::time_point sooner(milliseconds from_now) const { return std::min(SteadyClock::now() + from_now, end_); }
  TalkLimits line() const { return {sooner(kOneLine), kMostLine}; }

  SteadyClock::time_point end_;
  UniqueFd connection_;
};

bool greets(RasTalk& talk) {
  return talk.agrees("CLIENT PROTOCOL 2", "SERVER PROTOCOL ") && talk.agrees("TIMEOUT 2", "OK");
}

// muster gives each job its own address in 127.0.0.0/8 (core/framework/torch.cc). At the default address all jobs of a machine listen.
bool is_of_one_job(const std::string& address) {
  return address.starts_with("127.") && !address.starts_with("127.0.0.1:");
}

// For NCCL before 2.28.7, which has no JSON; its text does not name the job.
RasAnswer ask_in_text(const std::string& address, SteadyClock::time_point end) {
  RasTalk talk(address, end);
  return talk.listens() && greets(talk) ? read_ras_text(talk.status("VERBOSE STATUS")) : RasAnswer();
}

}  // namespace

std::vector<std::string> ask_ras(const std::string& address, int64_t pid, milliseconds patience) {
  const auto end = SteadyClock::now() + patience;
  for (int i = 0; i < kTries; ++i) {
    RasTalk talk(address, end);
    if (!talk.listens()) return {};
    if (!greets(talk)) continue;
    if (!talk.agrees("SET FORMAT json", "OK"))
      return is_of_one_job(address) ? ask_in_text(address, end).sentences : std::vector<std::string>();
    const RasAnswer answer = read_ras_json(talk.status("STATUS"));
    if (answer.processes.count(pid) > 0) return answer.sentences;
  }
  return {};
}

}  // namespace muster
