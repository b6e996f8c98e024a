#include "launcher/command/host_visit.h"

#include <algorithm>

#include "core/adapter/asio/asio_loop.h"
#include "core/base/text.h"
#include "launcher/hosts/host_access.h"
#include "launcher/hosts/host_tour.h"
#include "launcher/hosts/job_hosts.h"
#include "launcher/view/hosts_view.h"

namespace muster {
namespace {

// Says how far it is, on a terminal.
class AskedSoFar {
 public:
  AskedSoFar(CommandContext& context, size_t all) : context_(context), all_(all) { show(); }
  ~AskedSoFar() { clear(); }
  void one_more() {
    ++done_;
    show();
  }
  void clear() {
    if (context_.surroundings.stderr_tty) context_.screen.err("\r\033[K");
  }

 private:
  void show() {
    if (!context_.surroundings.stderr_tty) return;
    context_.screen.err("\r\033[Kasking " + count_of(all_, "host") + ": " + std::to_string(done_) + " done");
  }

  CommandContext& context_;
  const size_t all_;
  size_t done_ = 0;
};

}  // namespace

Result<std::vector<HostReport>> visit_hosts(CommandContext& context, std::vector<ListedHost> hosts) {
  auto access = host_access(context.surroundings);
  if (!access.ok()) return access.status();
  AsioLoop loop;
  bool over = false;
  AskedSoFar progress(context, hosts.size());
  HostTour tour(loop, std::move(*access), std::move(hosts), context.surroundings.interactive(),
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
  return tour.reports();
}

std::optional<std::vector<JobHost>> visit_job_hosts(CommandContext& context, JobDraft& draft, int& code) {
  if (draft.spec.backend != BackendKind::ssh) return std::vector<JobHost>();
  const auto reports = visit_hosts(context, listed_hosts(draft.spec));
  if (!reports.ok()) {
    code = fail(context, reports.status());
    return std::nullopt;
  }
  if (const std::string troubles = hosts_troubles(*reports, context.err_style()); !troubles.empty()) {
    context.screen.err(troubles + "nothing was started.\n");
    code = exit_unreachable;
    return std::nullopt;
  }
  auto hosts = job_hosts(draft.spec, *reports);
  if (!hosts.ok()) {
    code = fail(context, hosts.status());
    return std::nullopt;
  }
  return std::move(*hosts);
}

}  // namespace muster
