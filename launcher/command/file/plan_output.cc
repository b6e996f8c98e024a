// SPDX-License-Identifier: Apache-2.0
#include "launcher/command/file/plan_output.h"

#include "core/client/view/json.h"
#include "core/framework/framework.h"
#include "core/job/plan/plan_hosts.h"
#include "core/system/linux/loopback_name.h"
#include "launcher/cli/draft_report.h"
#include "launcher/cli/output_format.h"
#include "launcher/command/host/host_visit.h"
#include "launcher/composition/wire.h"
#include "launcher/view/plan_view.h"

namespace muster {

namespace {

struct ShownPlan {
  Plan plan;
  NodePlaces places;
};

std::optional<ShownPlan> plan_here(CommandContext& context, const JobSpec& spec, const JobFlags& typed, int& code) {
  const auto machine = machine_inventory(context.caller);
  const auto plan = machine.ok() ? plan_on_one_machine(spec, *machine) : Result<Plan>(machine.status());
  if (plan.ok()) return ShownPlan{*plan, places_here(*plan, loopback_name())};
  code = fail_as_typed(context, plan.status(), typed);
  return std::nullopt;
}

std::optional<ShownPlan> plan_there(CommandContext& context, JobDraft& draft, const JobFlags& typed, int& code) {
  const auto hosts = visit_job_hosts(context, draft, code);
  if (!hosts) return std::nullopt;
  const auto plan = plan_on_hosts(draft.spec, *hosts);
  if (!plan.ok()) {
    code = fail_as_typed(context, plan.status(), typed);
    return std::nullopt;
  }
  for (std::string& remark : remarks_on_hosts(*plan, *hosts)) draft.remarks.push_back(std::move(remark));
  return ShownPlan{*plan, places_on(*hosts, *plan)};
}

}  // namespace

int show_plan(CommandContext& context, JobDraft& draft, const JobFlags& typed, const std::string& format) {
  int code = exit_ok;
  const bool far = draft.spec.backend == BackendKind::ssh;
  const auto shown = far ? plan_there(context, draft, typed, code) : plan_here(context, draft.spec, typed, code);
  if (!shown) return code;
  const Plan* plan = &shown->plan;
  const auto environments = shown_environments(draft.spec, *plan, shown->places);
  if (is_document(format)) {
    print_document(context.screen, format,
                   plan_json(draft.spec, *plan, environments, shown_service(draft.spec, *plan)));
    return exit_ok;
  }
  if (format == "name") {
    for (const PlannedRank& rank : plan->ranks) context.screen.out(rank_name(draft.spec, rank) + "\n");
    return exit_ok;
  }
  context.screen.out(plan_view(draft.spec, *plan, environments, context.out_style()));
  for (const std::string& sentence : draft.remarks) context.screen.err(sentence + "\n");
  return exit_ok;
}

}  // namespace muster
