// muster config: where values come from, and setting one.
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

// A value is explained with or without a job: that one has no command is no mistake then.
constexpr const char* no_command = "E1304";

struct Look {
  JobDraft draft;
  std::vector<ConfigFile> files;
};

Result<Look> look(CommandContext& context, const ConfigFlags& flags, const std::vector<std::string>& job_files) {
  auto draft = draft_job({.flags = flags.job, .files = job_files}, context.caller, draft_backends());
  if (!draft.ok()) return draft.status();
  if (job_files.empty()) std::erase_if(draft->diagnostics, [](const Diagnostic& d) { return d.code == no_command; });
  return Look{std::move(*draft), config_files(context.caller, context.caller.workdir)};
}

bool says_wrong(CommandContext& context, const JobDraft& draft) {
  if (!has_errors(draft.diagnostics)) return false;
  context.screen.err(draft_text(context, draft, false));
  return true;
}

int explain_key(CommandContext& context, const ConfigFlags& flags) {
  if (flags.words.empty())
    return fail(context,
                {Code::invalid_argument, "muster config explain wants a key; muster config list -o wide has all"});
  const auto paths = keys_below(flags.words.front());
  if (!paths.ok()) return fail(context, paths.status());
  const auto seen = look(context, flags, {flags.words.begin() + 1, flags.words.end()});
  if (!seen.ok()) return fail(context, seen.status());
  if (says_wrong(context, seen->draft)) return exit_usage;
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
  const auto seen = look(context, flags, flags.words);
  if (!seen.ok()) return fail(context, seen.status());
  if (says_wrong(context, seen->draft)) return exit_usage;
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
  if (table.empty()) context.screen.err("every value is muster's own; all of them: muster config list -o wide\n");
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

// Of the key that was set: where somebody else says more, that is not what was written.
int what_counts(CommandContext& context, const ConfigFlags& flags) {
  ConfigFlags key = flags;
  key.words.resize(1);
  return explain_key(context, key);
}

int set(CommandContext& context, const ConfigFlags& flags) {
  if (flags.words.size() != 2)
    return fail(context,
                {Code::invalid_argument, "muster config set wants a key and a value: muster config set logs.max 1GiB"});
  if (flags.user && flags.project)
    return fail(context, {Code::invalid_argument, "--user and --project name two files; choose one"});
  const std::string layer = flags.project ? "project" : "user";
  for (const ConfigFile& file : config_files(context.caller, context.caller.workdir)) {
    if (file.layer != layer) continue;
    const auto written = set_in_config(file.path, flags.words[0], flags.words[1]);
    if (!written.ok()) return fail(context, written.status());
    if (is_document(flags.format) || flags.format == "name") return what_counts(context, flags);
    context.screen.err("wrote " + *written + "; muster config explain " + flags.words[0] + " shows what counts\n");
    return exit_ok;
  }
  return fail(context, {Code::failed_precondition,
                        "HOME is not set, so there is no file of yours; muster config set … --project"});
}

}  // namespace

int config_main(CommandContext& context, const std::vector<std::string>& arguments) {
  ConfigFlags flags;
  CommandLine line("config [list|explain KEY|files|set KEY VALUE] [FILE] [flags]",
                   "Shows where values come from: muster itself, the system's, your and the project's configuration, a "
                   "runtime, the job file, variables, flags.",
                   "muster config explain restarts.limit job.yaml -n 4\nmuster config set restarts.limit 3 --project");
  line.verbs({{"list", "[FILE]", "what something other than muster says; -o wide: every key", "a job file"},
              {"explain", "KEY [FILE]", "each layer's value of a key, and which counts", "a key;a job file"},
              {"files", "", "the files that are looked for", ""},
              {"set", "KEY VALUE", "write it into your configuration, or the project's", "a key;"}},
             flags.verb)
      .words("a key", 0, 2, flags.words)
      .flag("--user", flags.user, "set: in your own file (the default)")
      .flag("--project", flags.project, "set: in the project's muster.yaml");
  declare_job_flags(line, flags.job);
  declare_format(line, flags.format);
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  if (flags.verb == "explain") return explain_key(context, flags);
  if (flags.verb == "files") return files(context, flags);
  return flags.verb == "set" ? set(context, flags) : list(context, flags);
}

}  // namespace muster
