// SPDX-License-Identifier: Apache-2.0
// One test for each rule, on a machine without any other problem.
#include <gtest/gtest.h>

#include <functional>

#include "launcher/doctor/fix.h"
#include "launcher/doctor/healthy_test.h"

namespace muster {
namespace {

using Level = Finding::Level;

// The findings that are not ok after `change`.
std::vector<Finding> complaints(const std::function<void(DoctorFacts&)>& change) {
  DoctorFacts facts = healthy_machine();
  change(facts);
  std::vector<Finding> findings = judge(facts);
  std::erase_if(findings, [](const Finding& finding) { return finding.level == Level::ok; });
  return findings;
}

// Expects exactly one note or problem, with this level and subject, and these parts of its text and its fix.
void expect_one(const std::function<void(DoctorFacts&)>& change, Level level, const std::string& subject,
                const std::string& text, const std::string& mend) {
  const std::vector<Finding> found = complaints(change);
  ASSERT_EQ(found.size(), 1u) << (found.size() > 1 ? found[0].text + " | " + found[1].text : subject);
  EXPECT_EQ(found[0].level, level);
  EXPECT_EQ(found[0].subject, subject);
  EXPECT_NE((found[0].text + "; " + found[0].effect).find(text), std::string::npos) << found[0].text;
  EXPECT_NE(found[0].mend.find(mend), std::string::npos) << found[0].mend;
  EXPECT_FALSE(found[0].mend.empty());
}

DoctorFacts with_gpu(DoctorFacts facts) {
  facts.gpus.driver = true;
  facts.machine.inventory.gpus = {{0, "GPU-a", "H100", 80ULL << 30, 0}};
  facts.gpus.health = NvmlHealth{"550.54.15", 12040, {{.index = 0, .uuid = "GPU-a", .persistent = true}}};
  facts.python.torch_cuda = "12.1";
  return facts;
}

TEST(Doctor, AHealthyMachineHasNoComplaint) {
  EXPECT_TRUE(complaints([](DoctorFacts&) {}).empty());
  EXPECT_TRUE(complaints([](DoctorFacts& f) { f = with_gpu(f); }).empty());
}

TEST(Doctor, CpusThatAreNotOurs) {
  expect_one([](DoctorFacts& f) { f.machine.cpus_online = 8; }, Level::note, "cpus", "2 of 8 CPUs are usable",
             "taskset");
}

TEST(Doctor, Governor) {
  expect_one([](DoctorFacts& f) { f.machine.governor = "powersave"; }, Level::note, "cpu clock", "lowest clock",
             "sudo cpupower frequency-set -g performance");
}

TEST(Doctor, LittleMemory) {
  expect_one([](DoctorFacts& f) { f.machine.memory_free_bytes = 100 << 20; }, Level::note, "memory", "100 MiB",
             "ps aux");
}

TEST(Doctor, Overcommit) {
  expect_one([](DoctorFacts& f) { f.machine.overcommit = 2; }, Level::note, "overcommit", "is 2",
             "sudo sysctl -w vm.overcommit_memory=0");
}

TEST(Doctor, AClockThatNobodyKeeps) {
  expect_one([](DoctorFacts& f) { f.machine.clock_synchronised = false; }, Level::note, "clock", "several hosts",
             "install chrony, and start its time service: sudo chronyd");
  expect_one([](DoctorFacts& f) { f.machine.clock_seconds = 1000; }, Level::problem, "clock", "before 2024", "sudo ");
  EXPECT_TRUE(complaints([](DoctorFacts& f) { f.machine.clock_synchronised.reset(); }).empty());
}

TEST(Doctor, AClockInAContainer_IsThatOfItsHost) {
  const auto in_container = [](DoctorFacts& f) {
    f.machine.container = true;
    f.machine.clock_synchronised = false;
  };
  const auto found = complaints(in_container);
  const auto clock =
      std::find_if(found.begin(), found.end(), [](const Finding& each) { return each.subject == "clock"; });
  ASSERT_NE(clock, found.end());
  EXPECT_EQ(clock->mend, "start a time service on the host of this container");
}

TEST(Doctor, DockerWithoutItsDaemon) {
  const auto docker = [](DoctorFacts& f) {
    f.machine.root = true;
    f.machine.image_programs = {"docker"};
    f.machine.docker_answers = false;
  };
  expect_one(docker, Level::note, "images", "docker is installed, but its daemon does not answer",
             "start the daemon: dockerd");
  const auto with_systemd = [&](DoctorFacts& f) {
    docker(f);
    f.machine.systemd = true;
  };
  expect_one(with_systemd, Level::note, "images", "daemon does not answer", "systemctl start docker");
  const auto and_podman = [&](DoctorFacts& f) {
    docker(f);
    f.machine.image_programs = {"podman", "docker"};
  };
  EXPECT_TRUE(complaints(and_podman).empty());
}

TEST(Doctor, ADriverWithoutGpus) {
  expect_one([](DoctorFacts& f) { f.gpus.driver = true; }, Level::note, "gpus", "reports no GPU", "nvidia-smi");
}

TEST(Doctor, GpusThatAreHidden) {
  const auto hide = [](DoctorFacts& f) {
    f = with_gpu(f);
    f.machine.inventory.gpus.clear();
    f.gpus.visible = "";
  };
  expect_one(hide, Level::note, "gpus", "CUDA_VISIBLE_DEVICES= hides all of 1 GPU", "unset CUDA_VISIBLE_DEVICES");
}

TEST(Doctor, AGpuThatIsLost) {
  expect_one([](DoctorFacts& f) { f.gpus.troubles = {"GPU 1 is left out: GPU is lost"}; }, Level::note, "gpus",
             "0 usable GPUs; GPU 1 is left out", "nvidia-smi");
}

void expect_gpu(const std::function<void(GpuHealth&)>& change, Level level, const std::string& text,
                const std::string& mend) {
  const auto sick = [&](DoctorFacts& f) {
    f = with_gpu(f);
    change(f.gpus.health->gpus[0]);
  };
  const std::string subject =
      mend.find("-r") != std::string::npos || mend.find("ROW") != std::string::npos ? "gpu memory" : "gpu mode";
  expect_one(sick, level, subject, text, mend);
}

TEST(Doctor, ModesOfGpus) {
  expect_gpu([](GpuHealth& g) { g.sharing = GpuHealth::Sharing::none; }, Level::problem, "Prohibited",
             "sudo nvidia-smi -i 0 -c DEFAULT");
  expect_gpu([](GpuHealth& g) { g.sharing = GpuHealth::Sharing::one; }, Level::note, "Exclusive", "-c DEFAULT");
  expect_gpu([](GpuHealth& g) { g.divided = true; }, Level::note, "MIG", "-mig 0");
  expect_gpu([](GpuHealth& g) { g.persistent = false; }, Level::note, "persistence", "-pm 1");
}

TEST(Doctor, MemoryOfGpus) {
  expect_gpu([](GpuHealth& g) { g.memory_errors = 3; }, Level::problem, "3 memory errors", "sudo nvidia-smi -i 0 -r");
  expect_gpu([](GpuHealth& g) { g.remap_failed = true; }, Level::problem, "must be replaced", "ROW_REMAPPER");
  expect_gpu([](GpuHealth& g) { g.remap_waits_for_reset = true; }, Level::note, "needs a reset", "-r");
}

TEST(Doctor, WhoUsesGpus) {
  const auto bob = [](DoctorFacts& f) {
    f = with_gpu(f);
    f.gpus.users = {{"GPU-a", 811, "bob", "python"}};
  };
  expect_one(bob, Level::note, "gpu users", "GPU 0 is used by bob's python, pid 811", "ps -fp 811");
}

TEST(Doctor, FaultsInTheKernelsLog) {
  expect_one([](DoctorFacts& f) { f.gpus.faults = {"Xid 79 on 0000:3b:00"}; }, Level::note, "gpu faults", "Xid 79",
             "dmesg");
}

TEST(Doctor, OpenFiles) {
  const auto few = [](DoctorFacts& f) { f.limits.open_files_soft = 1024; };
  expect_one(few, Level::note, "open files", "1024 open files", "ulimit -n 65536");
  const auto no_more = [](DoctorFacts& f) { f.limits.open_files_soft = f.limits.open_files_hard = 1024; };
  expect_one(no_more, Level::note, "open files", "the hard limit allows no more", "limits.conf");
}

TEST(Doctor, Processes) {
  const auto few = [](DoctorFacts& f) { f.limits.processes_soft = 100; };
  expect_one(few, Level::note, "processes", "100 processes", "ulimit -u 30000");
  const auto no_more = [](DoctorFacts& f) { f.limits.processes_soft = f.limits.processes_hard = 100; };
  expect_one(no_more, Level::note, "processes", "the hard limit allows no more", "nproc");
}

TEST(Doctor, LockedMemoryMattersBesideInfiniband) {
  EXPECT_TRUE(complaints([](DoctorFacts& f) { f.limits.locked_memory_soft = 8 << 20; }).empty());
  const auto beside = [](DoctorFacts& f) {
    f.limits.locked_memory_soft = 8 << 20;
    f.limits.infiniband = true;
  };
  expect_one(beside, Level::note, "locked memory", "8 MiB, with InfiniBand", "memlock unlimited");
}

TEST(Doctor, Tracing) {
  EXPECT_TRUE(complaints([](DoctorFacts& f) { f.limits.ptrace_scope = 1; }).empty());
  expect_one([](DoctorFacts& f) { f.limits.ptrace_scope = 2; }, Level::note, "tracing", "is 2", "ptrace_scope=1");
  expect_one([](DoctorFacts& f) { f.limits.ptrace_scope = 3; }, Level::note, "tracing", "is 3", "reboot");
}

TEST(Doctor, Cgroups) {
  expect_one([](DoctorFacts& f) { f.limits.cgroup_mode = "v1"; }, Level::note, "cgroup", "with a short delay",
             "optional");
  const auto systemd = [](DoctorFacts& f) {
    f.limits.cgroup_mode = "v2, read-only";
    f.machine.systemd = true;
  };
  expect_one(systemd, Level::note, "cgroup", "read-only", "systemd-run --user --scope");
}

TEST(Doctor, SharedMemory) {
  const auto small = [](DoctorFacts& f) { f.storage.shared_memory_bytes = 64 << 20; };
  expect_one(small, Level::note, "shared memory", "SIGBUS", "sudo mount -o remount,size=8G /dev/shm");
  const auto container = [](DoctorFacts& f) {
    f.storage.shared_memory_bytes = 64 << 20;
    f.machine.container = true;
  };
  expect_one(container, Level::note, "shared memory", "64 MiB", "--shm-size=8g");
  expect_one([](DoctorFacts& f) { f.storage.shared_memory_free_bytes = 0; }, Level::note, "shared memory", "0 B free",
             "ls");
}

TEST(Doctor, Disks) {
  expect_one([](DoctorFacts& f) { f.storage.state.free_bytes = 1 << 20; }, Level::problem, "disk", "1 MiB free",
             "muster rm");
  expect_one([](DoctorFacts& f) { f.storage.state.free_bytes = 1 << 30; }, Level::note, "disk", "1 GiB free",
             "muster rm");
  expect_one([](DoctorFacts& f) { f.storage.state.free_inodes = 5; }, Level::problem, "disk", "inodes", "muster rm");
  expect_one([](DoctorFacts& f) { f.storage.state.free_inodes = 5000; }, Level::note, "disk", "5000 files",
             "muster rm");
  EXPECT_TRUE(complaints([](DoctorFacts& f) { f.storage.state.free_inodes = f.storage.state.inodes = 0; }).empty());
}

TEST(Doctor, TemporaryFiles) {
  expect_one([](DoctorFacts& f) { f.storage.temporary.free_bytes = 0; }, Level::problem, "temporary files", "in /tmp",
             "du");
  expect_one([](DoctorFacts& f) { f.storage.temporary.no_exec = true; }, Level::note, "temporary files", "noexec",
             "TMPDIR");
  expect_one([](DoctorFacts& f) { f.storage.temporary.writable = false; }, Level::problem, "temporary files", "fail",
             "TMPDIR");
  expect_one([](DoctorFacts& f) { f.storage.temporary.exists = false; }, Level::problem, "temporary files",
             "/tmp (TMPDIR) does not exist", "mkdir -p /tmp");
}

TEST(Doctor, StateFolder) {
  const auto unwritable = [](DoctorFacts& f) { f.storage.state.writable = false; };
  expect_one(unwritable, Level::problem, "state", "cannot be written", "export XDG_STATE_HOME=");
  const auto named = [](DoctorFacts& f) { f.storage.state_foreign = f.storage.state_named = true; };
  expect_one(named, Level::problem, "state", "belongs to another user", "export MUSTER_STATE_DIR=");
  expect_one([](DoctorFacts& f) { f.storage.state_instead = "HOME is not set"; }, Level::note, "state",
             "because HOME is not set", "export MUSTER_STATE_DIR=");
  expect_one([](DoctorFacts& f) { f.storage.state.network = "NFS"; }, Level::note, "state", "is on NFS", "export");
  expect_one([](DoctorFacts& f) { f.storage.state_open = true; }, Level::note, "state", "written by others",
             "chmod go-w");
  const auto nowhere = [](DoctorFacts& f) {
    f.storage = {
        .shared_memory_bytes = 4ULL << 30, .shared_memory_free_bytes = 4ULL << 30, .state_problem = "set HOME"};
  };
  expect_one(nowhere, Level::problem, "state", "set HOME", "MUSTER_STATE_DIR");
}

TEST(Doctor, KeptJobs) {
  const auto much = [](DoctorFacts& f) {
    f.storage.state_used_bytes = 9ULL << 30;
    f.storage.state.free_bytes = 3ULL << 30;
  };
  expect_one(much, Level::note, "kept jobs", "9 GiB", "muster rm --over 1GiB");
}

TEST(Doctor, Ports) {
  expect_one([](DoctorFacts& f) { f.network.taken = 8000; }, Level::problem, "ports", "no job can get a port",
             "ss -tan");
  expect_one([](DoctorFacts& f) { f.network.taken = 5000; }, Level::note, "ports", "5000 of 8000", "ss -tan");
  const auto dealt = [](DoctorFacts& f) { f.network.ephemeral = PortSpan{1024, 65535}; };
  expect_one(dealt, Level::note, "ports", "1024-65535", "ip_local_reserved_ports=20000-27999");
  const auto reserved = [](DoctorFacts& f) {
    f.network.ephemeral = PortSpan{1024, 65535};
    f.network.reserved = {{20000, 28000}};
  };
  EXPECT_TRUE(complaints(reserved).empty());
}

TEST(Doctor, Loopback) {
  expect_one([](DoctorFacts& f) { f.network.loopback_problem = "127.0.0.1:20000 does not answer within 300 ms"; },
             Level::problem, "loopback", "ranks cannot connect", "ip link set lo up");
}

TEST(Doctor, HostName) {
  expect_one([](DoctorFacts& f) { f.network.host_resolves = false; }, Level::note, "host name", "ws1 does not resolve",
             "tee -a /etc/hosts");
  EXPECT_TRUE(complaints([](DoctorFacts& f) { f.network.host_resolves.reset(); }).empty());
}

TEST(Doctor, Proxy) {
  const auto set = [](DoctorFacts& f) {
    f.network.proxy = "http_proxy";
    f.network.proxy_spares_us = false;
  };
  expect_one(set, Level::note, "proxy", "http_proxy is set", "export no_proxy=localhost,127.0.0.1");
  EXPECT_TRUE(complaints([](DoctorFacts& f) { f.network.proxy = "http_proxy"; }).empty());
}

TEST(Doctor, Interpreter) {
  expect_one([](DoctorFacts& f) { f.python = {}; }, Level::note, "python", "in PATH", "apt-get install python3");
  expect_one([](DoctorFacts& f) { f.python = {.asked = "py4"}; }, Level::problem, "python", "py4 is not a program",
             "--python");
  expect_one([](DoctorFacts& f) { f.python.problem = "it exited with code 1"; }, Level::problem, "python", "code 1",
             "-V");
  expect_one([](DoctorFacts& f) { f.python.virtual_env = "/venv"; }, Level::note, "python", "active environment /venv",
             "export PATH=/venv/bin");
}

TEST(Doctor, Torch) {
  const auto none = [](DoctorFacts& f) { f.python.packages.clear(); };
  expect_one(none, Level::note, "torch", "not installed", "/usr/bin/python3 -m pip install torch");
  expect_one([](DoctorFacts& f) { f.python.torch_shadow = "/w/torch.py"; }, Level::problem, "torch", "/w/torch.py",
             "mv ");
  const auto newer = [](DoctorFacts& f) {
    f = with_gpu(f);
    f.python.torch_cuda = "13.0";
  };
  expect_one(newer, Level::problem, "torch", "the driver supports at most CUDA 12.4", "/whl/cu124");
  const auto without = [](DoctorFacts& f) {
    f = with_gpu(f);
    f.python.torch_cuda = "";
  };
  expect_one(without, Level::note, "torch", "without CUDA", "pip install");
  const auto amd = [&](DoctorFacts& f) {
    without(f);
    f.python.packages["torch"] = "2.3.1+rocm6.0";
  };
  EXPECT_TRUE(complaints(amd).empty());
}

TEST(Doctor, Mpi) {
  expect_one([](DoctorFacts& f) { f.python.packages["mpi4py"] = "3.1.4"; }, Level::note, "mpi", "no mpirun",
             "openmpi-bin");
}

TEST(Doctor, RuntimeFolder) {
  expect_one([](DoctorFacts& f) { f.own.runtime_problem = "/tmp/muster-1000 is a link"; }, Level::problem, "runtime",
             "is a link", "ls -ld");
}

TEST(Doctor, Controller) {
  const auto deaf = [](DoctorFacts& f) { f.own.controller_version = ""; };
  expect_one(deaf, Level::problem, "controller", "pid 4012 does not answer", "kill -CONT 4012");
  expect_one([](DoctorFacts& f) { f.own.other_build = true; }, Level::note, "controller", "another build", "muster ps");
  expect_one([](DoctorFacts& f) { f.own.poorer = {"nofile"}; }, Level::note, "controller", "lower limits", "muster ps");
  EXPECT_TRUE(complaints([](DoctorFacts& f) { f.own.listens = false; }).empty());
}

TEST(Doctor, SettingsThatNoControllerCanRead) {
  expect_one([](DoctorFacts& f) { f.own.settings_problem = "MUSTER_KEEP_SIZE: `lots` is no size"; }, Level::problem,
             "settings", "MUSTER_KEEP_SIZE", "unset MUSTER_KEEP_SIZE");
}

TEST(Doctor, WhatMayBeMended) {
  DoctorFacts facts = healthy_machine();
  EXPECT_TRUE(repairs(facts, judge(facts)).empty());
  facts.storage.state_exists = false;
  facts.own.stale_sockets = {"/tmp/muster-1000/agent-7.sock", "/tmp/muster-1000/timers-7"};
  facts.own.dead_leases = {"/tmp/muster-leases/port-20000"};
  facts.own.other_build = true;
  facts.own.live_jobs = 0;
  const std::vector<Repair> expected = {
      {Fix::make_state, "mkdir -p -m 700 /home/ann/.local/state/muster"},
      {Fix::remove_sockets, "rm -rf /tmp/muster-1000/agent-7.sock /tmp/muster-1000/timers-7"},
      {Fix::remove_leases, "rm -rf /tmp/muster-leases/port-20000"},
      {Fix::end_controller, "kill 4012"}};
  EXPECT_EQ(repairs(facts, judge(facts)), expected);
  facts.storage.state_exists = facts.storage.state_open = true;
  EXPECT_EQ(repairs(facts, judge(facts))[0], (Repair{Fix::close_state, "chmod go-w /home/ann/.local/state/muster"}));
  facts.own.live_jobs = 1;
  EXPECT_EQ(repairs(facts, judge(facts)).size(), 3u);
}

TEST(Doctor, WhatIsLeftToHands) {
  DoctorFacts facts = healthy_machine();
  facts.machine.overcommit = 2;
  facts.storage.state_open = true;
  EXPECT_EQ(left_to_hands(judge(facts)),
            (std::vector<std::string>{"overcommit: sudo sysctl -w vm.overcommit_memory=0"}));
  facts.machine.root = true;
  EXPECT_EQ(left_to_hands(judge(facts)), (std::vector<std::string>{"overcommit: sysctl -w vm.overcommit_memory=0"}));
}

}  // namespace
}  // namespace muster
