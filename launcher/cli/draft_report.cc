// SPDX-License-Identifier: Apache-2.0
#include "launcher/cli/draft_report.h"

#include <algorithm>

#include "core/client/submission/plain_secrets.h"
#include "core/job/diagnostic.h"
#include "core/job/json_text.h"

namespace muster {

// A file that cannot be read gets one sentence. Errors inside a file get their places and error codes.
std::string draft_text(const CommandContext& context, const JobDraft& draft, bool starts) {
  if (draft.unread.code() != Code::ok && draft.unread.code() != Code::resource_exhausted) {
    return error_line(context.err_style(), draft.unread.message());
  }
  std::vector<SourceText> sources = draft.sources;
  blot_secrets(draft.spec, sources);
  return render_diagnostics(draft.diagnostics, sources, context.report_style(starts));
}

std::string draft_json(const JobDraft& draft) {
  const uint64_t more = untold_problems(draft.diagnostics);
  return "{\"type\":\"file\",\"file\":" + json_quoted(draft.origin) +
         ",\"valid\":" + (has_errors(draft.diagnostics) ? "false" : "true") +
         (more > 0 ? ",\"more\":" + std::to_string(more) : "") +
         ",\"diagnostics\":" + diagnostics_to_json(draft.diagnostics) + "}";
}

int exit_code_of(const JobDraft& draft) {
  const auto errors = std::count_if(draft.diagnostics.begin(), draft.diagnostics.end(),
                                    [](const Diagnostic& each) { return each.severity == Severity::error; });
  return draft.unasked.ok() || errors > 1 ? int{exit_usage} : int{exit_code_of(draft.unasked)};
}

int fail_as_typed(CommandContext& context, const Status& why, const JobFlags& typed) {
  return fail(context, {why.code(), in_typed_words(why.message(), typed)});
}

}  // namespace muster
