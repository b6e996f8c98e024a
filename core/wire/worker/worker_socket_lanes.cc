// WorkerSocket's lanes.
#include <algorithm>
#include <chrono>

#include "core/wire/values/convert.h"
#include "core/wire/worker/worker_connection.h"

namespace muster {
namespace {

using Clock = std::chrono::steady_clock;

// Longer than a rank takes for its next question that asks one after the other.
constexpr Duration kPatience = std::chrono::microseconds(10);
// Some hundred microseconds; then what else the loop has to do gets its turn.
constexpr size_t kMostInATurn = 64;

}  // namespace

void WorkerSocket::lend_lane(Connection& connection, uint32_t layout) {
  const bool can = layout == kLaneLayout && !connection.lane && connection.out.empty();
  std::unique_ptr<WorkerLane> lane = can ? WorkerLane::make() : nullptr;
  if (!lane) return reply(connection, cannot_answer(Status(Code::unimplemented, "it has no lane to give")));
  std::string frame;
  append_frame(frame, to_wire(WorkerAnswer(RendezvousAnswer())));
  if (!lane->lend(connection.fd, frame)) return drop(connection);
  connection.lane = std::move(lane);
  connection.busy = false;
  go_on_later(connection);
}

void WorkerSocket::hear_bells(Connection& connection) {
  const size_t zeros = std::min(connection.in.find_first_not_of('\0'), connection.in.size());
  const size_t bells = zeros / kHeader;
  if (bells == 0) return;
  connection.in.erase(0, bells * kHeader);
  if (connection.awake) return;
  connection.awake = true;
  connection.lane->end().end_sleep();
  awake_.push_back(&connection);
}

void WorkerSocket::look_at_lanes() {
  if (awake_.empty() || look_posted_) return;
  for (size_t done = 0; done < kMostInATurn;) {
    size_t found = round();
    if (found == 0) found = look_on();
    if (found == 0 && let_lanes_sleep()) return;
    done += std::max<size_t>(found, 1);  // a rank may also pretend that it asks
  }
  look_posted_ = true;
  loop_.post([this, alive = alive_] {
    if (!*alive) return;
    look_posted_ = false;
    look_at_lanes();
  });
}

size_t WorkerSocket::look_on() {
  if (!patience_.next()) return 0;
  size_t found = 0;
  for (const auto until = Clock::now() + kPatience; found == 0 && Clock::now() < until;) found = round();
  patience_.was_worth_it(found > 0);
  return found;
}

// By index, since a question may end connections.
size_t WorkerSocket::round() {
  size_t found = 0;
  for (size_t i = 0; i < awake_.size(); ++i) {
    Connection* connection = awake_[i];
    if (connection == nullptr) continue;
    const LaneOfAgent::Found what = connection->lane->end().look();
    if (what == LaneOfAgent::Found::nothing) continue;
    ++found;
    // Also who asks while a call of its own is under way.
    if (what == LaneOfAgent::Found::nonsense || connection->busy) {
      drop(*connection);
    } else {
      take_question(*connection);
    }
  }
  return found;
}

void WorkerSocket::take_question(Connection& connection) {
  char question[kLaneRoom];
  const size_t size = connection.lane->end().take(question);
  Heard heard = hear({question, size});
  if (!heard.understood || heard.lane || !on_call_) return drop(connection);
  connection.busy = true;
  connection.in_lane = true;
  if (!heard.trouble.ok()) return reply(connection, cannot_answer(heard.trouble));
  take_call(connection, std::move(heard.call));
}

void WorkerSocket::reply_in_lane(Connection& connection, const WorkerAnswer& answer) {
  connection.busy = false;
  connection.in_lane = false;
  const wire::WorkerReply message = to_wire(answer);
  const size_t size = message.ByteSizeLong();
  WorkerLane& lane = *connection.lane;
  if (size > kLaneRoom) {
    append_frame(connection.out, message);
    lane.answer_on_socket();
    return flush(connection);
  }
  message.SerializeWithCachedSizesToArray(reinterpret_cast<uint8_t*>(lane.end().room()));
  lane.answer(size);
  go_on_later(connection);
}

bool WorkerSocket::let_lanes_sleep() {
  const auto asleep = [](Connection* connection) {
    if (connection != nullptr) connection->awake = !connection->lane->end().begin_to_sleep();
    return connection == nullptr || !connection->awake;
  };
  awake_.erase(std::remove_if(awake_.begin(), awake_.end(), asleep), awake_.end());
  return awake_.empty();
}

}  // namespace muster
