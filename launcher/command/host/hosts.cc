// SPDX-License-Identifier: Apache-2.0
// muster hosts: asks the hosts of a list over ssh what they have. muster facts and muster reach: run on those hosts.
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "backends/ssh/code/leftovers.h"
#include "backends/ssh/hosts/reach_here.h"
#include "backends/ssh/relay/link_place.h"
#include "backends/ssh/session/old_builds.h"
#include "core/client/connect/paths.h"
#include "core/system/linux/runtime_folder.h"
#include "launcher/cli/command.h"
#include "launcher/cli/output_format.h"
#include "launcher/command/host/host_visit.h"
#include "launcher/view/hosts_view.h"

namespace muster {
namespace {

struct HostsFlags {
  HostWords hosts;
  std::string format = "text";
  bool forget = false;
};

void show_forgotten(CommandContext& context, const std::vector<HostReport>& reports) {
  for (const HostReport& report : reports) {
    if (report.facts) context.screen.out(report.host.name + ": removed everything in " + report.folder + "\n");
  }
  context.screen.err(hosts_troubles(reports, context.err_style()));
}

// Only if this program runs from a cache that muster copied it to (CACHE/bin/HASH/muster).
Status forget_this_host(const CallerContext& caller, const std::string& runtime) {
  const std::string folder = host_folder(caller);
  if (!ssh::is_copy(caller.program))
    return Status(Code::failed_precondition, "muster was not copied to this host; the program is " + caller.program);
  remove_dead_links(runtime);
  return forget_host(folder, runtime);
}

void show(CommandContext& context, const std::string& format, const std::vector<HostReport>& reports) {
  if (is_document(format)) return print_document(context.screen, format, hosts_json(reports));
  if (format == "name") {
    for (const HostReport& report : reports) {
      if (report.facts) context.screen.out(report.host.name + "\n");
    }
  } else {
    context.screen.out(hosts_table(reports, context.out_style(), format == "wide"));
    for (const std::string& remark : hosts_remarks(reports)) context.screen.err("note: " + remark + "\n");
  }
  context.screen.err(hosts_troubles(reports, context.err_style()));
}

bool all_answered(const std::vector<HostReport>& reports) {
  return std::all_of(reports.begin(), reports.end(), [](const HostReport& each) { return each.facts.has_value(); });
}

}  // namespace

int hosts_main(CommandContext& context, const std::vector<std::string>& arguments) {
  HostsFlags flags;
  std::vector<std::string> none;
  CommandLine line("hosts (--hosts LIST | --hostfile FILE) [flags]",
                   "Asks hosts over ssh for their CPUs, memory, GPUs, disk, Python and clock.",
                   "muster hosts --hosts a1,mia@a2:4\nmuster hosts --hostfile rack1 -o wide");
  declare_host_words(line, flags.hosts);
  line.words("nothing", 0, 0, none)
      .note(
          "You need not install anything on the hosts: muster copies itself into your cache folder on each host "
          "once.\n\n"
          "muster uses your own ssh with your ~/.ssh/config: aliases, ports, keys, ssh agents and jump hosts. It "
          "always "
          "checks host keys. If ssh has questions, they appear on this terminal, one host after the other.\n\n"
          "Exit codes: 3 if a host did not answer. With --forget: 1 if something could not be removed.");
  line.flag("--forget", flags.forget,
            "delete muster's files on the hosts: its program, copies of code, results of jobs, setups");
  declare_format(line, flags.format);
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  int code = exit_ok;
  auto hosts = read_host_words(context, flags.hosts, code);
  if (!hosts) return code;
  const auto depth = flags.forget ? HostSurvey::Depth::forget : HostSurvey::Depth::all;
  const auto reports = visit_hosts(context, std::move(*hosts), {depth});
  if (!reports.ok()) return fail(context, reports.status());
  if (flags.forget && !is_document(flags.format)) {
    show_forgotten(context, *reports);
  } else {
    show(context, flags.format, *reports);
  }
  return all_answered(*reports) ? exit_ok : flags.forget ? exit_job_failed : exit_unreachable;
}

int reach_main(CommandContext& context, const std::vector<std::string>& arguments) {
  CommandLine line("reach", "Tests connections to other hosts, for muster doctor --hosts (internal).",
                   "echo at 127.0.0.1 | muster reach");
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  return reach_here(STDIN_FILENO, STDOUT_FILENO);
}

int facts_main(CommandContext& context, const std::vector<std::string>& arguments) {
  CommandLine line("facts", "Prints what this machine has, for muster hosts (internal).", "echo now | muster facts");
  bool machine = false;
  bool forget = false;
  std::optional<std::string> python;
  line.value("--python", "PATH", python, "the interpreter to ask (default: python, else python3)");
  line.flag("--machine", machine, "leave out the facts that need Python");
  line.flag("--forget", forget, "then delete muster's files on this machine");
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  std::string asked;
  std::getline(std::cin, asked);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  context.screen.out(std::to_string(std::chrono::nanoseconds(now).count()) + "\n");
  const auto asked_python = machine ? std::nullopt : std::optional(python.value_or(""));
  context.screen.out(facts_to_json(gather_host(context.caller, asked_python)) + "\n");
  const auto runtime = runtime_folder();
  if (forget) {
    const Status forgotten = runtime.ok() ? forget_this_host(context.caller, *runtime) : runtime.status();
    return forgotten.ok() ? exit_ok : fail(context, forgotten);
  }
  ssh::remove_old_builds(context.caller.program);
  if (runtime.ok()) remove_leftovers(host_folder(context.caller), *runtime);
  return exit_ok;
}

}  // namespace muster
