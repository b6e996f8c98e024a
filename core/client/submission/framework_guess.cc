// SPDX-License-Identifier: Apache-2.0
#include "core/client/submission/framework_guess.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "core/base/text.h"
#include "core/client/beginning_of.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

struct Import {
  Framework framework;
  std::string_view module;
};

// Limits the time of a guess.
constexpr size_t kMostFiles = 16;

constexpr std::array<Import, 6> imports{{{Framework::deepspeed, "deepspeed"},
                                         {Framework::lightning, "pytorch_lightning"},
                                         {Framework::lightning, "lightning"},
                                         {Framework::accelerate, "accelerate"},
                                         {Framework::accelerate, "transformers"},
                                         {Framework::torch, "torch.distributed"}}};

bool is_python(const std::string& program) { return fs::path(program).filename().string().starts_with("python"); }

// Variables that torchrun sets for ranks.
constexpr std::array<std::string_view, 3> torchs_variables{"RANK", "LOCAL_RANK", "WORLD_SIZE"};

// The first module of each line that begins with `import NAME` or `from NAME`: "a.b" of `import a.b, c`.
std::vector<std::string> imported_modules(const std::string& text) {
  std::vector<std::string> modules;
  for (const std::string& line : split(text, '\n')) {
    const size_t first = std::min(line.find_first_not_of(" \t"), line.size());
    const std::string_view code = std::string_view(line).substr(first);
    for (const std::string_view lead : {"import ", "from "}) {
      if (!code.starts_with(lead)) continue;
      const std::string_view name = code.substr(lead.size());
      modules.emplace_back(name.substr(0, name.find_first_of(" ,;\r")));
    }
  }
  return modules;
}

bool imports_module(const std::vector<std::string>& modules, std::string_view module) {
  return std::any_of(modules.begin(), modules.end(), [&](const std::string& each) {
    return each.starts_with(module) && (each.size() == module.size() || each[module.size()] == '.');
  });
}

// `environ["RANK"]`, `environ.get('RANK'`, `getenv("RANK"`
bool reads_variable(const std::string& text, std::string_view variable) {
  for (size_t at = text.find(variable); at != std::string::npos; at = text.find(variable, at + 1)) {
    const std::string_view before = std::string_view(text).substr(0, at);
    const bool quoted = before.ends_with('"') || before.ends_with('\'');
    const char after = at + variable.size() < text.size() ? text[at + variable.size()] : ' ';
    if (!quoted || after != before.back()) continue;
    for (const std::string_view way : {"environ[", "environ.get(", "getenv("})
      if (before.substr(0, before.size() - 1).ends_with(way)) return true;
  }
  return false;
}

// The file of module `a.b`: a/b.py, a/b/__main__.py or a/b/__init__.py in one of these folders. Empty: it is not there.
fs::path file_of_module(const std::string& module, const std::vector<fs::path>& folders) {
  std::string way = module;
  std::replace(way.begin(), way.end(), '.', '/');
  std::error_code ignored;
  for (const fs::path& folder : folders) {
    for (const char* end : {".py", "/__main__.py", "/__init__.py"}) {
      fs::path file = folder / (way + end);
      if (!way.empty() && way.front() != '/' && fs::is_regular_file(file, ignored)) return file;
    }
  }
  return {};
}

// The script, or the file of the module after -m; empty: neither.
fs::path first_file(const std::vector<std::string>& command, const fs::path& folder) {
  if (const auto script = python_script(command)) return folder / *script;
  const auto flag = std::find(command.begin(), command.end(), "-m");
  if (flag == command.end() || flag + 1 == command.end() || !is_python(command[0])) return {};
  return file_of_module(*(flag + 1), {folder});
}

}  // namespace

FrameworkGuess imported_framework(const std::string& script, const std::string& text) {
  const std::string file = fs::path(script).filename().string();
  const std::vector<std::string> modules = imported_modules(text);
  for (const Import& each : imports) {
    if (imports_module(modules, each.module)) return {each.framework, file + " imports " + std::string(each.module)};
  }
  if (text.find("torch.distributed") != std::string::npos) return {Framework::torch, file + " uses torch.distributed"};
  for (const std::string_view variable : torchs_variables) {
    if (reads_variable(text, variable)) return {Framework::torch, file + " reads " + std::string(variable)};
  }
  return {};
}

FrameworkGuess guess_framework(const std::vector<std::string>& command, const std::string& workdir) {
  const fs::path first = first_file(command, workdir);
  if (first.empty()) return {};
  std::vector<fs::path> files = {first};
  for (size_t at = 0; at < files.size(); ++at) {
    const std::string text = beginning_of(files[at].string());
    if (FrameworkGuess guess = imported_framework(files[at].string(), text); !guess.why.empty()) return guess;
    for (const std::string& module : imported_modules(text)) {
      const fs::path file = file_of_module(module, {first.parent_path(), workdir});
      if (!file.empty() && files.size() < kMostFiles && std::find(files.begin(), files.end(), file) == files.end())
        files.push_back(file);
    }
  }
  return {};
}

std::optional<std::string> python_script(const std::vector<std::string>& command) {
  if (command.empty() || !is_python(command[0])) return std::nullopt;
  for (size_t i = 1; i < command.size(); ++i) {
    const std::string& word = command[i];
    if (word == "-m" || word == "-c" || word == "-") return std::nullopt;
    if (word == "-W" || word == "-X") ++i;
    if (!word.starts_with("-")) return word;
  }
  return std::nullopt;
}

}  // namespace muster
