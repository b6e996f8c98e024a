// SPDX-License-Identifier: Apache-2.0
// JobDraft: makes a job for the controller from the user's command. It merges file, configuration, environment and flags,
// completes names and folders, and collects all problems, so that they are reported together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/client/caller_context.h"
#include "core/client/submission/draft_backend.h"
#include "core/client/submission/job_flags.h"
#include "core/job/diagnostic.h"
#include "core/job/document/yaml_document.h"
#include "core/job/file/kubeflow/manifest.h"
#include "core/job/job_spec.h"
#include "core/port/control_messages.h"

namespace muster {

struct JobDraft {
  JobSpec spec;                     // workdir is absolute, name is set
  std::string written_workdir;      // workdir as written in the file or flag; used in a container
  std::string origin;               // the file as it was typed; "standard input"; "the command line"
  std::vector<SourceText> sources;  // texts of the job file and the configuration, for diagnostics
  Places places;
  std::vector<ConfigLayer> layers;    // configuration, strongest first
  std::vector<ConfigLayer> runtimes;  // the job's templates; the one that it names is first
  std::vector<Override> overrides;    // from variables and flags, weakest first
  bool hosts_of_file = false;         // a flag or variable named a host file
  std::vector<Diagnostic> diagnostics;
  std::vector<std::string> remarks;  // notes about what muster chose by itself, one sentence each
  std::optional<YamlNode> manifest;  // the job file that a manifest of Kubernetes was translated to
  std::string manifest_object;       // the job in it, as JSON
  std::string name_word;             // the beginning of a name that muster makes; empty: by the file or the program
  // Values of Secrets in the manifest, by variable; `env` of the spec has {from: "manifest:NAME"} for them.
  std::map<std::string, std::string> manifest_secrets;
  std::string manifest_kind;  // the kind of that job, such as TrainJob; empty: the job is no manifest
  DraftBackends backends;
  Status unread;   // why the job file could not be read; then `diagnostics` contains only this problem
  Status unasked;  // why the cluster could not be asked for a runtime; `diagnostics` contains it with its place
};

// Arguments of run, submit and render.
struct JobWords {
  JobFlags flags;
  std::vector<std::string> files;    // one; none if there is only a `command`
  std::vector<std::string> command;  // the words after `--`; replaces the file's command
  RuntimeLookup runtimes = {};       // with flags.cluster_runtimes: finds those of the cluster
};

// A note for people if --cluster-runtimes was given for a job that is no TrainJob; else empty. draft_job() adds it to the
// remarks.
std::string cluster_runtimes_note(const JobFlags& flags, const JobDraft& draft);

// Fails if a flag is not KEY=VALUE, the current folder was removed, or configuration cannot be read. Problems of the job
// file are in `diagnostics`. Reads files only, and calls `words.runtimes` at most once; preflight.h checks programs and
// folders.
Result<JobDraft> draft_job(const JobWords& words, const CallerContext& caller, const DraftBackends& backends);

// Checks programs, scripts and folders of a job that runs on this machine. Does nothing if the draft has errors.
void check_programs(JobDraft& draft, const CallerContext& caller);

// Checks programs and folders on this machine, packs code and reads secrets. Does nothing if the draft has errors.
// Returns the request to send; its submit_key is set, its code_commit is not (CodeCommit). For a job in a cluster, sets
// the spec's workdir to `written_workdir`.
SubmitRequest complete_draft(JobDraft& draft, const CallerContext& caller);

}  // namespace muster
