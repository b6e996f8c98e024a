// SPDX-License-Identifier: Apache-2.0
#include "core/node/pmi/pmi_service.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "core/base/text.h"
#include "core/job/mpi_library.h"
#include "core/node/mpi/crowding.h"
#include "core/node/mpi/mpi_faults.h"
#include "core/node/pmi/mpich_memory.h"
#include "core/system/posix/shared_memory_notes.h"

namespace muster {
namespace {

// Of Intel MPI: what a rank does while it waits.
constexpr const char* kYield = "I_MPI_THREAD_YIELD";

PmiWorld world_of(const MpiTask& task) {
  PmiWorld world;
  world.name = task.name_space;
  const size_t size = world_size(task);
  world.nodes.resize(size);
  for (uint32_t number = 0; number < task.nodes.size(); ++number) {
    for (const Rank rank : task.nodes[number].ranks) {
      if (rank < size) world.nodes[rank] = number;
    }
  }
  world.ranks.assign(task.nodes[task.node].ranks.begin(), task.nodes[task.node].ranks.end());
  world.apps = task.nodes[task.node].apps;
  return world;
}

}  // namespace

PmiService::PmiService(FdLoop& loop, MpiProgramSearch& programs, std::string folder, std::string host)
    : loop_(loop),
      programs_(programs),
      host_(std::move(host)),
      folder_(std::move(folder)) {}

void PmiService::start(const ServiceStart& start, ServiceEvents events) {
  stop();
  events_ = std::move(events);
  met_ = TimePoint();
  warned_ = false;
  const std::optional<MpiTask>& task = start.desired.mpi;
  const std::vector<SpawnRequest> requests = task && start.desired.run ? start.ranks() : std::vector<SpawnRequest>();
  if (requests.empty() || !is_whole(*task)) return events_.ready();
  const std::vector<std::string>& variables = requests.front().environment;
  const bool set_by_user = std::any_of(variables.begin(), variables.end(), [](const std::string& each) {
    return each.starts_with(std::string(kYield) + "=");
  });
  yields_ = !set_by_user && has_more_ranks_than_cpus(requests, *task);
  const auto found = [this, alive = alive_, round = round_, task = *task, rendezvous = start.rendezvous,
                      world = world_of(*task)](const MpiProgram& program) {
    if (!*alive || round != round_) return;
    const bool ours = is_mpich_library(program.library);
    linked_ = program.linked;
    starts_none_ = program.starts_none;
    const Status begun = ours ? begin(task, rendezvous, world) : Status();
    if (!begun.ok()) return events_.failed(std::string(kMpiTrouble) + host_ + ": " + begun.message());
    events_.ready();
  };
  programs_.find(task->name_space, requests.front(), found);
}

Status PmiService::begin(const MpiTask& task, const ServiceRendezvous& rendezvous, PmiWorld world) {
  exchange_ = std::make_unique<NodeExchange>(loop_, rendezvous, task.nodes, task.node);
  exchanges_ = 0;
  world_ = std::move(world);
  server_.emplace(world_);
  if (Status made = folder_.make(); !made.ok()) return made;
  for (const std::string& name : mpich_memory(world_.name, task.node)) note_shared_memory(folder_.path(), name);
  leaders_.clear();
  for (const MpiNode& node : task.nodes) leaders_.push_back(node.ranks.front());
  for (uint32_t local = 0; local < task.indices.size(); ++local) {
    RankState& rank = ranks_[task.indices[local]];
    rank.local = local;
    if (Status opened = open(rank); !opened.ok()) return opened;
  }
  return Status();
}

Status PmiService::open(RankState& rank) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
    return errno_status(errno, "cannot make a socket for a rank");
  rank.ours = UniqueFd(pair[0]);
  rank.theirs = UniqueFd(pair[1]);
  fcntl(rank.ours.get(), F_SETFL, O_NONBLOCK);
  rank.writing = UniqueFd(fcntl(rank.ours.get(), F_DUPFD_CLOEXEC, 0));
  if (!rank.writing.valid()) return errno_status(errno, "cannot write to the socket of a rank");
  rank.reads = loop_.watch_readable(rank.ours.get(), [this, &rank] { read(rank); });
  return rank.reads ? Status() : errno_status(errno, "cannot watch the socket of a rank");
}

void PmiService::read(RankState& rank) {
  char bytes[16 * 1024];
  const uint64_t round = round_;  // act() may end the attempt, and with it the rank
  while (round == round_ && rank.reads) {
    const ssize_t count = ::read(rank.ours.get(), bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) return rank.reads.reset();
    act(server_->received(rank.local, {bytes, static_cast<size_t>(count)}));
  }
}

void PmiService::act(const PmiActions& actions) {
  const uint64_t round = round_;  // a failure may end the attempt
  for (const PmiActions::Write& each : actions.writes) {
    RankState& rank = *state_of(each.local);
    rank.output += each.bytes;
    write(rank);
    if (round != round_) return;
  }
  if (actions.abort) abort(*actions.abort);
  for (const PmiActions::Refusal& each : actions.refusals) refuse(*state_of(each.local), each.call);
  if (!actions.faults.empty()) return accuse(actions.faults.front());
  if (actions.exchange) exchange(*actions.exchange);
  if (round != round_) return;
  const bool all = std::all_of(ranks_.begin(), ranks_.end(),
                               [&](const auto& entry) { return server_->initialized(entry.second.local); });
  if (met_ != TimePoint() || !all) return;
  met_ = loop_.now();
  events_.changed();
}

// The rank waits for its launcher to kill it. If the dialogue ended instead, Intel MPI would return from MPI_Abort, and Python would
// wait in MPI_Finalize.
void PmiService::abort(const PmiAbort& abort) {
  for (auto& [index, rank] : ranks_) {
    if (world_.ranks[rank.local] != abort.rank) continue;
    rank.aborted = abort.exit_code;
    return events_.kill(index);
  }
}

void PmiService::refuse(RankState& rank, const std::string& call) {
  rank.refused = call;
  events_.trouble(std::string(kMpiTrouble) + host_ + ": rank " + std::to_string(world_.ranks[rank.local]) + " called " +
                  call + kNoSuchCall);
}

void PmiService::accuse(const PmiActions::Fault& fault) {
  events_.failed(std::string(kMpiTrouble) + host_ + ": rank " + std::to_string(world_.ranks[fault.local]) +
                 " does not speak PMI as MPICH does: " + fault.why +
                 ". Link the program to MPICH, Intel MPI or Open MPI");
}

void PmiService::write(RankState& rank) {
  while (!rank.output.empty()) {
    const ssize_t count = send(rank.writing.get(), rank.output.data(), rank.output.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return write_later(rank);
    if (count < 0) break;  // the rank has ended
    rank.output.erase(0, static_cast<size_t>(count));
  }
  rank.output.clear();
  rank.writes.reset();
}

void PmiService::write_later(RankState& rank) {
  if (rank.writes) return;
  rank.writes = loop_.watch_writable(rank.writing.get(), [this, &rank] { write(rank); });
  if (!rank.writes) events_.failed(std::string(kMpiTrouble) + host_ + ": cannot watch the socket of a rank");
}

void PmiService::exchange(const std::string& values) {
  exchange_->meet(
      {"pmi/" + world_.name, ++exchanges_, values, leaders_}, [this](const Status& status, const auto& all) {
        if (status.code() == Code::failed_precondition) return;  // the attempt has ended
        if (!status.ok())
          return events_.failed(std::string(kMpiTrouble) + host_ +
                                ": the nodes cannot exchange the addresses of their ranks: " + status.message());
        act(server_->exchanged(all));
      });
}

PmiService::RankState* PmiService::state_of(uint32_t local) {
  const auto found =
      std::find_if(ranks_.begin(), ranks_.end(), [&](const auto& entry) { return entry.second.local == local; });
  return found == ranks_.end() ? nullptr : &found->second;
}

RankGift PmiService::gift(uint32_t index) const {
  const auto found = ranks_.find(index);
  if (found == ranks_.end()) return {};
  RankGift gift{pmi_environment(world_, found->second.local, kPassedDescriptor), found->second.theirs.get()};
  if (yields_) gift.environment.emplace(kYield, "2");  // sched_yield()
  return gift;
}

RankFault PmiService::fault(uint32_t index, const ExitStatus& exit) {
  const auto found = ranks_.find(index);
  if (found == ranks_.end()) return {};
  RankState& rank = found->second;
  read(rank);  // what it wrote last may not have been read yet
  if (rank.aborted) return {called_abort(*rank.aborted), RankFault::of_abort(*rank.aborted), true};
  if (!exit.success() && !rank.refused.empty()) return {"called " + rank.refused + kNoSuchCall};
  if (!exit.success() || server_->finalized(rank.local)) return {};
  if (server_->initialized(rank.local)) return {kWithoutFinalize};
  if (world_.size() < 2) return {};
  if (linked_) return {never_joined(world_.size())};
  if (!starts_none_ && !std::exchange(warned_, true))
    events_.trouble(std::string(kMpiTrouble) + host_ + ": rank " + std::to_string(world_.ranks[rank.local]) +
                    " ended without " + joining(world_.size()));
  return {};
}

void PmiService::stop() {
  ++round_;
  exchange_.reset();
  ranks_.clear();
  server_.reset();
  folder_.remove();
}

void PmiService::tell(Report& report) {
  if (met_ != TimePoint()) report.met = met_;
}

}  // namespace muster
