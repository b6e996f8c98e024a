// The job file (YAML, format version 1) ↔ JobSpec, along the table of job_keys.h.
//
// Reading never throws and never runs anything. All problems of a file are reported in one run. What must hold
// across keys is not checked here: call validate.h's check_job when flags have been applied.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/job/diagnostic.h"
#include "core/job/job_spec.h"

namespace muster {

struct ParsedJob {
  JobSpec spec;
  std::vector<Diagnostic> diagnostics;  // spec is usable only when has_errors() is false
  Places places;                        // where each value came from: file, configuration or flag
};

// `text` is a job file called `file` in messages. Limits: 256 KiB, 32 levels, 64 aliases, 20,000 values, 200
// diagnostics (then one that counts the rest); within and beyond them any input is answered in 100 ms and 64 MiB.
ParsedJob parse_job(std::string_view text, const std::string& file);

// `--set`-like values over a spec, keys as in the file ("workers", "restarts.limit", "env.NAME", "worker.gpus",
// "groups.trainer.nodes"): read by the same table as the file, so types, hints and codes are the same. `origin` is
// shown as the place ("--workers"). Keys of a group without "groups.NAME." mean the only group, which is made when
// there is none; with several they are an error.
//
// A value is in YAML's flow syntax: 2, auto, [a, b], {limit: 3}. Texts, labels and variables are taken as they are,
// without YAML's quotes and traps, but a variable that starts with {from: is a reference. A `command` may be given by
// `words` instead, which nothing reads: a shell has done that.
struct Override {
  std::string key;
  std::string value;
  std::string origin;
  std::vector<std::string> words = {};
};
std::vector<Diagnostic> apply_overrides(JobSpec& spec, const std::vector<Override>& overrides);
// The same; adds to the job's diagnostics and places.
void apply_overrides(ParsedJob& job, const std::vector<Override>& overrides);

// Reads a job file from disk; refuses folders, devices, pipes and files above the limit without reading them.
Result<std::string> read_job_file(const std::string& path);

// Why `file` could not be read, as a problem beside those of files that could.
Diagnostic unreadable_file(const std::string& file, const Status& why);

// A canonical text that parse_job reads back as an equal spec (JSON, which is YAML, on one line): for journals,
// the wire, `-o json`. Every key is written, so that defaults of another version change nothing. Holds for specs
// that validate.
std::string spec_to_json(const JobSpec& spec);
// Reads what spec_to_json wrote, several times as fast as parse_job. `file` is the text's name; places are not told.
ParsedJob parse_job_json(std::string_view text, const std::string& file);

// Configuration (muster.yaml in project, user and system folders): those of the job file's keys that may be defaults of
// every job (Key::in_config). A layer's values apply where the job file is silent; `env` and `labels` are joined name by
// name, lists are replaced.
struct ConfigLayer {
  std::string file;
  std::string text;
};
// Layers from strongest to weakest. Defaults are applied under the job file's values, above built-in ones.
// `runtimes` are the templates the job stands on, from the one it names to the last that this one builds on: between
// configuration and the job. They take a job's keys but `name` and `tty`, and `description`.
ParsedJob parse_job_with_config(std::string_view text, const std::string& file, const std::vector<ConfigLayer>& layers,
                                const std::vector<ConfigLayer>& runtimes = {});

// What a file says at a top key that holds a text, `runtime` or `description`, and where; nothing when it says none, or
// cannot be read.
struct PlacedText {
  std::string text;
  SourceRange where;
};
std::optional<PlacedText> text_at(std::string_view text, const std::string& file, std::string_view key);

// A name that a runtime may have: one path element that is no hidden file.
bool is_runtime_name(std::string_view name);

}  // namespace muster
