// SPDX-License-Identifier: Apache-2.0
#include "launcher/command/host/host_visit.h"

#include <algorithm>

#include "backends/ssh/hosts/host_access.h"
#include "backends/ssh/hosts/host_survey.h"
#include "backends/ssh/hosts/job_hosts.h"
#include "core/base/text.h"
#include "core/client/submission/host_choice.h"
#include "core/system/asio/asio_loop.h"
#include "launcher/view/hosts_view.h"

namespace muster {
namespace {

// Shows on a terminal how many hosts have answered.
class AskProgress {
 public:
  AskProgress(CommandContext& context, size_t all) : context_(context), all_(all) { show(); }
  ~AskProgress() { clear(); }
  void one_more() {
    ++done_;
    show();
  }
  void clear() {
    if (context_.caller.stderr_tty) context_.screen.err("\r\033[K");
  }

 private:
  void show() {
    if (!context_.caller.stderr_tty) return;
    context_.screen.err("\r\033[Kasking " + count_of(all_, "host") + ": " + std::to_string(done_) + " done");
  }

  CommandContext& context_;
  const size_t all_;
  size_t done_ = 0;
};

void note_this_machine(const std::vector<HostReport>& reports, const std::vector<JobHost>& hosts,
                       std::vector<std::string>& remarks) {
  const std::string here = this_machine();
  for (size_t i = 0; i < reports.size(); ++i) {
    if (reports[i].facts->machine == here)
      remarks.push_back(hosts[i].name + " is this machine; the other hosts reach it at " + hosts[i].address);
  }
}

}  // namespace

void declare_host_words(CommandLine& line, HostWords& typed) {
  line.value("--hosts", "LIST", typed.words,
             "hosts as your ssh knows them, separated by commas: a1,mia@a2:4 (4 slots: ranks that a2 takes)")
      .value("--hostfile", "FILE", typed.file,
             "hosts from a file, one per line: NAME, NAME:4 or NAME slots=4; # starts a comment");
}

std::optional<std::vector<ListedHost>> read_host_words(CommandContext& context, const HostWords& typed, int& code) {
  if (typed.words.has_value() == typed.file.has_value()) {
    code = fail(context, {Code::invalid_argument, "name the hosts, with --hosts a1,a2 or --hostfile FILE"});
    return std::nullopt;
  }
  const Result<std::string> text = typed.file ? read_host_file(*typed.file) : Result<std::string>("");
  if (!text.ok()) {
    code = fail(context, text.status());
    return std::nullopt;
  }
  HostList list = typed.file ? parse_host_file(*text, *typed.file) : parse_host_words(*typed.words, "--hosts");
  if (list.problems.empty()) return std::move(list.hosts);
  context.screen.err(
      render_diagnostics(list.problems, {{typed.file.value_or(""), *text}}, context.report_style(false)));
  code = exit_usage;
  return std::nullopt;
}

Result<std::vector<HostReport>> visit_hosts(CommandContext& context, std::vector<ListedHost> hosts,
                                            const HostSurvey::Question& question) {
  auto access = host_access(context.caller);
  if (!access.ok()) return access.status();
  return visit_hosts(context, std::move(hosts), std::move(*access), question);
}

std::vector<HostReport> visit_hosts(CommandContext& context, std::vector<ListedHost> hosts,
                                    std::shared_ptr<const HostAccess> access, const HostSurvey::Question& question) {
  AsioLoop loop;
  bool over = false;
  AskProgress progress(context, hosts.size());
  HostSurvey survey(loop, std::move(access), std::move(hosts), context.caller.interactive(), question,
                    {[&](const HostReport&) { progress.one_more(); },
                     [&](const std::string& host) {
                       progress.clear();
                       context.screen.err(host + " asks:\n");
                     },
                     [&] {
                       over = true;
                       loop.stop();
                     }});
  while (!over && loop.run_one()) continue;
  return survey.reports();
}

std::optional<std::vector<JobHost>> visit_job_hosts(CommandContext& context, JobDraft& draft, int& code) {
  if (draft.spec.backend != BackendKind::ssh) return std::vector<JobHost>();
  const auto access = host_access(context.caller);
  if (!access.ok()) {
    code = fail(context, access.status());
    return std::nullopt;
  }
  auto ours = std::make_shared<HostAccess>(**access);
  ours->passes_on = true;  // so that the controller can reuse the connections
  const auto reports = visit_hosts(context, listed_hosts(draft.spec), ours, {HostSurvey::Depth::machine});
  if (const std::string troubles = hosts_troubles(reports, context.err_style()); !troubles.empty()) {
    context.screen.err(troubles + "nothing was started\n");
    code = exit_unreachable;
    return std::nullopt;
  }
  auto hosts = job_hosts(draft.spec, reports);
  if (!hosts.ok()) {
    code = fail(context, hosts.status());
    return std::nullopt;
  }
  if (hosts->size() > 1) note_this_machine(reports, *hosts, draft.remarks);
  return std::move(*hosts);
}

}  // namespace muster
