// JobDraft: from what the user typed to a job that can be handed to a controller: file, configuration,
// environment and flags joined, names and folders made complete, and everything that is wrong with it, all at
// once.
#pragma once

#include <string>
#include <vector>

#include "core/client/caller_context.h"
#include "core/client/submission/draft_backend.h"
#include "core/client/submission/job_flags.h"
#include "core/job/diagnostic.h"
#include "core/job/job_spec.h"
#include "core/port/control_messages.h"

namespace muster {

struct JobDraft {
  JobSpec spec;                     // workdir absolute, name set
  std::string written_workdir;      // as the file or a flag has it: what holds in a container
  std::string origin;               // the file as it was typed; "standard input"; "the command line"
  std::vector<SourceText> sources;  // of it and of the configuration, for diagnostics
  Places places;
  std::vector<ConfigLayer> layers;    // configuration, strongest first
  std::vector<ConfigLayer> runtimes;  // the templates it stands on, from the one it names
  std::vector<Override> overrides;    // of variables and flags, weakest first
  bool hosts_of_file = false;         // a flag or variable named a file of hosts
  std::vector<Diagnostic> diagnostics;
  std::vector<std::string> remarks;  // what muster chose by itself, a sentence each
  DraftBackends backends;            // what its backend adds
  Status unread;                     // why the file could not be read; then it is the only thing in `diagnostics`
};

// What run, submit and render take.
struct JobWords {
  JobFlags flags;
  std::vector<std::string> files;    // one, or none when `command` is there
  std::vector<std::string> command;  // behind `--`; replaces the file's
};

// Fails when flags are no pairs, the folder is gone, or configuration cannot be read. What is wrong with the file is in
// `diagnostics`. Looks at the machine only as far as reading goes: preflight.h does the rest.
Result<JobDraft> draft_job(const JobWords& words, const CallerContext& caller, const DraftBackends& backends);

// Adds what only this machine knows: programs, folders, secrets. Leaves a draft with errors alone.
// Returns the request to send; its submit_key is set, its code_commit is not (CodeCommit). Of a job for a cluster the workdir is then the written one.
SubmitRequest complete_draft(JobDraft& draft, const CallerContext& caller);

}  // namespace muster
