// SPDX-License-Identifier: Apache-2.0
// Finds the modules that a Python file imports, and their files. Reads the file system; starts no interpreter.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

// The modules of each line that begins with `import` or `from`: "a.b" and "c" of `import a.b, c`; "a" and "a.b" of
// `from a import b`; ".a" of `from .a import b`.
std::vector<std::string> imported_modules(const std::string& text);

// Whether one of the modules is `module` or lies in it.
bool imports_module(const std::vector<std::string>& modules, std::string_view module);

// Whether the text reads the environment variable: `environ["RANK"]`, `environ.get('RANK'`, `getenv("RANK"`.
bool reads_variable(const std::string& text, std::string_view variable);

// The file of module `a.b`: a/b.py, a/b/__main__.py or a/b/__init__.py in one of these folders. `.b` is looked for
// beside `importer`. Empty: there is none.
std::filesystem::path file_of_module(const std::string& module, const std::filesystem::path& importer,
                                     const std::vector<std::filesystem::path>& folders);

// The folders of installed packages, for the Python installation with this bin folder.
struct InstalledPackages {
  std::vector<std::filesystem::path> folders;   // site-packages
  std::vector<std::filesystem::path> editable;  // folders of packages that were installed with `pip install -e`
};
InstalledPackages installed_packages(const std::filesystem::path& folder);

}  // namespace muster
