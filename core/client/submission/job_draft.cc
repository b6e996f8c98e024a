// SPDX-License-Identifier: Apache-2.0
#include "core/client/submission/job_draft.h"

#include <algorithm>
#include <filesystem>

#include "core/base/random.h"
#include "core/base/text.h"
#include "core/client/beginning_of.h"
#include "core/client/guess/framework_guess.h"
#include "core/client/guess/inner_launcher.h"
#include "core/client/guess/stdin_program.h"
#include "core/client/manifest/manifest_source.h"
#include "core/client/preflight/preflight.h"
#include "core/client/python_choice.h"
#include "core/client/run_program.h"
#include "core/client/submission/config_layers.h"
#include "core/client/submission/flags_of_program.h"
#include "core/client/submission/host_choice.h"
#include "core/client/submission/job_folder.h"
#include "core/client/submission/job_name.h"
#include "core/client/submission/job_source.h"
#include "core/client/submission/manifest_draft.h"
#include "core/client/submission/plain_secrets.h"
#include "core/client/submission/runtimes.h"
#include "core/client/submission/secrets.h"
#include "core/job/document/diagnostic_sink.h"
#include "core/job/file/kubeflow/manifest.h"
#include "core/job/file/kubeflow/tree/node_tools.h"
#include "core/job/file/validate.h"
#include "core/job/names.h"
#include "core/job/python_command.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

// A relative workdir in a file is relative to the file's folder; one from a flag is relative to the current folder. A
// folder of manifests is a file here, however its name is typed: `man`, `man/`, `.`.
std::string base_of_workdir(const std::string& file, bool by_flag) {
  if (by_flag || file.empty() || file == "-") return "";
  const fs::path path(file);
  const fs::path name = path.filename();
  return name.empty() || name == "." || name == ".." ? path / ".." : path.parent_path();
}

void name_job(JobDraft& draft, const std::string& file, uint64_t seed) {
  if (!draft.spec.name.empty() || draft.spec.groups.empty()) return;
  const std::string by_file = draft.name_word.empty() ? file_word(file) : draft.name_word;
  const std::string word = by_file.empty() ? program_word(draft.spec.groups.front().command) : by_file;
  Random random(seed);
  draft.spec.name = make_job_name(word, random);
}

bool has_several_ranks(const JobSpec& spec) {
  const GroupSpec& first = spec.groups.front();
  return spec.groups.size() > 1 || first.max_nodes > 1 || first.workers.automatic || first.workers.count > 1;
}

// The guess for the first group in whose program something was found.
FrameworkGuess guess_for(const JobSpec& spec, const CallerContext& caller) {
  for (const GroupSpec& group : spec.groups) {
    const auto value = [&](const char* name) { return variable_of_ranks(spec, group, name, caller.environment); };
    std::string path = value("PATH");
    if (!spec.python.venv.empty()) path = spec.python.venv + "/bin:" + path;
    FrameworkGuess guess = guess_framework(group.command, {spec.workdir, path, value("PYTHONPATH")});
    if (!guess.why.empty()) return guess;
  }
  return {};
}

// A program of several ranks that is not told its rank may run several times as one process, and succeed. So ranks get
// torch's variables too if nothing was found.
void choose_framework(JobDraft& draft, const CallerContext& caller) {
  JobSpec& spec = draft.spec;
  if (draft.places.contains("framework") || spec.groups.empty()) return;
  FrameworkGuess guess = guess_for(spec, caller);
  if (guess.why.empty() && !has_several_ranks(spec)) return;
  spec.framework = guess.framework;
  if (guess.why.empty()) return;
  for (Diagnostic& each : check_framework(spec, draft.origin, draft.places))
    draft.diagnostics.push_back(std::move(each));
  // Behind a wrapper the argument --local_rank=N would be the wrapper's.
  const bool wrapped = guess.framework == Framework::deepspeed && !is_python(spec.groups.front().command);
  if (wrapped && spec.torch.local_rank == LocalRankForm::automatic) spec.torch.local_rank = LocalRankForm::env;
  draft.remarks.push_back("framework: " + std::string(to_string(guess.framework)) + " (" + guess.why + ")");
}

// A framework that the user names says what the ranks are. Manifests are read as the ranks of their launcher.
void note_launchers(JobDraft& draft) {
  if (draft.places.contains("framework") || draft.manifest) return;
  for (const GroupSpec& group : draft.spec.groups) {
    if (group.workers.automatic || group.workers.count < 2) continue;
    std::string note = launcher_note(group.command, std::to_string(group.workers.count));
    if (!note.empty()) return draft.remarks.push_back(std::move(note));
  }
}

// On this machine the shell's PATH decides which Python runs. A path in the command is the user's own choice.
void name_python(JobDraft& draft, const CallerContext& caller) {
  if (uses_image(draft.spec)) return;
  if (draft.spec.backend != BackendKind::local || draft.spec.groups.empty() || !draft.spec.python.venv.empty()) return;
  const std::vector<std::string>& command = draft.spec.groups.front().command;
  if (!python_command(command) || command[0].find('/') != std::string::npos) return;
  const std::string found = find_program(command[0], caller.variable("PATH").value_or(""), caller.workdir);
  const std::string remark =
      found.empty() ? "" : environment_remark(found, caller.environment, "for that one, begin the command with $");
  if (!remark.empty()) draft.remarks.push_back(remark);
}

// In a cluster a pod may wait for hours until it is scheduled, so there timeouts.start has no default.
void settle_start_limit(JobDraft& draft) {
  const bool chosen = draft.places.contains("timeouts.start");
  if (draft.spec.backend == BackendKind::kubernetes && !chosen) draft.spec.timeouts.start = Duration(0);
}

// The DraftBackend of the job's backend; null: it has none.
const DraftBackend* backend_of(const JobDraft& draft) {
  const auto is_its = [&](const DraftBackend* each) { return each->kind() == draft.spec.backend; };
  const auto found = std::find_if(draft.backends.begin(), draft.backends.end(), is_its);
  return found == draft.backends.end() ? nullptr : *found;
}

// In a cluster the image of the ranks is that of the pods.
void settle_images(JobDraft& draft) {
  JobSpec& spec = draft.spec;
  if (spec.in_image.image == kImageOfManifest && !draft.manifest)
    draft.diagnostics.push_back(
        Diagnostic{.code = "E1320",
                   .where = place_of(draft.places, "in_image", draft.origin),
                   .message = "`manifest` means the image that a manifest names, but this job is not a manifest",
                   .help = "write the name of an image"});
  if (spec.backend != BackendKind::kubernetes) return;
  if (spec.kubernetes.image.empty()) spec.kubernetes.image = spec.in_image.image;
  for (GroupSpec& group : spec.groups) {
    if (group.kubernetes.image.empty()) group.kubernetes.image = group.in_image;
  }
}

void check_for_backend(JobDraft& draft, const CallerContext& caller) {
  const DraftBackend* backend = backend_of(draft);
  if (backend == nullptr || has_errors(draft.diagnostics)) return;
  backend->check(draft, caller);
  sort_by_place(draft.diagnostics);
}

void warn_of_plain_secrets(JobDraft& draft) {
  auto found = plain_secrets(draft.spec, draft.places, draft.origin);
  draft.diagnostics.insert(draft.diagnostics.end(), found.begin(), found.end());
  sort_by_place(draft.diagnostics);
}

// Only jobs that are read from manifests have secrets of manifests.
void refuse_manifest_sources(JobDraft& draft) {
  if (draft.manifest) return;
  const auto check = [&](const std::map<std::string, EnvValue>& variables, const std::string& path) {
    for (const auto& [name, value] : variables) {
      if (!value.secret || value.secret->kind != SecretSource::Kind::manifest) continue;
      draft.diagnostics.push_back(
          Diagnostic{.code = "E1111",
                     .where = place_of(draft.places, path + name, draft.origin),
                     .message = "`" + name + "` cannot come from a manifest, because this job is not read from one",
                     .help = "write env:NAME, file:PATH or cmd:PROGRAM ARGS"});
    }
  };
  check(draft.spec.env, "env.");
  for (size_t i = 0; i < draft.spec.groups.size(); ++i)
    check(draft.spec.groups[i].env, "groups." + std::to_string(i) + ".env.");
}

// Journals and messages carry the job as JSON, which is UTF-8. In a cluster the folder is not on this machine.
void check_folder_name(JobDraft& draft) {
  const std::string& folder = draft.spec.workdir;
  if (draft.spec.backend == BackendKind::kubernetes || is_text(folder)) return;
  draft.diagnostics.push_back(
      Diagnostic{.code = "E1310",
                 .where = place_of(draft.places, "workdir", draft.origin),
                 .message = "the path of the working folder is not UTF-8 text: " + escaped(folder),
                 .help = "rename the folder, or enter it through a link: ln -s FOLDER ~/NAME && cd ~/NAME"});
  sort_by_place(draft.diagnostics);
}

std::string origin_of(const std::string& file) {
  if (file.empty()) return "the command line";
  return file == "-" ? "standard input" : file;
}

// The absolute path of a job file, so that `muster diff` finds it from any folder.
std::string path_of_origin(const std::string& origin, const CallerContext& caller) {
  if (origin == "the command line") return "";
  return origin == "standard input" ? origin : (fs::path(caller.workdir) / origin).lexically_normal().string();
}

JobDraft unread_draft(JobDraft draft, const Status& why) {
  draft.unread = why;
  draft.diagnostics = {unreadable_file(draft.origin, why)};
  return draft;
}

// The runtime's name: from flags and variables, else the job file, else configuration. A flag has no line number.
std::optional<PlacedText> named_runtime(const JobDraft& draft, const std::string& text) {
  for (auto each = draft.overrides.rbegin(); each != draft.overrides.rend(); ++each) {
    if (each->key == "runtime") return PlacedText{each->value, {each->origin, 0, 0, 1}};
  }
  if (auto own = text_at(text, draft.origin, "runtime")) return own;
  for (const ConfigLayer& layer : draft.layers) {
    if (auto usual = text_at(layer.text, layer.file, "runtime")) return usual;
  }
  return std::nullopt;
}

// Reads the job's runtimes; their problems are in `diagnostics`.
void read_templates(JobDraft& draft, const std::string& text, const CallerContext& caller) {
  const auto name = named_runtime(draft, text);
  if (!name || name->text.empty()) return;
  RuntimeChain chain = read_runtimes(*name, runtime_folders(caller, caller.workdir));
  draft.runtimes = std::move(chain.templates);
  draft.diagnostics = std::move(chain.problems);
  for (const ConfigLayer& each : draft.runtimes) {
    if (looks_like_manifest(each.text))
      draft.diagnostics.push_back(Diagnostic{
          .code = "E1805",
          .where = name->where,
          .message = "the runtime `" + escaped(name->text) + "` is a TrainingRuntime, which only TrainJobs can use",
          .help = "name it in spec.runtimeRef of a TrainJob; it is " + each.file});
  }
  if (!draft.diagnostics.empty()) draft.runtimes.clear();
  if (draft.diagnostics.empty())
    draft.remarks.push_back("runtime: " + name->text + " (" + draft.runtimes.front().file + ")");
}

void take_parsed(JobDraft& draft, ParsedJob parsed) {
  // If the runtime has problems, the job is not checked: its missing keys may be in the runtime.
  const bool whole = !has_errors(draft.diagnostics);
  std::vector<Diagnostic> found = whole ? check_job(parsed, draft.origin) : std::move(parsed.diagnostics);
  draft.diagnostics.insert(draft.diagnostics.end(), found.begin(), found.end());
  draft.spec = std::move(parsed.spec);
  draft.places = std::move(parsed.places);
}

// The content of the file of a job: a job file, or manifests.
struct FileText {
  std::string text;
  std::optional<ManifestSource> manifests;
};

Result<FileText> read_file(const std::string& file, const JobWords& words, const CallerContext& caller) {
  std::error_code ignored;
  if (!file.empty() && fs::is_directory(fs::path(caller.workdir) / file, ignored)) {
    auto folder = manifests_of_folder(file);
    if (folder.ok()) return FileText{"", std::move(*folder)};
    if (folder.status().code() != Code::not_found) return folder.status();
  }
  auto text = file.empty() ? Result<std::string>(std::string("{}")) : read_job_source(file, words.flags.typed, caller);
  if (!text.ok()) return text.status();
  auto manifests = manifest_in(*text, origin_of(file));
  return FileText{std::move(*text), std::move(manifests)};
}

ParsedJob parse_file(JobDraft& draft, FileText file, const RuntimeLookup& runtimes, const CallerContext& caller) {
  if (file.manifests) return parse_manifest(draft, std::move(*file.manifests), runtimes, caller);
  read_templates(draft, file.text, caller);
  if (draft.origin != origin_of("")) draft.sources.push_back({draft.origin, file.text});
  return parse_job_with_config(file.text, draft.origin, draft.layers, draft.runtimes);
}

// The words after `--`. Ranks do not read the standard input of this command, so a program that is there is read here,
// unless a rank gets the terminal.
Result<std::vector<std::string>> typed_command(const JobWords& words, const CallerContext& caller) {
  const auto& mirrors = words.flags.mirrors;
  const bool has_terminal = std::any_of(mirrors.begin(), mirrors.end(), [](const JobFlags::Mirror& mirror) {
    return mirror.key == "tty" && mirror.value;
  });
  if (has_terminal) return words.command;
  return with_stdin_program(words.command, {caller.stdin_tty, beginning_of_stdin});
}

}  // namespace

std::string cluster_runtimes_note(const JobFlags& flags, const JobDraft& draft) {
  if (!flags.cluster_runtimes || draft.manifest_kind == "TrainJob") return "";
  return "--cluster-runtimes has no effect: only TrainJobs use runtimes of a cluster, and this job is " +
         (draft.manifest_kind.empty() ? std::string("not a manifest") : "of the kind " + draft.manifest_kind);
}

Result<JobDraft> draft_job(const JobWords& words, const CallerContext& caller, const DraftBackends& backends) {
  if (caller.workdir.empty())
    return Status(Code::invalid_argument, "the folder you are in was removed; cd to one that is there");
  if (!words.command.empty() && words.command.front().starts_with('-'))
    return Status(Code::invalid_argument, "`" + words.command.front() +
                                              "` after `--` is a flag, not a program; muster's flags come before `--`");
  const std::string file = words.files.empty() ? "" : words.files.front();
  JobDraft draft{.origin = origin_of(file), .backends = backends};
  auto text = read_file(file, words, caller);
  if (!text.ok()) return unread_draft(std::move(draft), text.status());
  auto layers = read_config_layers(caller, caller.workdir);
  if (!layers.ok()) return layers.status();
  draft.layers = std::move(*layers);
  auto overrides = overrides_of(words.flags, caller.environment);
  if (!overrides.ok()) return overrides.status();
  auto command = typed_command(words, caller);
  if (!command.ok()) return command.status();
  if (!command->empty())
    overrides->insert(overrides->begin(), {"command", "", "the command line", std::move(*command)});
  draft.overrides = std::move(*overrides);
  ParsedJob parsed = parse_file(draft, std::move(*text), words.runtimes, caller);
  if (!has_errors(draft.diagnostics)) apply_overrides(parsed, draft.overrides);
  for (const auto& files : {draft.runtimes, draft.layers}) {
    for (const ConfigLayer& each : files) draft.sources.push_back({each.file, each.text});
  }
  take_parsed(draft, std::move(parsed));
  if (const Status read = take_host_file(words.flags, caller, draft); !read.ok()) return read;
  settle_hosts(draft);
  const bool by_flag = std::any_of(draft.overrides.begin(), draft.overrides.end(),
                                   [](const Override& each) { return each.key == "workdir"; });
  draft.written_workdir = draft.spec.workdir;
  draft.spec.workdir = job_folder(base_of_workdir(file, by_flag), draft.spec.workdir, caller);
  name_job(draft, file, caller.seed);
  choose_framework(draft, caller);
  note_launchers(draft);
  name_python(draft, caller);
  settle_start_limit(draft);
  settle_images(draft);
  check_for_backend(draft, caller);
  refuse_manifest_sources(draft);
  warn_of_plain_secrets(draft);
  if (std::string note = cluster_runtimes_note(words.flags, draft); !note.empty())
    draft.remarks.push_back(std::move(note));
  if (std::string misplaced = misplaced_flag(words.command, draft.spec.workdir, words.flags); !misplaced.empty())
    draft.remarks.push_back(std::move(misplaced));
  for (const std::string& name : absent_variables(words.flags, caller.environment)) {
    draft.remarks.push_back("-e " + name + ": not set in this shell, so the ranks do not get it");
  }
  return draft;
}

namespace {

// A program or script that is not on this machine may be in the manifest's image.
void name_image(const JobDraft& draft, Diagnostic& problem) {
  const bool lacks_file = problem.code == "E1401" || problem.code == "E1403";
  if (!lacks_file || draft.manifest_kind.empty() || uses_image(draft.spec)) return;
  problem.help += (problem.help.empty() ? "" : " Or: ");
  const std::string file = draft.origin == "standard input" ? "-" : shell_line({draft.origin});
  problem.help += "--in-image manifest runs the command in the image of the manifest; muster run " + file +
                  " -- PROGRAM … runs another command here";
}

}  // namespace

void check_programs(JobDraft& draft, const CallerContext& caller) {
  if (has_errors(draft.diagnostics) || draft.spec.backend != BackendKind::local) return;
  auto found = preflight(draft.spec, caller.environment, draft.places, draft.origin);
  for (Diagnostic& each : found) name_image(draft, each);
  draft.diagnostics.insert(draft.diagnostics.end(), found.begin(), found.end());
  sort_by_place(draft.diagnostics);
}

SubmitRequest complete_draft(JobDraft& draft, const CallerContext& caller) {
  SubmitRequest request;
  check_folder_name(draft);
  if (has_errors(draft.diagnostics)) return request;
  const JobSpec& spec = draft.spec;
  check_programs(draft, caller);
  std::string code_hash;
  if (const DraftBackend* backend = backend_of(draft)) code_hash = backend->pack_code(draft, caller);
  ResolvedSecrets secrets =
      resolve_secrets(spec, caller.environment, draft.places, draft.origin, draft.manifest_secrets);
  draft.diagnostics.insert(draft.diagnostics.end(), secrets.diagnostics.begin(), secrets.diagnostics.end());
  sort_by_place(draft.diagnostics);
  if (has_errors(draft.diagnostics)) return request;
  // In a cluster the workdir is a path in the container. From here on nothing is looked up on this machine.
  if (spec.backend == BackendKind::kubernetes) draft.spec.workdir = draft.written_workdir;
  Random random(caller.seed);
  random.next();
  request.submit_key = std::to_string(random.next()) + std::to_string(random.next());
  request.spec_json = spec_to_json(spec);
  request.origin = path_of_origin(draft.origin, caller);
  request.manifest = draft.manifest_object;
  request.code_hash = code_hash;
  request.environment = caller.environment;
  erase_flag_variables(request.environment);
  request.settings = caller.settings;
  request.secrets = std::move(secrets.values);
  return request;
}

}  // namespace muster
