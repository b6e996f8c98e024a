// SPDX-License-Identifier: Apache-2.0
// muster doctor: finds problems of this machine, of hosts or of a cluster that affect jobs, and fixes some of them.
#include "launcher/doctor/doctor.h"

#include "backends/ssh/doctor/judge_hosts.h"
#include "backends/ssh/hosts/host_access.h"
#include "backends/ssh/hosts/job_hosts.h"
#include "backends/ssh/hosts/peer_address.h"
#include "core/base/text.h"
#include "core/client/submission/job_source.h"
#include "core/system/asio/asio_loop.h"
#include "launcher/cli/cluster_words.h"
#include "launcher/cli/command.h"
#include "launcher/cli/output_format.h"
#include "launcher/command/host/cluster_doctor.h"
#include "launcher/command/host/file_doctor.h"
#include "launcher/command/host/host_visit.h"
#include "launcher/composition/draft_backends.h"
#include "launcher/doctor/fix.h"

namespace muster {
namespace {

constexpr size_t kMostTried = 256;  // hosts whose connections are tested: each needs an ssh session

struct DoctorFlags {
  HostWords hosts;
  ClusterWords cluster;
  std::vector<std::string> files;
  std::vector<std::string> command;  // after `--`
  std::optional<std::string> python;
  bool fix = false;
  bool look_only = false;
  std::string format = "text";
};

// Prints each command before it runs. Returns true if a command ran.
bool apply_fixes(CommandContext& context, const DoctorFlags& flags, const DoctorFacts& facts) {
  const std::vector<Finding> findings = judge(facts);
  bool done = false;
  for (const Repair& one : repairs(facts, findings)) {
    context.screen.err((flags.look_only ? "would run: " : "running: ") + escaped(one.command) + "\n");
    if (flags.look_only) continue;
    const Status status = repair(context.caller, facts, one.fix);
    if (!status.ok()) context.screen.err(error_line(context.err_style(), status.message()));
    done = true;
  }
  for (const std::string& line : left_to_hands(findings)) context.screen.err("to do by hand: " + escaped(line) + "\n");
  return done;
}

void show(CommandContext& context, const std::string& format, const std::vector<Finding>& findings) {
  if (is_document(format)) {
    print_document(context.screen, format, doctor_json(findings));
  } else if (format == "name") {
    for (const Finding& finding : findings) {
      if (finding.level == Finding::Level::problem) context.screen.out(finding.subject + "\n");
    }
  } else {
    context.screen.out(doctor_view(findings, context.out_style()));
  }
}

int code_for(const CommandContext& context, const std::vector<Finding>& findings) {
  if (context.screen.failed()) return exit_unwritten;
  return has_problem(findings) ? exit_job_failed : exit_ok;
}

// Tests the connections between the hosts that answered.
std::vector<Finding> test_connections(const std::shared_ptr<const HostAccess>& access,
                                      const std::vector<HostReport>& reports) {
  std::vector<HostSpec> specs;
  std::vector<HostReport> there;
  for (const HostReport& report : reports) {
    if (!report.facts || there.size() == kMostTried) continue;
    specs.push_back({report.host.name});
    there.push_back(report);
  }
  if (there.size() < 2) return {};
  const auto addresses = peer_addresses(specs, there);
  if (!addresses.ok())
    return {{Finding::Level::problem, "ways", addresses.status().message(), "ranks cannot connect to each other", ""}};
  std::vector<ReachHost> hosts;
  for (size_t i = 0; i < there.size(); ++i) hosts.push_back({there[i].host.name, (*addresses)[i]});
  AsioLoop loop;
  bool over = false;
  const ReachSurvey survey(loop, access, hosts, [&] {
    over = true;
    loop.stop();
  });
  while (!over && loop.run_one()) continue;
  return judge_ways(survey.blocked(), hosts.size());
}

void add(std::vector<Finding>& findings, std::vector<Finding> more) {
  findings.insert(findings.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

// `findings`: the findings so far. `needs`: of the job that is to run there; absent: no job is known.
int check_hosts(CommandContext& context, const DoctorFlags& flags, std::vector<ListedHost> hosts,
                std::vector<Finding> findings, const std::optional<JobNeeds>& needs) {
  const auto access = host_access(context.caller);
  if (!access.ok()) return fail(context, access.status());
  const auto reports =
      visit_hosts(context, std::move(hosts), *access, {HostSurvey::Depth::all, needs ? needs->python : ""});
  add(findings, judge_hosts(reports, needs));
  add(findings, test_connections(*access, reports));
  show(context, flags.format, findings);
  return code_for(context, findings);
}

int check_cluster(CommandContext& context, const DoctorFlags& flags) {
  const auto file = flags.files.empty() ? std::nullopt : std::optional(flags.files.front());
  const auto findings = examine_cluster(context, flags.cluster, file);
  if (!findings) return exit_usage;
  show(context, flags.format, *findings);
  return code_for(context, *findings);
}

int check_machine(CommandContext& context, const DoctorFlags& flags, std::vector<Finding> findings) {
  const std::string python = flags.python.value_or("");
  DoctorFacts facts = gather_facts(context.caller, python);
  if (flags.fix && apply_fixes(context, flags, facts)) facts = gather_facts(context.caller, python);
  add(findings, judge(facts));
  add(findings, judge_configuration(context.caller));
  show(context, flags.format, findings);
  return code_for(context, findings);
}

int check_typed_hosts(CommandContext& context, const DoctorFlags& flags) {
  int code = exit_ok;
  auto hosts = read_host_words(context, flags.hosts, code);
  return hosts ? check_hosts(context, flags, std::move(*hosts), {}, std::nullopt) : code;
}

JobWords words_of(const DoctorFlags& flags) {
  JobWords words{.files = flags.files, .command = flags.command};
  words.flags.hostfile = flags.hosts.file;
  for (JobFlags::Mirror& mirror : words.flags.mirrors) {
    if (mirror.key == "hosts") mirror.value = flags.hosts.words;
    if (mirror.key == "backend") mirror.value = flags.cluster.backend;
  }
  return words;
}

// Checks the place in which the job of the file or the command would run.
int check_job(CommandContext& context, const DoctorFlags& flags) {
  auto draft = draft_job(words_of(flags), context.caller, draft_backends());
  if (!draft.ok()) return fail(context, draft.status());
  if (!draft->unread.ok()) return fail(context, draft->unread), exit_usage;
  if (draft->spec.backend == BackendKind::kubernetes) return check_cluster(context, flags);
  std::vector<ListedHost> hosts = listed_hosts(draft->spec);
  const bool elsewhere = draft->spec.backend == BackendKind::ssh && !hosts.empty();
  const JobNeeds needs = needs_of(*draft);
  std::vector<Finding> findings = judge_file(std::move(*draft), context.caller);
  if (!elsewhere) return check_machine(context, flags, std::move(findings));
  return check_hosts(context, flags, std::move(hosts), std::move(findings), needs);
}

}  // namespace

int doctor_main(CommandContext& context, const std::vector<std::string>& arguments) {
  DoctorFlags flags;
  CommandLine line("doctor [FILE] [flags] [-- PROGRAM [ARGUMENT...]]",
                   "Checks this machine for problems that affect jobs, and shows how to fix them.",
                   "muster doctor\nmuster doctor --fix --dry-run\nmuster doctor --hosts a1,a2 -- python3 train.py");
  line.value("--python", "PATH", flags.python,
             "the Python interpreter to check (default: the one that muster run uses)")
      .flag("--fix", flags.fix, "fix what is safe to fix; prints each command first, and what you must do yourself")
      .flag("--dry-run", flags.look_only, "with --fix: only print the commands")
      .words("a job file", 0, 1, flags.files)
      .rest(flags.command, runnable_here(context.caller))
      .note(
          "With --hosts or --hostfile, doctor checks those hosts over your own ssh instead, and whether they reach "
          "each "
          "other. With --backend kubernetes, it checks a cluster. With a job FILE or a PROGRAM, it checks the place "
          "where the job runs, and whether that place has what the job needs.\n\nExit code 1: there is a problem. "
          "Notes do not count.");
  declare_host_words(line, flags.hosts);
  declare_cluster_words(line, flags.cluster);
  declare_format(line, flags.format);
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  const bool of_job = !flags.files.empty() || !flags.command.empty();
  if (!of_job && (flags.hosts.words || flags.hosts.file)) return check_typed_hosts(context, flags);
  const auto cluster = means_cluster(flags.cluster, context.caller);
  if (!cluster.ok()) return fail(context, cluster.status());
  if (*cluster) return check_cluster(context, flags);
  if (flags.look_only && !flags.fix) return fail(context, {Code::invalid_argument, "--dry-run needs --fix"});
  if (of_job) return check_job(context, flags);
  return check_machine(context, flags, {});
}

}  // namespace muster
