#include "core/agent/guest_desk.h"

#include <algorithm>
#include <csignal>

namespace muster {
namespace {

constexpr size_t kMostGuests = 64;

// The rank's own environment, in which later settings of a name win.
void set_variables(std::vector<std::string>& environment, const std::map<std::string, std::string>& variables) {
  for (const auto& [name, value] : variables) {
    std::erase_if(environment, [&](const std::string& line) { return line.starts_with(name + "="); });
    environment.push_back(name + "=" + value);
  }
}

std::string folder_of(const std::string& wanted, const std::string& of_rank) {
  if (wanted.empty()) return of_rank;
  return wanted.front() == '/' ? wanted : of_rank + "/" + wanted;
}

GuestRequest request_of(GuestRequest request, const GuestStart& start) {
  request.spawn.argv = start.argv;
  set_variables(request.spawn.environment, start.environment);
  request.spawn.workdir = folder_of(start.workdir, request.spawn.workdir);
  request.spawn.tty = start.tty;
  request.rows = start.rows;
  request.columns = start.columns;
  return request;
}

}  // namespace

void GuestDesk::connect(ChannelToCoordinator* channel) {
  channel_ = channel;
  guests_.clear();
}

void GuestDesk::heard(const GuestFrame& frame) {
  std::visit([&](const auto& part) { obey(frame.id, part); }, frame.part);
}

void GuestDesk::obey(uint64_t id, const GuestStart& start) {
  if (find(id) != nullptr) return;
  if (const Status begun = begin(id, start); !begun.ok())
    send(id, GuestEnd{std::nullopt, static_cast<int>(begun.code()), begun.message()});
}

Status GuestDesk::begin(uint64_t id, const GuestStart& start) {
  served_ = true;
  if (guests_.size() >= kMostGuests)
    return Status(Code::resource_exhausted,
                  std::to_string(kMostGuests) + " programs run beside this node's ranks already");
  const Result<GuestRequest> place = place_(start.index);
  if (!place.ok()) return Status(Code::failed_precondition, place.status().message());
  auto guest = host_.start(request_of(*place, start), handlers(id));
  if (!guest.ok()) return guest.status();
  for (const GuestStream stream : {GuestStream::out, GuestStream::err}) (*guest)->allow(stream, kGuestWindow);
  guests_[id] = Running{start.index, std::move(*guest), {}};
  return Status();
}

GuestHandlers GuestDesk::handlers(uint64_t id) {
  return {.printed =
              [this, id](GuestStream stream, std::string_view bytes) {
                if (Running* running = find(id)) running->under_way[stream] += bytes.size();
                send(id, GuestBytes{stream, std::string(bytes), false});
              },
          .closed =
              [this, id](GuestStream stream) {
                send(id, GuestBytes{stream, "", true});
              },
          .taken =
              [this, id](size_t bytes) {
                if (Running* running = find(id)) running->under_way[GuestStream::in] -= bytes;
                send(id, GuestTaken{GuestStream::in, bytes});
              },
          .ended = [this, id](const ExitStatus& exit) { ended(id, exit); }};
}

void GuestDesk::obey(uint64_t id, const GuestBytes& bytes) {
  Running* running = find(id);
  if (running == nullptr || bytes.stream != GuestStream::in) return;
  size_t& under_way = running->under_way[GuestStream::in];
  if (bytes.bytes.size() > kGuestWindow - under_way) {
    send(id, GuestEnd{std::nullopt, static_cast<int>(Code::out_of_range), "its viewer sent more than it may"});
    guests_.erase(id);
    return;
  }
  under_way += bytes.bytes.size();
  if (!bytes.bytes.empty()) running->guest->write(bytes.bytes);
  if (bytes.end) running->guest->end_input();
}

// No more than was sent: who claims to have taken more would have us send ahead without a bound.
void GuestDesk::obey(uint64_t id, const GuestTaken& taken) {
  Running* running = find(id);
  if (running == nullptr || taken.stream == GuestStream::in) return;
  size_t& under_way = running->under_way[taken.stream];
  const size_t bytes = std::min<uint64_t>(taken.bytes, under_way);
  under_way -= bytes;
  running->guest->allow(taken.stream, bytes);
}

void GuestDesk::obey(uint64_t id, const GuestResize& resize) {
  if (Running* running = find(id)) running->guest->resize(resize.rows, resize.columns);
}

void GuestDesk::obey(uint64_t id, const GuestSignal& signal) {
  const bool known = signal.number > 0 && signal.number < NSIG;
  if (Running* running = find(id); running != nullptr && known) running->guest->signal(signal.number);
}

void GuestDesk::obey(uint64_t id, const GuestLeave&) {
  id == 0 ? guests_.clear() : static_cast<void>(guests_.erase(id));
}

// One that was killed when its rank's attempt was over hears why; what else it ended of is its own business.
void GuestDesk::ended(uint64_t id, const ExitStatus& exit) {
  const auto guest = guests_.extract(id);
  if (guest.empty()) return;
  const bool killed = exit.kind == ExitStatus::Kind::signalled && exit.signal == SIGKILL;
  const Result<GuestRequest> place = place_(guest.mapped().index);
  send(id, GuestEnd{exit, 0, killed && !place.ok() ? "the ranks beside which it ran have ended" : ""});
}

void GuestDesk::send(uint64_t id, decltype(GuestFrame::part) part) {
  if (channel_ != nullptr) channel_->send(GuestFrame{id, std::move(part)});
}

GuestDesk::Running* GuestDesk::find(uint64_t id) {
  const auto found = guests_.find(id);
  return found == guests_.end() ? nullptr : &found->second;
}

}  // namespace muster
