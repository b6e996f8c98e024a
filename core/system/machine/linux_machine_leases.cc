// SPDX-License-Identifier: Apache-2.0
#include "core/system/machine/linux_machine_leases.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>

#include "core/base/random.h"
#include "core/base/text.h"
#include "core/system/linux/proc_files.h"
#include "core/system/linux/runtime_folder.h"
#include "core/system/machine/share_text.h"

namespace muster {
namespace {

constexpr const char* kTurn = "claims";
constexpr const char* kSharePrefix = "share-";
constexpr const char* kWanted = "want-";

class Locks final : public MachineLease {
 public:
  explicit Locks(std::vector<std::unique_ptr<FileLock>> locks) : locks_(std::move(locks)) {}

 private:
  const std::vector<std::unique_ptr<FileLock>> locks_;
};

// Whether the port can be bound. True if the machine does not have this address family.
bool can_bind(int family, const sockaddr* address, socklen_t size) {
  const UniqueFd socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket.valid()) return true;
  const int only = 1;
  if (family == AF_INET6) setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof only);
  return bind(socket.get(), address, size) == 0 || errno == EADDRNOTAVAIL;
}

// "4711 (python)", or "4711" if the process has ended.
std::string process_name(int64_t pid) {
  const auto stat = read_stat(static_cast<pid_t>(pid));
  return std::to_string(pid) + (stat ? " (" + stat->command + ")" : "");
}

Status held(const std::string& uuid, std::optional<int64_t> pid, const std::vector<MachineShare>& told) {
  for (const MachineShare& share : told) {
    if (share.claim.gpus.count(uuid) > 0)
      return Status(Code::failed_precondition, "GPU " + uuid + " is held by " + share.user + "'s job " + share.name +
                                                   ", pid " + std::to_string(share.pid));
  }
  const std::string who = pid ? ", pid " + process_name(*pid) : std::string();
  return Status(Code::failed_precondition, "GPU " + uuid + " is held by another muster process" + who);
}

// Whether the UUID may be part of a file name. UUIDs are "GPU-…" or "MIG-…", with letters, digits and dashes.
bool is_plain(const std::string& uuid) {
  const auto plain = [](unsigned char c) { return std::isalnum(c) != 0 || c == '-'; };
  return !uuid.empty() && uuid.size() <= 100 && std::all_of(uuid.begin(), uuid.end(), plain);
}

}  // namespace

// Does not set SO_REUSEADDR, so a port in TIME_WAIT counts as not free; there are enough others.
bool is_port_free(uint16_t port) {
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(port);
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(port);
  return can_bind(AF_INET, reinterpret_cast<const sockaddr*>(&v4), sizeof v4) &&
         can_bind(AF_INET6, reinterpret_cast<const sockaddr*>(&v6), sizeof v6);
}

// Each process starts at a random port of the range, so that processes seldom try the same one.
LinuxMachineLeases::LinuxMachineLeases(std::string folder, PortRange ports, std::string own_folder)
    : path_(std::move(folder)),
      ports_(ports),
      own_path_(std::move(own_folder)),
      next_(static_cast<uint32_t>(Random(static_cast<uint64_t>(getpid())).below(ports.last - ports.first + 1u))) {}

Result<LeasedPort> LinuxMachineLeases::lease_port() {
  if (const Status status = open_folder(); !status.ok()) return status;
  const uint32_t count = ports_.last - ports_.first + 1u;
  for (uint32_t tried = 0; tried < count; ++tried) {
    const uint16_t port = static_cast<uint16_t>(ports_.first + next_++ % count);
    // Checked before locking, too: a lock creates a file, which takes milliseconds, and the range may be full.
    if (!is_port_free(port)) continue;
    auto lock = folder_->try_lock("port-" + std::to_string(port));
    if (!lock.ok()) return lock.status();
    if (!*lock || !is_port_free(port)) continue;
    std::vector<std::unique_ptr<FileLock>> locks;
    locks.push_back(std::move(*lock));
    return LeasedPort{port, std::make_unique<Locks>(std::move(locks))};
  }
  return Status(Code::resource_exhausted, "no free TCP port in " + std::to_string(ports_.first) + "-" +
                                              std::to_string(ports_.last) + " on this machine");
}

Result<std::unique_ptr<MachineLease>> LinuxMachineLeases::lease_gpus(const std::vector<std::string>& uuids) {
  if (const Status status = open_folder(); !status.ok()) return status;
  std::vector<std::unique_ptr<FileLock>> locks;
  for (const std::string& uuid : uuids) {
    if (!is_plain(uuid)) return Status(Code::invalid_argument, "`" + escaped(uuid) + "` is not the UUID of a GPU");
    const std::string name = "gpu-" + uuid;
    auto lock = folder_->try_lock(name);
    if (!lock.ok()) return lock.status();
    if (!*lock) return held(uuid, folder_->holder(name), told());
    locks.push_back(std::move(*lock));
  }
  return std::unique_ptr<MachineLease>(std::make_unique<Locks>(std::move(locks)));
}

// If several processes want the same GPU, one lock stands for all of them.
std::unique_ptr<MachineLease> LinuxMachineLeases::want_gpus(const std::vector<std::string>& uuids) {
  std::vector<std::unique_ptr<FileLock>> locks;
  for (const std::string& uuid : uuids) {
    auto lock = is_plain(uuid) && open_folder().ok() ? folder_->try_lock(kWanted + uuid) : Status();
    if (lock.ok() && *lock) locks.push_back(std::move(*lock));
  }
  return std::make_unique<Locks>(std::move(locks));
}

bool LinuxMachineLeases::are_wanted(const std::vector<std::string>& uuids) {
  return open_folder().ok() && std::any_of(uuids.begin(), uuids.end(), [&](const std::string& uuid) {
           return is_plain(uuid) && folder_->is_locked(kWanted + uuid);
         });
}

Result<std::unique_ptr<MachineLease>> LinuxMachineLeases::claim(const MachineShare& mine, const Refusal& refusal) {
  if (const Status status = open_folder(); !status.ok()) return status;
  const auto turn = folder_->try_lock(kTurn);
  if (!turn.ok()) return turn.status();
  if (!*turn) return Status(Code::unavailable, "its turn: another job on this machine is being placed");
  if (const std::string why = refusal(told()); !why.empty()) return Status(Code::unavailable, why);
  return tell(mine);
}

Result<std::unique_ptr<MachineLease>> LinuxMachineLeases::tell(const MachineShare& mine) {
  if (const Status status = open_folder(); !status.ok()) return status;
  MachineShare share = mine;
  share.pid = getpid();
  auto lock =
      folder_->publish(kSharePrefix + process_key(getpid()) + "-" + std::to_string(++published_), share_text(share));
  if (!lock.ok()) return lock.status();
  std::vector<std::unique_ptr<FileLock>> locks;
  locks.push_back(std::move(*lock));
  return std::unique_ptr<MachineLease>(std::make_unique<Locks>(std::move(locks)));
}

std::vector<MachineShare> LinuxMachineLeases::told() {
  if (!open_folder().ok()) return {};
  std::vector<MachineShare> shares;
  for (const SharedFolder::Notice& notice : folder_->notices(kSharePrefix)) {
    std::optional<MachineShare> share = read_share(notice.text);
    if (!share) continue;
    share->user = users_.name(notice.uid);
    shares.push_back(std::move(*share));
  }
  return by_job(std::move(shares));
}

Status LinuxMachineLeases::open_folder() {
  if (folder_) return Status();
  auto folder = SharedFolder::open(path_);
  const Code code = folder.status().code();
  if (code == Code::permission_denied || code == Code::failed_precondition) folder = open_own(folder.status());
  if (!folder.ok()) return folder.status().with_context("cannot use the lease folder of this machine");
  folder_ = std::move(*folder);
  for (const char* left : {"port-", "gpu-", kWanted, kSharePrefix}) folder_->sweep(left);
  return Status();
}

Result<std::unique_ptr<SharedFolder>> LinuxMachineLeases::open_own(const Status& why) {
  const Result<std::string> runtime = own_path_.empty() ? runtime_folder() : own_path_;
  if (!runtime.ok()) return runtime.status();
  const std::string path = own_path_.empty() ? *runtime + "/leases" : own_path_;
  blind_spot_ = why.message() + ". Until then leases are kept in " + path +
                ": jobs of other users may get the same GPUs and TCP ports";
  return SharedFolder::open(path);
}

// Its first use removes them.
void remove_dead_leases(const std::string& folder) { LinuxMachineLeases(folder).told(); }

}  // namespace muster
