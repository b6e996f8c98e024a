// SPDX-License-Identifier: Apache-2.0
// muster config: shows where the values of keys come from, and sets defaults.
#include "core/base/text.h"
#include "core/client/submission/config_edit.h"
#include "core/client/submission/value_layers.h"
#include "launcher/cli/command.h"
#include "launcher/cli/draft_report.h"
#include "launcher/cli/job_flag_lines.h"
#include "launcher/cli/output_format.h"
#include "launcher/completion/key_words.h"
#include "launcher/composition/draft_backends.h"
#include "launcher/view/config_view.h"

namespace muster {
namespace {

struct ConfigFlags {
  std::string verb = "list";
  std::vector<std::string> words;
  JobFlags job;
  bool user = false;
  bool project = false;
  std::string format = "text";
};

// The error "no command". Without a job file it is ignored, because a value can be explained without a job.
constexpr const char* no_command = "E1304";

struct Values {
  JobDraft draft;
  std::vector<ConfigFile> files;
};

Result<Values> read_values(CommandContext& context, const ConfigFlags& flags,
                           const std::vector<std::string>& job_files) {
  auto draft = draft_job({.flags = flags.job, .files = job_files}, context.caller, draft_backends());
  if (!draft.ok()) return draft.status();
  if (job_files.empty()) std::erase_if(draft->diagnostics, [](const Diagnostic& d) { return d.code == no_command; });
  return Values{std::move(*draft), config_files(context.caller, context.caller.workdir)};
}

bool report_errors(CommandContext& context, const JobDraft& draft) {
  if (!has_errors(draft.diagnostics)) return false;
  context.screen.err(draft_text(context, draft, false));
  return true;
}

int explain_key(CommandContext& context, const ConfigFlags& flags) {
  if (flags.words.empty())
    return fail(context, {Code::invalid_argument,
                          "muster config explain needs a key; muster config list -o wide lists all keys"});
  const auto paths = keys_below(flags.words.front());
  if (!paths.ok()) return fail(context, paths.status());
  const auto seen = read_values(context, flags, {flags.words.begin() + 1, flags.words.end()});
  if (!seen.ok()) return fail(context, seen.status());
  if (report_errors(context, seen->draft)) return exit_usage;
  std::vector<ExplainedKey> keys;
  for (const std::string& path : *paths) keys.push_back(explain_key(path, seen->draft, seen->files));
  if (is_document(flags.format)) {
    print_document(context.screen, flags.format, explained_keys_json(keys));
    return exit_ok;
  }
  for (const ExplainedKey& key : keys) {
    context.screen.out(flags.format == "name" ? key.key + "\n" : explained_key(key, context.out_style()));
  }
  return exit_ok;
}

int list(CommandContext& context, const ConfigFlags& flags) {
  const auto seen = read_values(context, flags, flags.words);
  if (!seen.ok()) return fail(context, seen.status());
  if (report_errors(context, seen->draft)) return exit_usage;
  std::vector<ExplainedKey> keys;
  for (const Candidate& word : key_words()) keys.push_back(explain_key(word.value, seen->draft, seen->files));
  if (is_document(flags.format)) {
    print_document(context.screen, flags.format, config_json(keys, seen->files));
    return exit_ok;
  }
  if (flags.format == "name") {
    for (const ExplainedKey& key : keys) context.screen.out(key.key + "\n");
    return exit_ok;
  }
  const std::string table = config_table(keys, context.out_style(), flags.format == "wide");
  if (table.empty()) context.screen.err("all values are muster's defaults; to list them: muster config list -o wide\n");
  context.screen.out(table);
  return exit_ok;
}

int files(CommandContext& context, const ConfigFlags& flags) {
  const std::vector<ConfigFile> found = config_files(context.caller, context.caller.workdir);
  if (is_document(flags.format)) {
    print_document(context.screen, flags.format, config_json({}, found));
  } else if (flags.format == "name") {
    for (const ConfigFile& file : found) context.screen.out(file.path + "\n");
  } else {
    context.screen.out(config_files_table(found, context.out_style()));
  }
  return exit_ok;
}

// Prints the key that was set, because a stronger layer may override the new value.
int print_used_value(CommandContext& context, const ConfigFlags& flags) {
  ConfigFlags key = flags;
  key.words.resize(1);
  return explain_key(context, key);
}

int set(CommandContext& context, const ConfigFlags& flags) {
  if (flags.words.size() != 2)
    return fail(context,
                {Code::invalid_argument, "muster config set needs a key and a value: muster config set logs.max 1GiB"});
  if (flags.user && flags.project)
    return fail(context, {Code::invalid_argument, "--user and --project name two files; choose one"});
  const std::string layer = flags.project ? "project" : "user";
  for (const ConfigFile& file : config_files(context.caller, context.caller.workdir)) {
    if (file.layer != layer) continue;
    const auto written = set_in_config(file.path, flags.words[0], flags.words[1]);
    if (!written.ok()) return fail(context, written.status());
    if (is_document(flags.format) || flags.format == "name") return print_used_value(context, flags);
    context.screen.err("wrote " + *written + "; muster config explain " + flags.words[0] +
                       " shows which value is used\n");
    return exit_ok;
  }
  return fail(context, {Code::failed_precondition,
                        "HOME is not set, so your configuration file has no path; muster config set … --project writes "
                        "to the project's"});
}

}  // namespace

int config_main(CommandContext& context, const std::vector<std::string>& arguments) {
  ConfigFlags flags;
  CommandLine line("config [list|explain KEY|files|set KEY VALUE] [FILE] [flags]",
                   "Shows where the values of job keys come from, or sets a default.",
                   "muster config explain restarts.limit job.yaml -n 4\nmuster config set restarts.limit 3 --project");
  line.verbs({{"list", "[FILE]", "keys that some layer sets; -o wide: all keys", "a job file"},
              {"explain", "KEY [FILE]", "the value of a key in each layer, and which one is used", "a key;a job file"},
              {"files", "", "the configuration files that muster reads", ""},
              {"set", "KEY VALUE", "write a default into your configuration file, or the project's", "a key;"}},
             flags.verb)
      .words("a key", 0, 2, flags.words)
      .flag("--user", flags.user, "set: write to your configuration file (the default)")
      .flag("--project", flags.project, "set: write to muster.yaml of the project")
      .note(
          "Layers, from the weakest to the strongest: muster's defaults, the configuration of the system, of the user "
          "and of "
          "the project, a runtime (a template of job files), the job file, environment variables, flags.");
  declare_job_flags(line, flags.job);
  declare_format(line, flags.format);
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  if (flags.verb == "explain") return explain_key(context, flags);
  if (flags.verb == "files") return files(context, flags);
  return flags.verb == "set" ? set(context, flags) : list(context, flags);
}

}  // namespace muster
