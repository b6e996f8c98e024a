// SPDX-License-Identifier: Apache-2.0
#include "core/client/submission/runtimes.h"

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "core/base/text.h"
#include "core/job/file/kubeflow/manifest.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

constexpr size_t most_runtimes = 1000;  // per folder
constexpr size_t deepest_chain = 8;
constexpr std::string_view ending = ".yaml";

bool exists_at(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

std::string project_folder(const std::string& workdir, const std::string& home) {
  for (fs::path folder = workdir;; folder = folder.parent_path()) {
    if (exists_at(folder / ".muster" / "runtimes")) return (folder / ".muster" / "runtimes").string();
    if (exists_at(folder / ".git") || folder == home || folder == folder.parent_path())
      return workdir + "/.muster/runtimes";
  }
}

RuntimeFile file_in(const RuntimeFolder& folder, const std::string& name) {
  RuntimeFile file{.name = name, .layer = folder.layer, .file = folder.path + "/" + name + std::string(ending)};
  const auto text = read_job_file(file.file);
  if (!text.ok()) return file;
  if (looks_like_manifest(*text)) {
    file.description = "for TrainJobs";
    return file;
  }
  if (const auto said = text_at(*text, file.file, "description")) file.description = said->text;
  if (const auto base = text_at(*text, file.file, "runtime")) file.base = base->text;
  return file;
}

Diagnostic problem_at(const SourceRange& where, const char* code, std::string message, std::string help) {
  Diagnostic problem;
  problem.code = code;
  problem.where = where;
  problem.message = std::move(message);
  problem.help = std::move(help);
  return problem;
}

Diagnostic unknown(const PlacedText& name, const std::vector<RuntimeFolder>& folders) {
  std::vector<std::string> names;
  std::vector<std::string> paths;
  for (const RuntimeFile& each : find_runtimes(folders)) names.push_back(each.name);
  for (const RuntimeFolder& folder : folders) paths.push_back(folder.path);
  Diagnostic problem = problem_at(name.where, "E1212", "there is no runtime `" + escaped(name.text) + "`",
                                  "to list all runtimes: muster runtimes; searched in " + join(paths, ", "));
  if (const auto near = nearest(name.text, names)) {
    problem.label = "did you mean `" + *near + "`?";
    problem.suggestions = {*near};
  }
  return problem;
}

// Index of the first folder, from `first` on, that has a runtime of this name; the number of folders if there is none.
size_t folder_with(const std::vector<RuntimeFolder>& folders, const std::string& name, size_t first) {
  while (first < folders.size() && !exists_at(folders[first].path + "/" + name + std::string(ending))) ++first;
  return first;
}

}  // namespace

std::vector<RuntimeFolder> runtime_folders(const CallerContext& caller, const std::string& workdir,
                                           const std::string& system_folder) {
  const auto home = caller.variable("HOME");
  const auto config = caller.variable("XDG_CONFIG_HOME");
  std::vector<RuntimeFolder> folders{{"project", project_folder(workdir, home.value_or(""))}};
  if (config || home) folders.push_back({"user", (config ? *config : *home + "/.config") + "/muster/runtimes"});
  folders.push_back({"system", system_folder});
  return folders;
}

std::vector<RuntimeFile> find_runtimes(const std::vector<RuntimeFolder>& folders) {
  std::vector<RuntimeFile> found;
  for (const RuntimeFolder& folder : folders) {
    std::error_code ignored;
    size_t count = 0;
    for (const auto& entry : fs::directory_iterator(folder.path, ignored)) {
      const std::string file = entry.path().filename().string();
      const std::string name = file.ends_with(ending) ? file.substr(0, file.size() - ending.size()) : "";
      if (!is_runtime_name(name) || ++count > most_runtimes) continue;
      found.push_back(file_in(folder, name));
    }
  }
  // A stable sort keeps files of the same name in the order of their folders.
  std::stable_sort(found.begin(), found.end(),
                   [](const RuntimeFile& a, const RuntimeFile& b) { return a.name < b.name; });
  for (size_t i = 1; i < found.size(); ++i) found[i].shadowed = found[i].name == found[i - 1].name;
  return found;
}

RuntimeChain read_runtimes(const PlacedText& first, const std::vector<RuntimeFolder>& folders) {
  RuntimeChain chain;
  std::vector<std::string> path;
  size_t above = folders.size();  // index of the folder of the runtime that names this one
  for (std::optional<PlacedText> next = first; next && !next->text.empty();) {
    const bool itself = !path.empty() && path.back() == next->text;
    const bool circle = !itself && std::find(path.begin(), path.end(), next->text) != path.end();
    path.push_back(next->text);
    const size_t at =
        is_runtime_name(next->text) ? folder_with(folders, next->text, itself ? above + 1 : 0) : folders.size();
    if (circle || (itself && at == folders.size()) || path.size() > deepest_chain) {
      const std::string why = path.size() > deepest_chain ? "a chain of more than eight runtimes: "
                                                          : "runtimes refer to each other in a cycle: ";
      chain.problems.push_back(problem_at(next->where, "E1405", why + join(path, " → "), "muster explain E1405"));
      return chain;
    }
    if (at == folders.size()) {
      chain.problems.push_back(unknown(*next, folders));
      return chain;
    }
    const std::string file = folders[at].path + "/" + next->text + std::string(ending);
    auto text = read_job_file(file);
    if (!text.ok()) {
      chain.problems.push_back(unreadable_file(file, text.status()));
      return chain;
    }
    chain.templates.push_back({file, std::move(*text)});
    above = at;
    next = text_at(chain.templates.back().text, file, "runtime");
  }
  return chain;
}

}  // namespace muster
