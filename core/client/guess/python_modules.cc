// SPDX-License-Identifier: Apache-2.0
#include "core/client/guess/python_modules.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/client/beginning_of.h"
#include "core/client/folder_entries.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBlanks = " \t\r";
constexpr size_t kMostEntries = 20000;  // of a folder with packages

std::string_view stripped(std::string_view text) {
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return "";
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

// "a.b" of "a.b as c" and of "a.b; more".
std::string first_name(std::string_view text) {
  const std::string_view name = stripped(text);
  return std::string(name.substr(0, name.find_first_of(" ;\t()")));
}

std::vector<std::string> names_in(std::string_view list) {
  std::vector<std::string> names;
  for (const std::string& part : split(std::string(list), ',')) {
    std::string name = first_name(stripped(part).starts_with("(") ? stripped(part).substr(1) : part);
    if (!name.empty()) names.push_back(std::move(name));
  }
  return names;
}

void add_from(std::string_view code, std::vector<std::string>& modules) {
  const std::string module = first_name(code);
  const size_t names = code.find(" import ");
  modules.push_back(module);
  if (names == std::string_view::npos) return;
  for (const std::string& name : names_in(code.substr(names + 8)))
    modules.push_back(module + (module.ends_with('.') ? "" : ".") + name);
}

// The file of `way` ("a/b") below a folder.
fs::path file_below(const fs::path& folder, const std::string& way) {
  std::error_code ignored;
  for (const char* end : {".py", "/__main__.py", "/__init__.py"}) {
    fs::path file = folder / (way + end);
    if (fs::is_regular_file(file, ignored)) return file;
  }
  return {};
}

// The absolute paths between quotes in a text.
std::vector<fs::path> quoted_paths(const std::string& text) {
  std::vector<fs::path> paths;
  for (size_t at = text.find("'/"); at != std::string::npos; at = text.find("'/", at + 1)) {
    const size_t end = text.find('\'', at + 1);
    if (end != std::string::npos) paths.emplace_back(text.substr(at + 1, end - at - 1));
  }
  return paths;
}

// A .pth file names folders of packages, one per line (module site of Python). setuptools also writes a module with a
// table of packages and their folders.
void add_editable(const fs::path& file, std::vector<fs::path>& folders) {
  const std::string name = file.filename().string();
  if (name.ends_with(".pth")) {
    for (const std::string& line : split(beginning_of(file.string()), '\n'))
      if (line.starts_with("/")) folders.emplace_back(stripped(line));
  }
  if (!name.starts_with("__editable__") || !name.ends_with("_finder.py")) return;
  for (const fs::path& path : quoted_paths(beginning_of(file.string()))) folders.push_back(path.parent_path());
}

}  // namespace

std::vector<std::string> imported_modules(const std::string& text) {
  std::vector<std::string> modules;
  for (const std::string& line : split(text, '\n')) {
    const std::string_view code = stripped(line);
    if (code.starts_with("from ")) add_from(code.substr(5), modules);
    if (!code.starts_with("import ")) continue;
    for (std::string& name : names_in(code.substr(7))) modules.push_back(std::move(name));
  }
  return modules;
}

bool imports_module(const std::vector<std::string>& modules, std::string_view module) {
  return std::any_of(modules.begin(), modules.end(), [&](const std::string& each) {
    return each.starts_with(module) && (each.size() == module.size() || each[module.size()] == '.');
  });
}

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

fs::path file_of_module(const std::string& module, const fs::path& importer, const std::vector<fs::path>& folders) {
  const size_t dots = std::min(module.find_first_not_of('.'), module.size());
  std::string way = module.substr(dots);
  std::replace(way.begin(), way.end(), '.', '/');
  if (way.empty() || way.front() == '/') return {};
  if (dots > 0) {
    fs::path folder = importer.parent_path();
    for (size_t up = 1; up < dots; ++up) folder = folder.parent_path();
    return file_below(folder, way);
  }
  for (const fs::path& folder : folders) {
    fs::path file = file_below(folder, way);
    if (!file.empty()) return file;
  }
  return {};
}

InstalledPackages installed_packages(const fs::path& folder) {
  InstalledPackages found;
  std::error_code ignored;
  for (const fs::path& version : entries_of(folder.parent_path() / "lib", kMostEntries)) {
    if (!version.filename().string().starts_with("python3")) continue;
    for (const char* name : {"site-packages", "dist-packages"}) {
      const fs::path packages = version / name;
      if (fs::is_directory(packages, ignored)) found.folders.push_back(packages);
    }
  }
  for (const fs::path& packages : found.folders) {
    for (const fs::path& entry : entries_of(packages, kMostEntries)) add_editable(entry, found.editable);
  }
  return found;
}

}  // namespace muster
