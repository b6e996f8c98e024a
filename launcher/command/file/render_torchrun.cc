// SPDX-License-Identifier: Apache-2.0
#include "launcher/command/file/render_torchrun.h"

#include <algorithm>

#include "core/client/view/document.h"
#include "core/client/view/json.h"
#include "core/job/json_text.h"
#include "core/system/linux/loopback_name.h"
#include "launcher/cli/draft_report.h"
#include "launcher/cli/output_format.h"
#include "launcher/command/file/plan_output.h"
#include "launcher/composition/wire.h"
#include "launcher/torchrun/torchrun_job.h"
#include "launcher/torchrun/torchrun_line.h"
#include "launcher/view/plan_view.h"

namespace muster {
namespace {

int say_wrong(CommandContext& context, const std::string& sentence) {
  context.screen.err(error_line(context.err_style(), sentence));
  return exit_usage;
}

// The plan as JSON, or the error.
Result<std::string> plan_of(CommandContext& context, const TorchrunJob& job) {
  const auto machine = machine_inventory(context.caller);
  if (!machine.ok()) return machine.status();
  const auto plan = plan_on_one_machine(job.draft.spec, *machine);
  if (!plan.ok()) return plan.status();
  return plan_json(job.draft.spec, *plan,
                   shown_environments(job.draft.spec, *plan, places_here(*plan, loopback_name())));
}

Result<std::string> plan_of(CommandContext& context, const TorchrunFlags& flags) {
  auto job = torchrun_job(flags, context.caller);
  if (!job.ok()) return job.status();
  complete_draft(job->draft, context.caller);
  if (!has_errors(job->draft.diagnostics)) return plan_of(context, *job);
  return Status(Code::invalid_argument, job->draft.diagnostics.front().message);
}

int render_document(CommandContext& context, const TorchrunWords& words, const TorchrunFlags& flags) {
  const auto plan = plan_of(context, flags);
  const std::string rest = plan.ok() ? ",\"plan\":" + *plan : ",\"error\":" + json_quoted(plan.status().message());
  const std::string schema = "{\"schema\":" + json_quoted(schema_of("torchrun"));
  print_document(context.screen, words.format, schema + ",\"flags\":" + torchrun_flags_json(flags) + rest + "}");
  return plan.ok() ? exit_ok : exit_usage;
}

}  // namespace

std::optional<TorchrunWords> torchrun_words(const std::vector<std::string>& arguments) {
  TorchrunWords words;
  size_t at = 0;
  if (arguments.size() > 2 && (arguments[0] == "-o" || arguments[0] == "--output")) {
    words.format = arguments[1];
    at = 2;
  }
  const bool known = words.format == "text" || is_document(words.format);
  if (!known || at >= arguments.size() || arguments[at] != "torchrun") return std::nullopt;
  words.arguments.assign(arguments.begin() + static_cast<std::ptrdiff_t>(at) + 1, arguments.end());
  return words;
}

int render_torchrun(CommandContext& context, const TorchrunWords& words) {
  const TorchrunLine line = parse_torchrun(words.arguments, context.caller.environment);
  if (line.kind == TorchrunLine::Kind::wrong) return say_wrong(context, line.wrong);
  if (line.kind != TorchrunLine::Kind::run) {
    context.screen.out(torchrun_help());
    return exit_ok;
  }
  if (is_document(words.format)) return render_document(context, words, line.flags);
  auto job = torchrun_job(line.flags, context.caller);
  if (!job.ok()) return say_wrong(context, job.status().message());
  complete_draft(job->draft, context.caller);
  if (!has_errors(job->draft.diagnostics)) return show_plan(context, job->draft, JobFlags(), words.format);
  context.screen.err(draft_text(context, job->draft, false));
  return exit_usage;
}

}  // namespace muster
