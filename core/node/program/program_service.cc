// SPDX-License-Identifier: Apache-2.0
#include "core/node/program/program_service.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <fstream>
#include <utility>

#include "core/base/private_file.h"
#include "core/base/text.h"
#include "core/base/time.h"
#include "core/job/interpreters.h"
#include "core/job/python_command.h"
#include "core/system/linux/listening_port.h"
#include "core/system/posix/program_search.h"

namespace muster {
namespace {

constexpr Duration kPatience = std::chrono::minutes(1);
constexpr Duration kGrace = std::chrono::seconds(2);
constexpr Duration kFirstPause = std::chrono::milliseconds(2);
constexpr Duration kLongestPause = std::chrono::milliseconds(50);
constexpr std::streamoff kMostOfOutput = 4096;
constexpr size_t kMostShown = 400;

// Set in the rendezvous of the world as soon as its program listens.
constexpr const char* kListensKey = "muster/service";

// The variables that make a process a rank.
constexpr std::array<std::string_view, 4> kOfRank = {
    "MUSTER_SOCKET=", "MUSTER_INDEX=", "MUSTER_RANK=", "MUSTER_LOCAL_RANK="};

// The interpreter may be behind a wrapper: `env X=1 python3 train.py`. A script may name it in its first line.
std::vector<std::string> interpreter_of(const SpawnRequest& rank) {
  for (auto word = rank.argv.begin(); word != rank.argv.end(); ++word) {
    if (!is_python_name(*word)) continue;
    if (const auto python = python_command({word, rank.argv.end()})) return python->interpreter;
  }
  const std::string program = rank.argv.empty() ? "" : rank.argv.front();
  const std::string named = script_interpreter(find_executable(program, search_path(rank.environment), rank.workdir));
  return {is_python_name(named) ? named : "python3"};
}

// "/…/worker-0.service.err" of "/…/worker-0.out"
std::string output_beside(const std::string& output, const std::string& ending) {
  constexpr std::string_view kOut = ".out";
  const size_t end = output.ends_with(kOut) ? output.size() - kOut.size() : output.size();
  return output.substr(0, end) + ".service" + ending;
}

std::string last_line_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file ? static_cast<std::streamoff>(file.tellg()) : 0;
  file.seekg(std::max<std::streamoff>(0, size - kMostOfOutput));
  std::string line, last;
  while (std::getline(file, line)) {
    if (line.find_first_not_of(" \t\r") != std::string::npos) last = line;
  }
  return escaped(last.substr(0, kMostShown));
}

}  // namespace

SpawnRequest program_request(const ServiceProgram& program, const SpawnRequest& rank) {
  SpawnRequest request;
  request.argv = program.argv;
  if (!program.python.empty()) {
    request.argv = interpreter_of(rank);
    request.argv.insert(request.argv.end(), {"-c", program.python});
    request.argv.insert(request.argv.end(), program.argv.begin(), program.argv.end());
  }
  for (const std::string& entry : rank.environment) {
    const auto begins = [&](std::string_view name) { return entry.starts_with(name); };
    if (std::none_of(kOfRank.begin(), kOfRank.end(), begins)) request.environment.push_back(entry);
  }
  request.environment.push_back(std::string(kServiceVariable) + "=1");
  request.workdir = rank.workdir;
  request.settings = rank.settings;
  request.container = rank.container;
  request.stdout_path = output_beside(rank.stdout_path, ".out");
  request.stderr_path = output_beside(rank.stdout_path, ".err");
  request.own_session = true;
  return request;
}

ProgramService::~ProgramService() {
  *alive_ = false;
  loop_.cancel(timer_);
  if (process_ != 0) processes_.signal(process_, SIGKILL, SignalReach::group);
}

void ProgramService::start(const ServiceStart& start, ServiceEvents events) {
  events_ = std::move(events);
  stopping_ = ready_ = false;
  if (!start.desired.program || !start.desired.run) return events_.ready();
  program_ = *start.desired.program;
  nodes_ = std::make_unique<NodeExchange>(loop_, start.rendezvous, std::vector<MpiNode>{{host_, {0}}}, 0);
  if (program_.elsewhere) {
    wait_for_node();
    if (!ready_) events_.next();
    return;
  }
  const std::vector<SpawnRequest> ranks = start.ranks();
  if (ranks.empty()) return fail("no rank starts on its node");
  if (ranks.front().stdout_path.empty()) return fail(kNoPlace);
  const SpawnRequest request = program_request(program_, ranks.front());
  stderr_path_ = request.stderr_path;
  for (const std::string& output : {request.stdout_path, request.stderr_path}) make_private_file(output);
  auto started = processes_.spawn(request, [this, alive = alive_](const ExitStatus& exit) {
    if (*alive) ended(exit);
  });
  if (!started.ok()) return fail(started.status().message());
  process_ = *started;
  begun_ = loop_.now();
  pause_ = kFirstPause;
  look();
  if (!ready_) events_.next();  // a warm parent can import what the ranks need meanwhile
}

// If the program does not come to listen, its own node fails the attempt.
void ProgramService::wait_for_node() {
  nodes_->wait_for(kListensKey, [this](const Status& status, const std::string&) {
    if (status.code() == Code::failed_precondition) return;  // the attempt has ended
    ready_ = status.ok();
    if (ready_) return events_.ready();
    fail("its node has not said that it listens: " + status.message());
  });
}

void ProgramService::look() {
  timer_ = 0;
  if (program_.here.port == 0 || is_listening(program_.here.port)) {
    ready_ = true;
    if (program_.here.port != 0) nodes_->keep(kListensKey, "1", [](const Status&) {});
    return events_.ready();
  }
  if (loop_.now() - begun_ > kPatience)
    return fail("it does not listen at port " + std::to_string(program_.here.port) + " after " +
                humane_duration(kPatience));
  timer_ = loop_.at(loop_.now() + pause_, [this] { look(); });
  pause_ = std::min(2 * pause_, kLongestPause);
}

void ProgramService::ended(const ExitStatus& exit) {
  loop_.cancel(std::exchange(timer_, 0));
  process_ = 0;
  if (stopping_) return events_.changed();
  if (exit.success() && ready_) return;
  const std::string last = last_line_of(stderr_path_);
  say_failed(" " + describe_exit(exit) + (ready_ ? "" : " before it listened") + (last.empty() ? "" : ": " + last));
}

void ProgramService::fail(const std::string& why) { say_failed(": " + why); }

void ProgramService::say_failed(const std::string& what) {
  events_.failed(std::string(kProgramTrouble) + host_ + ": " + program_.name + what);
}

void ProgramService::stop() {
  nodes_.reset();
  if (process_ == 0 || std::exchange(stopping_, true)) return;
  loop_.cancel(std::exchange(timer_, 0));
  const bool ours = !program_.python.empty();
  processes_.signal(process_, ours ? SIGKILL : SIGTERM, SignalReach::group);
  if (ours) return;
  timer_ = loop_.at(loop_.now() + kGrace, [this] {
    timer_ = 0;
    processes_.signal(process_, SIGKILL, SignalReach::group);
  });
}

}  // namespace muster
