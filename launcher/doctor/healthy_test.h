// SPDX-License-Identifier: Apache-2.0
// The facts of a healthy machine, for tests.
#pragma once

#include "launcher/doctor/doctor.h"

namespace muster {

inline DoctorFacts healthy_machine() {
  DoctorFacts facts;
  facts.machine.inventory = {.host = "ws1", .cpus = {0, 1}, .memory_bytes = 8ULL << 30};
  facts.machine.kernel = "Linux 6.1.0";
  facts.machine.cpus_online = 2;
  facts.machine.memory_free_bytes = 6ULL << 30;
  facts.machine.clock_synchronised = true;
  facts.machine.clock_seconds = 1'800'000'000;
  facts.limits = {.open_files_soft = 65536,
                  .open_files_hard = 65536,
                  .processes_soft = 30000,
                  .processes_hard = 30000,
                  .locked_memory_soft = UINT64_MAX,
                  .core_pattern = "core",
                  .cgroup_mode = "v2, writable"};
  facts.storage.shared_memory_bytes = facts.storage.shared_memory_free_bytes = 4ULL << 30;
  facts.storage.state = {.free_bytes = 90ULL << 30, .bytes = 100ULL << 30, .free_inodes = 1 << 20, .inodes = 1 << 21};
  facts.storage.temporary = facts.storage.state;
  facts.storage.temporary_folder = "/tmp";
  facts.storage.state_folder = "/home/ann/.local/state/muster";
  facts.storage.state_exists = true;
  facts.storage.state_used_bytes = 300ULL << 20;
  facts.network.ephemeral = PortSpan{32768, 60999};
  facts.network.host = "ws1";
  facts.network.host_resolves = true;
  facts.python = {.path = "/usr/bin/python3",
                  .version = "3.11.2",
                  .packages = {{"torch", "1.13.1"}, {"numpy", "1.24.2"}},
                  .torch_built = true};
  facts.own.version = "0.1.0";
  facts.own.program = "/usr/bin/muster";
  facts.own.runtime_folder = "/tmp/muster-1000";
  facts.own.listens = true;
  facts.own.controller_pid = "4012";
  facts.own.controller_version = "0.1.0";
  facts.own.live_jobs = 1;
  return facts;
}

}  // namespace muster
