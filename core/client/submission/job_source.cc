// SPDX-License-Identifier: Apache-2.0
#include "core/client/submission/job_source.h"

#include <unistd.h>

#include <filesystem>

#include "core/base/text.h"
#include "core/client/beginning_of.h"
#include "core/client/run_program.h"
#include "core/client/typed_words.h"
#include "core/job/file/job_yaml.h"

namespace muster {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr size_t most_stdin = (1 << 20) + 1;  // one byte more than 1 MiB; the parser reports a text that is too long
constexpr size_t most_candidates = 1000;

bool names_a_job_file(const std::string& word) {
  return word.ends_with(".yaml") || word.ends_with(".yml") || word.ends_with(".json");
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

bool may_run(const fs::path& path) { return is_file(path) && access(path.c_str(), X_OK) == 0; }

Words runnable(Words words, const CallerContext& here) {
  const std::string& first = words.front();
  const bool ours = may_run(fs::path(here.workdir) / first);
  if (names_a_job_file(first)) return {};
  if (ours && first.find('/') == std::string::npos) {
    words.front() = "./" + first;
  } else if (!ours && first.ends_with(".py")) {
    words.insert(words.begin(), python_here(here));
  } else if (!ours && first.ends_with(".sh")) {
    words.insert(words.begin(), "sh");
  }
  return words;
}

std::string as_program(const std::string& word, Words typed, const CallerContext& here) {
  if (typed.empty()) typed = {"muster", "run"};
  typed.push_back("--");
  for (const std::string& each : runnable({word}, here)) typed.push_back(each);
  return "; to run a program: " + shell_line(typed);
}

// The job file in `folder` with the most similar name, else the only one there.
std::string job_file_near(const fs::path& folder, const std::string& name) {
  Words names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string found = entry.path().filename().string();
    if (names_a_job_file(found) && !found.ends_with(".json") && names.size() < most_candidates) names.push_back(found);
  }
  if (const auto near = nearest(name, names)) return *near;
  return names.size() == 1 ? names.front() : "";
}

std::string did_you_mean(const fs::path& typed_folder, const fs::path& folder, const std::string& name) {
  const std::string near = job_file_near(folder, name);
  return near.empty() ? "" : "; did you mean `" + (typed_folder / near).string() + "`?";
}

Status no_such_file(const std::string& file, const fs::path& path) {
  const fs::path folder = path.lexically_normal().parent_path();
  const std::string meant = did_you_mean(fs::path(file).parent_path(), folder, path.filename().string());
  return Status(Code::not_found, "there is no file `" + fs::path(file).filename().string() + "` in " + folder.string() +
                                     (meant.empty() ? "; to create one: muster init" : meant));
}

}  // namespace

std::string python_here(const CallerContext& here) {
  const std::string path = here.variable("PATH").value_or("");
  return find_program("python", path, here.workdir).empty() ? "python3" : "python";
}

Result<std::string> read_job_source(const std::string& file, const Words& typed, const CallerContext& here) {
  if (file == "-") return beginning_of_stdin(most_stdin);
  const fs::path path = fs::path(here.workdir) / file;
  std::error_code ignored;
  const bool script = file.ends_with(".py") || file.ends_with(".sh") || (!names_a_job_file(file) && may_run(path));
  if (script) return Status(Code::invalid_argument, "`" + file + "` is not a job file" + as_program(file, typed, here));
  if (fs::is_directory(path, ignored)) {
    const std::string meant = did_you_mean(file, path, "job.yaml");
    return Status(Code::invalid_argument, "`" + file + "` is a folder, not a job file" +
                                              (meant.empty() ? "; to create one: muster init -f FILE" : meant));
  }
  auto text = read_job_file(file);
  if (text.ok() || text.status().code() != Code::not_found) return text;
  if (names_a_job_file(file)) return no_such_file(file, path);
  return Status(Code::not_found, "there is no job file `" + file + "`" + as_program(file, typed, here));
}

std::function<Words(Words)> runnable_here(const CallerContext& caller) {
  return [&caller](Words words) { return runnable(std::move(words), caller); };
}

}  // namespace muster
