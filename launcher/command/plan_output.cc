#include "launcher/command/plan_output.h"

#include "core/adapter/linux/loopback_name.h"
#include "launcher/command/output_format.h"
#include "launcher/view/json.h"
#include "launcher/view/plan_view.h"
#include "launcher/wire/wire.h"

namespace muster {

int show_plan(CommandContext& context, const JobDraft& draft, const std::string& format) {
  const auto machine = machine_inventory(context.surroundings);
  if (!machine.ok()) return fail(context, machine.status());
  const auto plan = plan_on_one_machine(draft.spec, *machine);
  if (!plan.ok()) return fail(context, plan.status());
  const auto environments = shown_environments(draft.spec, *plan, loopback_name());
  if (is_document(format)) {
    print_document(context.screen, format, plan_json(draft.spec, *plan, environments));
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
