// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/hosts/host_access.h"

#include <unistd.h>

#include "backends/ssh/session/packed_program.h"
#include "core/base/random.h"
#include "core/client/connect/paths.h"
#include "core/client/run_program.h"
#include "core/system/linux/runtime_folder.h"

namespace muster {
namespace {

const Status kNoSsh(Code::not_found, "ssh is not in PATH; install it: apt-get install openssh-client");

// Makes the files at the first call and keeps them.
std::function<Result<PackedFiles>()> kept(std::function<Result<std::string>()> make) {
  return [make = std::move(make), done = std::make_shared<PackedFiles>()]() -> Result<PackedFiles> {
    if (*done) return *done;
    Result<std::string> made = make();
    if (!made.ok()) return made.status();
    *done = std::make_shared<const std::string>(std::move(*made));
    return *done;
  };
}

}  // namespace

Result<std::shared_ptr<const HostAccess>> host_access(const CallerContext& caller) {
  auto access = std::make_shared<HostAccess>();
  access->ssh = find_program("ssh", caller.variable("PATH").value_or(""), caller.workdir);
  if (access->ssh.empty()) return kNoSsh;
  access->environment = caller.environment;
  // The hash and the copy are of the running file, even if another file has replaced it meanwhile. If muster was started
  // through its own loader, /proc/self/exe is the loader.
  const std::string program = caller.loader.empty() ? "/proc/self/exe" : caller.program;
  const Result<std::string> hash = ssh::program_hash(program);
  if (!hash.ok()) return hash.status();
  access->hash = *hash;
  const Result<std::string> sockets = runtime_folder();
  if (sockets.ok()) access->masters = *sockets;
  access->mark = "muster-" + std::to_string(Random(caller.seed ^ static_cast<uint64_t>(getpid())).next());
  access->program = kept(
      [program, folder = packed_programs(caller), hash = *hash] { return ssh::packed_once(program, folder, hash); });
  access->as_zstd = kept([program, folder = packed_programs(caller), hash = *hash] {
    return ssh::packed_once(program, folder, hash, ssh::Packing::zstd);
  });
  access->libraries = kept([] { return ssh::libraries_for_hosts(ssh::own_libraries()); });
  return std::shared_ptr<const HostAccess>(access);
}

Result<std::shared_ptr<const HostAccess>> host_access_for(const HostAccess& access,
                                                          const std::map<std::string, std::string>& environment) {
  auto theirs = std::make_shared<HostAccess>(access);
  const auto path = environment.find("PATH");
  theirs->ssh = find_program("ssh", path == environment.end() ? "" : path->second, "/");
  if (theirs->ssh.empty()) return kNoSsh;
  theirs->environment = environment;
  return std::shared_ptr<const HostAccess>(theirs);
}

}  // namespace muster
