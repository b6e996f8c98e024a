// SPDX-License-Identifier: Apache-2.0
#include "core/client/submission/job_outline.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "core/base/text.h"
#include "core/client/beginning_of.h"
#include "core/client/guess/framework_guess.h"
#include "core/job/document/yaml_traps.h"
#include "core/job/json_text.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

constexpr size_t most_looked_at = 1000;
constexpr size_t comment_column = 34;
constexpr std::array<std::string_view, 6> usual_names = {"train.py",    "main.py",     "run.py",
                                                         "pretrain.py", "finetune.py", "train.sh"};

bool is_usual(const std::string& name) {
  return std::find(usual_names.begin(), usual_names.end(), name) != usual_names.end();
}

bool is_helper(const std::string& name) {
  return name == "setup.py" || name == "conftest.py" || name.starts_with("test_") || name.starts_with("_");
}

// How likely the file is a program that the user wants to run: 0 (no) to 3. A script with `__main__` or an executable
// file ranks higher.
int rank_of(const fs::path& path) {
  const std::string name = path.filename().string();
  if (name.starts_with('.') || is_helper(name)) return 0;
  if (is_usual(name)) return 3;
  const bool runs = access(path.c_str(), X_OK) == 0;
  if (name.ends_with(".py")) return runs || beginning_of(path.string()).find("__main__") != std::string::npos ? 2 : 1;
  return runs ? 2 : 0;
}

bool lies_in(const std::string& folder, const char* name) {
  std::error_code none;
  return fs::exists(fs::path(folder) / name, none);
}

// `word` as an element of a YAML list; quoted if needed.
std::string flow_word(const std::string& word) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=+";
  const bool simple = !word.empty() && word.find_first_not_of(plain) == std::string::npos &&
                      std::string_view("0123456789+=").find(word.front()) == std::string_view::npos;
  return simple && !find_trap(word) ? word : json_quoted(word);
}

std::string with_comment(std::string line, const std::string& comment) {
  if (comment.empty()) return line + "\n";
  line.resize(std::max(line.size() + 2, comment_column), ' ');
  return line + "# " + comment + "\n";
}

constexpr const char* suggestions = R"(
# Optional keys. Remove the # to use one of these:
# restarts: {limit: 3, never_on: [exit 2]}   # restart the ranks when one fails, except with exit code 2 (wrong arguments)
# hangs: {action: restart, after: 10m, even_without_steps: true}   # restart also when all ranks hang; needs `restarts`
# worker: {cpus: 1, memory: 1GiB}            # what each rank needs (gpus too); the job waits until this is free
# env: {LEVEL: info, TOKEN: {from: "env:TOKEN"}}   # variables of the ranks; a value with `from` is kept secret
# python: {venv: .venv}                      # virtual environment for the ranks and for setup
# setup:                                     # runs once on each machine before the ranks, and again when the code changes
#   - [python3, -m, venv, .venv]
#   - [.venv/bin/pip, install, @NEEDS@]
# timeouts: {run: 24h}                       # longest run time of the job
# labels: {team: vision}                     # your own labels for the job
)";

}  // namespace

std::vector<std::string> programs_in(const std::string& folder) {
  std::vector<std::pair<int, std::string>> found;
  std::error_code ignored;
  size_t looked_at = 0;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (++looked_at > most_looked_at || !entry.is_regular_file(ignored)) continue;
    if (const int rank = rank_of(entry.path()); rank > 0) found.emplace_back(-rank, entry.path().filename().string());
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> names;
  for (const auto& [rank, name] : found) names.push_back(name);
  return names;
}

void guess_outline(JobOutline& outline, const CallerContext& caller) {
  const auto has = [&caller](const char* name) { return lies_in(caller.workdir, name); };
  if (!has("requirements.txt") && (has("pyproject.toml") || has("setup.py"))) outline.needs = "-e, .";
  const FrameworkGuess guess = guess_framework(outline.command, {caller.workdir, caller.variable("PATH").value_or(""),
                                                                 caller.variable("PYTHONPATH").value_or("")});
  outline.framework = to_string(guess.framework);
  outline.why = guess.why;
}

std::string outline_text(const JobOutline& outline, const std::string& file, const std::string& schema) {
  std::string text = schema.empty() ? "" : "# yaml-language-server: $schema=" + schema + "\n";
  text += "# muster run " + file + "    every key: muster config list -o wide\n\n";
  std::vector<std::string> words;
  for (const std::string& word : outline.command) words.push_back(flow_word(word));
  text += with_comment("command: [" + join(words, ", ") + "]", "started without a shell");
  if (!outline.workdir.empty())
    text +=
        with_comment("workdir: " + flow_word(outline.workdir), "working folder of the ranks, relative to this file");
  text +=
      with_comment("framework: " + outline.framework,
                   outline.why.empty() ? "how ranks get their rank and peers; list: muster frameworks" : outline.why);
  text += with_comment("workers: " + outline.workers, "ranks on each node; auto: one per GPU");
  if (!outline.nodes.empty()) text += with_comment("nodes: " + outline.nodes, "or MIN..MAX, if fewer nodes are enough");
  std::string more = suggestions;
  constexpr std::string_view needs = "@NEEDS@";
  return text + more.replace(more.find(needs), needs.size(), outline.needs);
}

}  // namespace muster
