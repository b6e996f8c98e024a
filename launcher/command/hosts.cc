// muster hosts: what the hosts of a list have, over the user's own ssh; and muster facts, which is asked there.
#include <algorithm>
#include <iostream>

#include "core/adapter/ssh/old_builds.h"
#include "core/model/host_list.h"
#include "launcher/command/command.h"
#include "launcher/command/host_visit.h"
#include "launcher/command/output_format.h"
#include "launcher/submission/host_choice.h"
#include "launcher/view/hosts_view.h"

namespace muster {
namespace {

struct HostsFlags {
  std::optional<std::string> words;
  std::optional<std::string> file;
  std::string format = "text";
};

// Null: it was said what is wrong; exit with `code`.
std::optional<std::vector<ListedHost>> read_hosts(CommandContext& context, const HostsFlags& flags, int& code) {
  if (flags.words.has_value() == flags.file.has_value()) {
    code = fail(context,
                {Code::invalid_argument, "which hosts?  muster hosts --hosts a1,a2  or  muster hosts --hostfile FILE"});
    return std::nullopt;
  }
  const Result<std::string> text = flags.file ? read_host_file(*flags.file) : Result<std::string>("");
  if (!text.ok()) {
    code = fail(context, text.status());
    return std::nullopt;
  }
  HostList list = flags.file ? parse_host_file(*text, *flags.file) : parse_host_words(*flags.words, "--hosts");
  if (list.problems.empty()) return std::move(list.hosts);
  context.screen.err(
      render_diagnostics(list.problems, {{flags.file.value_or(""), *text}}, context.report_style(false)));
  code = exit_usage;
  return std::nullopt;
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
                   "Asks hosts over ssh what they have: CPUs, memory, GPUs, disk, Python, clock. Nothing need be "
                   "installed there; muster is copied into your cache on each, once.",
                   "muster hosts --hosts a1,mia@a2:4\nmuster hosts --hostfile rack1 -o wide");
  line.value("--hosts", "LIST", flags.words,
             "hosts parted by commas, as your ssh knows them: NAME, USER@NAME; NAME:4 has 4 slots")
      .value("--hostfile", "FILE", flags.file, "one host a line: NAME, NAME:4 or NAME slots=4; # begins a comment")
      .words("nothing", 0, 0, none)
      .note(
          "Your own ssh runs, with your ~/.ssh/config: aliases, ports, keys, agents, jump hosts. Host keys are always "
          "checked; what ssh would ask it asks here, one host after the other, if this is a terminal.\n\n"
          "Exits 1 when a host did not answer.");
  declare_format(line, flags.format);
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  int code = exit_ok;
  auto hosts = read_hosts(context, flags, code);
  if (!hosts) return code;
  const auto reports = visit_hosts(context, std::move(*hosts));
  if (!reports.ok()) return fail(context, reports.status());
  show(context, flags.format, *reports);
  return all_answered(*reports) ? exit_ok : exit_job_failed;
}

int facts_main(CommandContext& context, const std::vector<std::string>& arguments) {
  CommandLine line("facts", "What this machine has, in a line, for `muster hosts`, which asks it over ssh.",
                   "echo now | muster facts");
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  std::string asked;
  std::getline(std::cin, asked);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  context.screen.out(std::to_string(std::chrono::nanoseconds(now).count()) + "\n");
  context.screen.out(facts_to_json(gather_host(context.surroundings)) + "\n");
  ssh::remove_old_builds(context.surroundings.program);
  return exit_ok;
}

}  // namespace muster
