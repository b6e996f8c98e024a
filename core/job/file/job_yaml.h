// SPDX-License-Identifier: Apache-2.0
// Reads a job file (YAML, format version 1) into a JobSpec and writes a JobSpec as JSON, with the table of job_keys.h.
//
// Reading never throws and never runs a program. It reports all problems of a file at once. It does not check rules
// that involve several keys: call check_job (validate.h) after the flags are applied.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/job/diagnostic.h"
#include "core/job/job_spec.h"

namespace muster {

struct YamlNode;

struct ParsedJob {
  JobSpec spec;
  std::vector<Diagnostic> diagnostics;  // spec is usable only when has_errors() is false
  Places places;                        // the place of each value: in a file, in configuration or at a flag
};

// `text` is a job file that messages call `file`. Limits: 256 KiB, 32 levels, 64 aliases, 20,000 values, 200
// diagnostics (then one more that counts the rest). Any input takes at most 100 ms and 64 MiB.
ParsedJob parse_job(std::string_view text, const std::string& file);

// A value of a flag such as `--set` that overrides a value of the spec. Keys are those of the file ("workers",
// "restarts.limit", "env.NAME", "worker.gpus", "groups.trainer.nodes"), and the same table reads them, so types, hints
// and codes are the same. `origin` is shown as the place ("--workers"). A key of a group without "groups.NAME." is for
// the only group, which is created if there is none; if there are several, it is an error.
//
// A value is in YAML's flow syntax: 2, auto, [a, b], {limit: 3}. Texts, labels and variables are used verbatim, without
// YAML's quotes, but a variable that starts with {from: is a reference. For `command`, `words` can be set instead of
// `value`; they are not parsed.
struct Override {
  std::string key;
  std::string value;
  std::string origin;
  std::vector<std::string> words = {};
};
std::vector<Diagnostic> apply_overrides(JobSpec& spec, const std::vector<Override>& overrides);
// The same for a ParsedJob: adds to its diagnostics and places.
void apply_overrides(ParsedJob& job, const std::vector<Override>& overrides);

// Reads a job file from disk. Folders, devices, pipes and files above the size limit are refused without reading them.
Result<std::string> read_job_file(const std::string& path);

// The diagnostic for a file that could not be read (E1002 or E1013).
Diagnostic unreadable_file(const std::string& file, const Status& why);

// One line of JSON (which is YAML) that parse_job reads back as an equal spec, for journals, the wire and `-o json`.
// All keys are written, so that other defaults in another version change nothing. The spec must be valid.
std::string spec_to_json(const JobSpec& spec);
// Reads the output of spec_to_json, several times as fast as parse_job. `file` is the name of the text. Places are not
// set.
ParsedJob parse_job_json(std::string_view text, const std::string& file);

// A configuration file (muster.yaml in a project, user or system folder). It has those keys of the job file that can be
// defaults for all jobs (Key::in_config). Its values apply to keys that the job file does not set; `env` and `labels`
// are merged by name, lists are replaced.
struct ConfigLayer {
  std::string file;
  std::string text;
};
// `layers` are configuration files, from strongest to weakest: stronger than built-in defaults, weaker than the job
// file. `runtimes` are the templates of the job, from the one that it names to the last that this one builds on:
// stronger than configuration, weaker than the job file. They take the keys of a job except `name` and `tty`, and also
// `description`.
ParsedJob parse_job_with_config(std::string_view text, const std::string& file, const std::vector<ConfigLayer>& layers,
                                const std::vector<ConfigLayer>& runtimes = {});

// The same for a job file that is already a tree, such as one that a manifest was translated to (kubeflow/manifest.h).
ParsedJob parse_job_tree(YamlNode tree, const std::string& file, const std::vector<ConfigLayer>& layers,
                         const std::vector<ConfigLayer>& runtimes = {});

// The text of a key at the top of a file, such as `runtime` or `description`, and its place. nullopt if the file cannot
// be read or does not set the key to a text.
struct PlacedText {
  std::string text;
  SourceRange where;
};
std::optional<PlacedText> text_at(std::string_view text, const std::string& file, std::string_view key);

// Whether `name` is a valid name for a runtime: a path element that is not a hidden file.
bool is_runtime_name(std::string_view name);

}  // namespace muster
