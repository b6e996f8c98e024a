// SPDX-License-Identifier: Apache-2.0
#include "core/client/preflight/preflight.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "core/base/text.h"
#include "core/client/guess/framework_guess.h"
#include "core/client/preflight/program_check.h"
#include "core/client/run_program.h"
#include "core/job/image/in_image.h"
#include "core/job/python_command.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

constexpr size_t most_suggestions = 20000;

Diagnostic problem(std::string code, std::string message, const SourceRange& where) {
  return Diagnostic{.code = std::move(code), .where = where, .message = std::move(message)};
}

void suggest(Diagnostic& diagnostic, const std::optional<std::string>& candidate) {
  if (!candidate) return;
  diagnostic.help = "did you mean `" + *candidate + "`?";
  diagnostic.suggestions = {*candidate};
}

void add_names(const fs::path& folder, std::vector<std::string>& names) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (names.size() >= most_suggestions) return;
    names.push_back(entry.path().filename().string());
  }
}

// PATH has thousands of programs, so almost every short word is similar to one. Only programs with the same first letter
// are suggested: typing errors are rare there.
bool begins_alike(const std::string& word, const std::string& candidate) {
  if (word.empty() || candidate.empty()) return false;
  const bool swapped = word.size() > 1 && candidate.size() > 1 && word[0] == candidate[1] && word[1] == candidate[0];
  return word[0] == candidate[0] || swapped;
}

std::optional<std::string> nearest_program(const std::string& name, const std::string& path) {
  std::vector<std::string> names;
  for (const std::string& folder : split(path, ':')) add_names(folder, names);
  std::erase_if(names, [&](const std::string& candidate) { return !begins_alike(name, candidate); });
  return nearest(name, names);
}

// The file in the folder of `path` with the most similar name, with that folder in front.
std::optional<std::string> nearest_file(const std::string& workdir, const std::string& path) {
  const fs::path wanted(path);
  std::vector<std::string> names;
  add_names(fs::path(workdir) / wanted.parent_path(), names);
  const auto near = nearest(wanted.filename().string(), names);
  return near ? std::optional((wanted.parent_path() / *near).string()) : std::nullopt;
}

// "in /home/me/project", and for absolute paths, which are in no folder: "on this machine".
std::string looked_in(const JobSpec& spec, const std::string& path) {
  return path.starts_with('/') ? "on this machine" : "in " + spec.workdir;
}

Diagnostic no_program(const JobSpec& spec, const std::string& program, const std::string& path,
                      const SourceRange& where) {
  std::error_code ignored;
  if (program.find('/') == std::string::npos) {
    Diagnostic diagnostic = problem("E1401", "the program `" + program + "` is not in PATH", where);
    const bool is_here = fs::exists(fs::path(spec.workdir) / program, ignored);
    suggest(diagnostic, is_here ? std::optional("./" + program) : nearest_program(program, path));
    return diagnostic;
  }
  if (fs::is_regular_file(fs::path(spec.workdir) / program, ignored)) {
    Diagnostic diagnostic = problem("E1401", "the program `" + program + "` is not executable", where);
    diagnostic.help = "chmod +x " + program;
    return diagnostic;
  }
  Diagnostic diagnostic = problem("E1401", "there is no program `" + program + "` " + looked_in(spec, program), where);
  suggest(diagnostic, nearest_file(spec.workdir, program));
  return diagnostic;
}

Diagnostic no_script(const JobSpec& spec, const std::string& script, const SourceRange& where) {
  Diagnostic diagnostic = problem("E1403", "there is no script `" + script + "` " + looked_in(spec, script), where);
  suggest(diagnostic, nearest_file(spec.workdir, script));
  return diagnostic;
}

Diagnostic no_workdir(const JobSpec& spec, const SourceRange& where) {
  Diagnostic diagnostic = problem("E1402", "the workdir " + spec.workdir + " is not a folder", where);
  const fs::path path = fs::path(spec.workdir).lexically_normal();
  if (path.has_filename()) suggest(diagnostic, nearest_file("/", path.string()));
  return diagnostic;
}

// Of each word of the command; of the whole one, where words have no places.
std::vector<SourceRange> places_of_words(const GroupSpec& group, size_t index, const Places& places,
                                         const std::string& origin) {
  const std::string path = "groups." + std::to_string(index) + ".command";
  const SourceRange whole = place_of(places, path, origin);
  std::vector<SourceRange> words;
  for (size_t i = 0; i < group.command.size(); ++i) {
    const auto found = places.find(path + "." + std::to_string(i));
    words.push_back(found == places.end() ? whole : found->second);
  }
  return words;
}

// `words`: the places of those of the command. If the workdir does not exist, only a program in PATH can be checked.
std::optional<Diagnostic> wrong_command(const JobSpec& spec, const GroupSpec& group,
                                        const std::map<std::string, std::string>& environment, bool workdir_is_there,
                                        const std::vector<SourceRange>& words) {
  if (group.command.empty()) return std::nullopt;
  const std::string& program = group.command[0];
  if (!workdir_is_there && program.find('/') != std::string::npos) return std::nullopt;
  const std::string path = variable_of_ranks(spec, group, "PATH", environment);
  if (find_program(program, path, spec.workdir).empty()) return no_program(spec, program, path, words[0]);
  const auto script = workdir_is_there ? python_script(group.command) : std::nullopt;
  std::error_code ignored;
  if (!script || fs::exists(fs::path(spec.workdir) / *script, ignored)) return std::nullopt;
  return no_script(spec, *script, words.at(python_command(group.command)->arguments - 1));
}

// The agent finds out the rest: whether the program may be used, and whether the image is there.
std::optional<Diagnostic> no_container_program(const JobSpec& spec,
                                               const std::map<std::string, std::string>& environment,
                                               const SourceRange& where) {
  if (!uses_image(spec)) return std::nullopt;
  const auto path = environment.find("PATH");
  const std::vector<std::string> names = program_files(spec.in_image.program);
  const auto is_there = [&](const std::string& name) {
    return !find_program(name, path == environment.end() ? "" : path->second, spec.workdir).empty();
  };
  if (std::any_of(names.begin(), names.end(), is_there)) return std::nullopt;
  const std::string list = names.size() == 1 ? names.front() : "none of " + join(names, ", ");
  Diagnostic found = problem(
      "E1414",
      "`in_image` needs a program that opens images: " + list + " is " + (names.size() == 1 ? "not " : "") + "in PATH",
      where);
  found.help = "install podman or apptainer, or remove `in_image` to run on this machine itself";
  return found;
}

}  // namespace

SourceRange place_of(const Places& places, const std::string& path, const std::string& origin) {
  const auto found = places.find(path);
  return found == places.end() ? SourceRange{.file = origin} : found->second;
}

std::vector<Diagnostic> preflight(const JobSpec& spec, const std::map<std::string, std::string>& environment,
                                  const Places& places, const std::string& origin) {
  std::error_code ignored;
  std::vector<Diagnostic> diagnostics;
  const bool there = fs::is_directory(spec.workdir, ignored);
  if (!there) diagnostics.push_back(no_workdir(spec, place_of(places, "workdir", origin)));
  if (auto wrong = no_container_program(spec, environment, place_of(places, "in_image", origin)))
    diagnostics.push_back(std::move(*wrong));
  // Setup or a virtual environment may provide the program, so it cannot be checked now.
  if (needs_setup(spec)) return diagnostics;
  for (size_t i = 0; i < spec.groups.size(); ++i) {
    const std::vector<SourceRange> words = places_of_words(spec.groups[i], i, places, origin);
    if (auto wrong = wrong_command(spec, spec.groups[i], environment, there, words))
      diagnostics.push_back(std::move(*wrong));
  }
  if (!diagnostics.empty()) return diagnostics;
  return check_framework_programs(spec, environment, places, origin);
}

std::string variable_of_ranks(const JobSpec& spec, const GroupSpec& group, const std::string& name,
                              const std::map<std::string, std::string>& shell) {
  for (const auto* variables : {&group.env, &spec.env}) {
    const auto found = variables->find(name);
    if (found != variables->end() && !found->second.secret) return found->second.literal;
  }
  const auto found = shell.find(name);
  return found == shell.end() ? "" : found->second;
}

}  // namespace muster
