// SPDX-License-Identifier: Apache-2.0
#include "core/job/mpirun/mpirun_other_flags.h"

#include <utility>

namespace muster {
namespace {

using Kind = MpirunFlag::Kind;

MpirunFlag ignored(std::vector<std::string> names, std::string values, std::string why) {
  return {std::move(names), std::move(values), std::move(why), nullptr, Kind::ignored};
}

MpirunFlag refused(std::vector<std::string> names, std::string values, std::string instead) {
  return {std::move(names), std::move(values), std::move(instead), nullptr, Kind::refused};
}

}  // namespace

void add_mpirun_ignored(std::vector<MpirunFlag>& flags) {
  const std::string no_daemons = "muster starts no daemons of Open MPI or Hydra";
  flags.push_back(ignored({"allow-run-as-root"}, "", ""));
  flags.push_back(ignored({"envall", "genvall"}, "", ""));
  flags.push_back(ignored({"disable-recovery", "noprefix", "localroot"}, "", ""));
  flags.push_back(ignored({"report-bindings", "display-map", "display-allocation", "display-devel-map",
                           "display-devel-allocation", "display-diffable-map", "display-topo", "print-rank-map"},
                          "", "`muster describe JOB` shows hosts and CPUs of the ranks"));
  flags.push_back(ignored({"display"}, "KIND,…", "`muster describe JOB` shows hosts and CPUs of the ranks"));
  flags.push_back(ignored({"prefix"}, "FOLDER", no_daemons));
  flags.push_back(ignored({"launch-agent"}, "PROGRAM", no_daemons));
  flags.push_back(ignored({"launcher", "bootstrap", "rmk", "launcher-exec", "bootstrap-exec"}, "NAME", no_daemons));
  flags.push_back(
      ignored({"iface", "localhost"}, "NAME", "muster selects the address; `hosts[].address` of a job file sets it"));
  flags.push_back(ignored({"debug-daemons", "leave-session-attached", "debug-daemons-file", "novm", "d", "debug-devel"},
                          "", no_daemons));
  flags.push_back(ignored({"cartofile", "cf"}, "FILE", "muster reads the topology of the machine"));
  flags.push_back(ignored({"max-vm-size"}, "N", no_daemons));
  flags.push_back(ignored({"membind"}, "POLICY", "muster binds ranks to CPUs, not to memory"));
  flags.push_back(
      ignored({"report-state-on-timeout", "get-stack-traces"}, "", "`muster why JOB` says where ranks were"));
  flags.push_back(ignored(
      {"show-progress", "do-not-resolve", "enable-instant-on-support", "use-regexp", "fwd-mpirun-port",
       "report-child-jobs-separately", "print-all-exitcodes", "disable-hostname-propagation", "skip-launch-node",
       "silent-abort", "enable-x", "disable-x", "hybrid-hosts", "pmi-port", "profile", "prot"},
      "", "it concerns mpirun itself"));
  flags.push_back(ignored({"personality", "usize", "demux", "topolib"}, "NAME", "it concerns mpirun itself"));
}

void add_mpirun_refused(std::vector<MpirunFlag>& flags) {
  const std::string attach = "start the debugger beside a rank: muster exec JOB --rank 0 -- gdb -p PID";
  flags.push_back(refused({"rankfile", "rf"}, "FILE", "name the hosts in their order with -H HOST:SLOTS"));
  flags.push_back(
      refused({"rankmap", "order-nodes", "hosts-group"}, "WORDS", "name the hosts in their order with -H HOST:SLOTS"));
  flags.push_back(
      refused({"cpu-set", "cpu-list", "cpu-bind"}, "CPUS", "use --bind-to core, or start it under taskset -c CPUS"));
  flags.push_back(
      refused({"arch", "soft", "file"}, "VALUE", "name the hosts with -H, and the number of ranks with -np"));
  flags.push_back(refused({"nolocal"}, "", "leave this machine out of -H or the host file"));
  flags.push_back(refused({"envnone", "genvnone"}, "", "start the program with `env -i` in front"));
  flags.push_back(refused({"preload-binary", "s"}, "", "`sync: true` in a job file copies the folder to the hosts"));
  flags.push_back(refused({"preload-files"}, "FILES", "`sync: true` in a job file copies the folder to the hosts"));
  flags.push_back(refused({"set-cwd-to-session-dir"}, "", "name a folder with --wdir"));
  flags.push_back(refused({"index-argv-by-rank"}, "", "let the program read OMPI_COMM_WORLD_RANK"));
  flags.push_back(refused({"am", "tune"}, "FILES", "set the parameters with --mca KEY VALUE"));
  flags.push_back(refused({"tv", "debug", "gdb", "dbg"}, "", attach));
  flags.push_back(refused({"debugger", "xterm", "gdb-args"}, "WORDS", attach));
  flags.push_back(refused({"gtool", "gtoolfile"}, "WORDS", "write the tool in front of the program"));
  flags.push_back(refused({"aps", "mps"}, "", "write the tool in front of the program"));
  flags.push_back(refused({"gpus-per-proc"}, "N", "`gpus` in a job file gives each rank GPUs of its own"));
  flags.push_back(refused({"memory-alloc-kinds"}, "KINDS", "let the program ask for them with MPI_Session_init"));
  flags.push_back(refused({"disable-auto-cleanup"}, "", "start programs that may go on alone as separate jobs"));
  flags.push_back(refused({"do-not-launch"}, "", "`muster run --dry-run` shows a plan"));
  flags.push_back(refused({"continuous", "enable-recovery"}, "", "use --max-restarts N"));
  flags.push_back(refused({"with-ft"}, "KIND", "use --max-restarts N: all ranks of the job restart"));
  flags.push_back(refused({"xml"}, "", "`muster run -o json` prints events and output as documents"));
  flags.push_back(refused({"xml-file"}, "FILE", "`muster run -o json` prints events and output as documents"));
  flags.push_back(refused({"prepend-pattern"}, "PATTERN", "use --prepend-rank or --tag-output"));
  flags.push_back(refused({"dvm", "hnp", "ompi-server", "nameserver"}, "ADDRESS", "leave it out: no server is needed"));
  flags.push_back(refused({"report-pid", "report-uri", "report-events", "output-proctable"}, "FILE",
                          "`muster ps -o json` lists jobs for programs"));
}

}  // namespace muster
