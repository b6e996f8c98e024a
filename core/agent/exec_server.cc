// SPDX-License-Identifier: Apache-2.0
#include "core/agent/exec_server.h"

#include <algorithm>
#include <csignal>

#include "core/port/exec_channel.h"

namespace muster {
namespace {

constexpr size_t kMostExecs = 64;

// Sets each variable in the rank's environment, and removes its earlier value.
void set_variables(std::vector<std::string>& environment, const std::map<std::string, std::string>& variables) {
  for (const auto& [name, value] : variables) {
    const std::string begin = name + "=";
    std::erase_if(environment, [&](const std::string& line) { return line.starts_with(begin); });
    environment.push_back(begin + value);
  }
}

std::string folder_of(const std::string& wanted, const std::string& of_rank) {
  if (wanted.empty()) return of_rank;
  return wanted.front() == '/' ? wanted : of_rank + "/" + wanted;
}

ExecRequest request_of(ExecRequest request, const ExecStart& start) {
  request.spawn.argv = start.argv;
  set_variables(request.spawn.environment, start.environment);
  request.spawn.workdir = folder_of(start.workdir, request.spawn.workdir);
  request.spawn.tty = start.tty;
  request.rows = start.rows;
  request.columns = start.columns;
  return request;
}

}  // namespace

void ExecServer::connect(ChannelToCoordinator* channel) {
  channel_ = channel;
  execs_.clear();
}

void ExecServer::heard(const ExecFrame& frame) {
  std::visit([&](const auto& part) { obey(frame.id, part); }, frame.part);
}

void ExecServer::kill() {
  // If a program that carries an agent was killed, the agent would be left over.
  for (const auto& [id, running] : execs_)
    running.where.whole_node ? end_with_agent(*running.exec) : running.exec->signal(SIGKILL);
}

// SIGCONT has no effect on a process that is not stopped.
void ExecServer::continue_stopped() {
  for (const auto& [id, running] : execs_)
    if (running.where.whole_node) running.exec->signal(SIGCONT);
}

void ExecServer::obey(uint64_t id, const ExecStart& start) {
  if (find(id) != nullptr) return;
  if (const Status begun = begin(id, start); !begun.ok()) send(id, refused_exec(begun));
}

Status ExecServer::begin(uint64_t id, const ExecStart& start) {
  served_ = true;
  if (execs_.size() >= kMostExecs)
    return Status(Code::resource_exhausted,
                  "this node already runs " + std::to_string(kMostExecs) + " exec processes, the most that it may");
  const Where where{start.index, start.attempt, start.whole_node};
  const Result<ExecRequest> place = place_(where);
  if (place.status().code() == Code::unavailable) return place.status();  // later it can
  if (!place.ok()) return Status(Code::failed_precondition, place.status().message());
  ExecRequest request = request_of(*place, start);
  if (start.own_program) {
    request.spawn.argv.insert(request.spawn.argv.begin(), program_.begin(), program_.end());
    request.spawn.container = nullptr;  // muster itself is a program of the host, also if the rank is in an image
  }
  auto exec = host_.start(request, handlers(id));
  if (!exec.ok()) return exec.status();
  for (const ExecStream stream : {ExecStream::out, ExecStream::err}) (*exec)->allow(stream, kExecWindow);
  execs_[id] = Running{where, std::move(*exec)};
  return Status();
}

ExecHandlers ExecServer::handlers(uint64_t id) {
  return {.printed =
              [this, id](ExecStream stream, std::string_view bytes) {
                if (Running* running = find(id)) running->under_way[stream] += bytes.size();
                send(id, ExecBytes{stream, std::string(bytes), false});
              },
          .closed =
              [this, id](ExecStream stream) {
                send(id, ExecBytes{stream, "", true});
              },
          .taken =
              [this, id](size_t bytes) {
                if (Running* running = find(id)) running->under_way[ExecStream::in] -= bytes;
                send(id, ExecTaken{ExecStream::in, bytes});
              },
          .ended = [this, id](const ExitStatus& exit) { ended(id, exit); }};
}

void ExecServer::obey(uint64_t id, const ExecBytes& bytes) {
  Running* running = find(id);
  if (running == nullptr || bytes.stream != ExecStream::in) return;
  size_t& under_way = running->under_way[ExecStream::in];
  if (bytes.bytes.size() > kExecWindow - under_way) {
    send(id, ExecEnd{std::nullopt, static_cast<int>(Code::out_of_range),
                     "the client sent more bytes than the window allows"});
    execs_.erase(id);
    return;
  }
  under_way += bytes.bytes.size();
  if (!bytes.bytes.empty()) running->exec->write(bytes.bytes);
  if (bytes.end) running->exec->end_input();
}

// At most what was sent is counted. A viewer that acknowledges more could make us send without a limit.
void ExecServer::obey(uint64_t id, const ExecTaken& taken) {
  Running* running = find(id);
  if (running == nullptr || taken.stream == ExecStream::in) return;
  size_t& under_way = running->under_way[taken.stream];
  const size_t bytes = std::min<uint64_t>(taken.bytes, under_way);
  under_way -= bytes;
  running->exec->allow(taken.stream, bytes);
}

void ExecServer::obey(uint64_t id, const ExecResize& resize) {
  if (Running* running = find(id)) running->exec->resize(resize.rows, resize.columns);
}

void ExecServer::obey(uint64_t id, const ExecSignal& signal) {
  const bool known = signal.number > 0 && signal.number < NSIG;
  if (Running* running = find(id); running != nullptr && known) running->exec->signal(signal.number);
}

// A program of the whole node may carry an agent, which is to end with it. SIGTERM tells it so; the end of its input or SIGHUP only say
// that it is not needed any more. A stopped process must be continued to receive the signal.
void ExecServer::end_with_agent(Exec& exec) {
  exec.signal(SIGTERM);
  exec.signal(SIGCONT);
}

void ExecServer::obey(uint64_t id, const ExecLeave& leave) {
  if (id == 0) return execs_.clear();
  Running* running = find(id);
  if (running == nullptr) return;
  if (running->where.whole_node && !leave.lost) return end_with_agent(*running->exec);
  execs_.erase(id);
}

// If the exec process was killed because its rank's attempt ended, ExecEnd says so.
void ExecServer::ended(uint64_t id, const ExitStatus& exit) {
  const auto exec = execs_.extract(id);
  if (exec.empty()) return;
  const Where& where = exec.mapped().where;
  const bool killed = where.whole_node || (exit.kind == ExitStatus::Kind::signalled && exit.signal == SIGKILL);
  const Result<ExecRequest> place = place_(where);
  send(id, ExecEnd{exit, 0, killed && !place.ok() ? "the rank's attempt has ended" : ""});
}

void ExecServer::send(uint64_t id, decltype(ExecFrame::part) part) {
  if (channel_ != nullptr) channel_->send(ExecFrame{id, std::move(part)});
}

ExecServer::Running* ExecServer::find(uint64_t id) {
  const auto found = execs_.find(id);
  return found == execs_.end() ? nullptr : &found->second;
}

}  // namespace muster
