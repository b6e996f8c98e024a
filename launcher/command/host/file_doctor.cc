// SPDX-License-Identifier: Apache-2.0
#include "launcher/command/host/file_doctor.h"

#include <algorithm>

#include "backends/ssh/session/host_script.h"
#include "core/client/guess/framework_guess.h"
#include "core/client/submission/secrets.h"
#include "core/job/interpreters.h"
#include "launcher/composition/draft_backends.h"
#include "launcher/composition/wire.h"

namespace muster {
namespace {

constexpr const char* kPlainSecret = "E1411";

std::string place_of(const SourceRange& where) {
  if (where.line == 0) return where.file;
  return where.file + ":" + std::to_string(where.line) + ":" + std::to_string(where.column);
}

Finding finding_of(const Diagnostic& diagnostic, const std::string& subject) {
  const bool error = diagnostic.severity == Severity::error;
  const std::string label = diagnostic.label.empty() ? "" : ": " + diagnostic.label;
  return {error ? Finding::Level::problem : Finding::Level::note, subject,
          place_of(diagnostic.where) + ": " + diagnostic.message + label, error ? "the job cannot start" : "",
          diagnostic.help.empty() ? "muster explain " + diagnostic.code : diagnostic.help};
}

JobSpec without_commands(JobSpec spec) {
  const auto drop = [](std::map<std::string, EnvValue>& variables) {
    std::erase_if(variables, [](const auto& each) {
      return each.second.secret && each.second.secret->kind == SecretSource::Kind::cmd;
    });
  };
  drop(spec.env);
  for (GroupSpec& group : spec.groups) drop(group.env);
  return spec;
}

void check_environment(JobDraft& draft, const CallerContext& caller) {
  auto found = resolve_secrets(without_commands(draft.spec), caller.environment, draft.places, draft.origin,
                               draft.manifest_secrets)
                   .diagnostics;
  check_programs(draft, caller);
  draft.diagnostics.insert(draft.diagnostics.end(), found.begin(), found.end());
}

// Whether this machine can ever hold the job.
std::optional<Finding> judge_size(const JobDraft& draft, const CallerContext& caller) {
  if (draft.spec.backend != BackendKind::local || has_errors(draft.diagnostics)) return std::nullopt;
  const auto machine = machine_inventory(caller);
  const auto plan = machine.ok() ? plan_on_one_machine(draft.spec, *machine) : Result<Plan>(machine.status());
  if (plan.ok()) return std::nullopt;
  return Finding{Finding::Level::problem, "job file", draft.origin + ": " + plan.status().message(),
                 "the job cannot start", "muster run --dry-run " + draft.origin};
}

// The package of the module in "train.py imports torch.distributed"; empty: `why` has another form.
std::string package_in(const std::string& why) {
  constexpr std::string_view kImports = " imports ";
  const size_t at = why.find(kImports);
  if (at == std::string::npos) return "";
  const std::string module = why.substr(at + kImports.size());
  std::string package = module.substr(0, module.find('.'));
  std::replace(package.begin(), package.end(), '_', '-');
  return package;
}

}  // namespace

// Setup or a virtual environment may provide the interpreter and the packages. A relative path cannot be checked before the code is
// on the host.
JobNeeds needs_of(const JobDraft& draft) {
  JobNeeds needs;
  if (needs_setup(draft.spec)) return needs;
  for (const GroupSpec& group : draft.spec.groups) {
    if (group.command.empty()) continue;
    const std::string& program = group.command.front();
    const bool is_found = program.find('/') == std::string::npos || program.starts_with('/');
    if (is_python_name(program) && is_found && ssh::is_shell_word(program)) needs.python = program;
    const FrameworkGuess guess = guess_framework(group.command, {draft.spec.workdir, "", ""});
    if (guess.why.empty()) continue;
    needs.why = guess.why;
    needs.packages.insert("torch");
    if (const std::string package = package_in(guess.why); !package.empty()) needs.packages.insert(package);
  }
  return needs;
}

std::vector<Finding> judge_file(JobDraft draft, const CallerContext& caller) {
  if (!has_errors(draft.diagnostics)) check_environment(draft, caller);
  std::vector<Finding> findings;
  for (const Diagnostic& each : draft.diagnostics) findings.push_back(finding_of(each, "job file"));
  if (auto size = judge_size(draft, caller)) findings.push_back(std::move(*size));
  if (findings.empty()) findings.push_back({Finding::Level::ok, "job file", draft.origin + " is valid", "", ""});
  return findings;
}

std::vector<Finding> judge_configuration(const CallerContext& caller) {
  std::vector<Finding> findings;
  const auto draft = draft_job({.command = {"true"}}, caller, draft_backends());
  if (!draft.ok()) return findings;
  for (const Diagnostic& each : draft->diagnostics) {
    if (each.code == kPlainSecret) findings.push_back(finding_of(each, "secrets"));
  }
  return findings;
}

}  // namespace muster
