// SPDX-License-Identifier: Apache-2.0
#include "core/node/mpi/mpi_program.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>

#include "core/base/text.h"
#include "core/job/interpreters.h"
#include "core/job/mpi_library.h"
#include "core/system/linux/examine/elf_file.h"
#include "core/system/posix/program_search.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

// Names under which libpmix is installed: PMIx 3 to 6.
constexpr std::string_view kLibpmix[] = {"libpmix.so.2", "libpmix.so"};

std::string value_of(const SpawnRequest& request, std::string_view name) {
  for (const std::string& entry : request.environment) {
    if (entry.starts_with(name) && entry.size() > name.size() && entry[name.size()] == '=')
      return entry.substr(name.size() + 1);
  }
  return "";
}

std::string path_of(const std::string& word, const SpawnRequest& request) {
  return find_executable(word, search_path(request.environment), request.workdir);
}

struct RankProgram {
  uint32_t end = 0;  // the first rank of the world behind those of the program
  std::string word;  // as it is typed
};

std::vector<RankProgram> programs_of(const SpawnRequest& request) {
  if (request.argv.empty()) return {};
  const std::string hidden = request.argv[0] == "/bin/sh" ? value_of(request, kMpiPrograms) : "";
  if (hidden.empty()) return {{UINT32_MAX, request.argv[0]}};
  std::vector<RankProgram> programs;
  for (const std::string& each : split(hidden, ':')) {
    RankProgram& program = programs.emplace_back();
    const size_t equals = std::min(each.find('='), each.size());
    std::from_chars(each.data(), each.data() + equals, program.end);
    program.word = each.substr(std::min(equals + 1, each.size()));
  }
  return programs;
}

// The file of a program; of a script, the interpreter of its first line: /env/bin/python3 of `#!/usr/bin/env python3`.
std::string program_path(const std::string& program, const SpawnRequest& request) {
  const std::string path = path_of(program, request);
  const std::string interpreter = script_interpreter(path);
  return interpreter.empty() ? path : path_of(interpreter, request);
}

// The folders in which the dynamic loader looks for the library of a program, without the system's.
std::vector<std::string> folders_for(const ElfNeeds& needs, const SpawnRequest& request) {
  std::vector<std::string> folders = needs.folders;
  for (const std::string& folder : split(value_of(request, "LD_LIBRARY_PATH"), ':')) {
    if (!folder.empty()) folders.push_back((fs::path(request.workdir) / folder).string());
  }
  return folders;
}

// Folders of an MPI installation in which its own libpmix may be, beside `folder`, which has its libmpi.
void add_candidates(const fs::path& folder, std::vector<std::string>& candidates) {
  std::error_code ignored;
  for (const fs::path& place : {folder, folder / "openmpi", folder / "pmix", folder / "../lib64", folder / "../lib"}) {
    for (const std::string_view name : kLibpmix) {
      const fs::path file = place / name;
      const bool known = std::find(candidates.begin(), candidates.end(), file.string()) != candidates.end();
      if (!known && fs::exists(file, ignored)) candidates.push_back(file.string());
    }
  }
}

std::string file_in(const std::vector<std::string>& folders, const std::string& name) {
  std::error_code ignored;
  for (const std::string& folder : folders) {
    if (fs::exists(fs::path(folder) / name, ignored)) return (fs::path(folder) / name).string();
  }
  return "";
}

void add_of_library(MpiProgram& program) {
  const fs::path file = program.found;
  add_candidates(file.parent_path(), program.libpmix);
  std::error_code ignored;
  const fs::path real = fs::canonical(file, ignored);
  if (!ignored) add_candidates(real.parent_path(), program.libpmix);
  if (const auto needs = elf_needs(program.found)) {
    for (const std::string& folder : needs->folders) add_candidates(folder, program.libpmix);
  }
}

// The MPI library that a program which is not linked to one will load, such as Python: one of the folders has it. Packages of PyPI put it
// into the lib folder of their environment: /venv/lib/libmpi.so.40 for /venv/bin/python3.
void find_library_to_load(const std::string& path, std::vector<std::string> folders, MpiProgram& program) {
  folders.push_back((fs::path(path).parent_path().parent_path() / "lib").string());
  program.found = file_in(folders, "libmpi.so.40");
  for (const char* name : {"libmpi.so.12", "libmpich.so.12"}) {
    if (program.found.empty() && !file_in(folders, name).empty()) program.library = name;
  }
  if (program.found.empty() && program.library.empty()) program.found = file_in({folders.back()}, "libmpi.so");
}

std::string linked_library(const ElfNeeds& needs) {
  std::string library;
  for (const std::string& name : needs.libraries) {
    if (is_mpi_library(name) && (library.empty() || name.starts_with("libmpi.so"))) library = name;
  }
  return library;
}

void find_library(const std::string& path, const SpawnRequest& request, MpiProgram& program) {
  const auto needs = path.empty() ? std::nullopt : elf_needs(path);
  if (!needs) return;
  const std::vector<std::string> folders = folders_for(*needs, request);
  program.library = linked_library(*needs);
  program.linked = !program.library.empty();
  for (const std::string& name : needs->libraries) {
    if (is_mpi_library(name) && program.found.empty()) program.found = file_in(folders, name);
  }
  if (!program.linked) find_library_to_load(path, folders, program);
}

// A shell or interpreter reads its program from stdin, and an argument that is no flag may name a program (`env ./solve`).
bool starts_no_other(const std::string& path, const std::vector<std::string>& argv) {
  const std::string folder = fs::path(path).parent_path().string();
  const bool of_system = folder == "/bin" || folder == "/usr/bin" || folder == "/sbin" || folder == "/usr/sbin";
  const bool only_flags =
      std::all_of(argv.begin() + 1, argv.end(), [](const std::string& word) { return word.starts_with('-'); });
  return of_system && only_flags && !is_shell_name(path) && !is_python_name(path);
}

MpiLink link_of(const std::string& word, const SpawnRequest& request) {
  const std::string path = program_path(word, request);
  const auto needs = path.empty() ? std::nullopt : elf_needs(path);
  return {word, needs ? linked_library(*needs) : ""};
}

std::string shown(const MpiLink& link) {
  return link.first + " to " + link.second + (is_mpich_library(link.second) ? " (MPICH)" : " (Open MPI)");
}

}  // namespace

std::string mpi_conflict(const std::vector<MpiLink>& programs) {
  const MpiLink* first = nullptr;
  for (const MpiLink& each : programs) {
    if (each.second.empty()) continue;
    if (first == nullptr) first = &each;
    if (is_mpich_library(each.second) == is_mpich_library(first->second)) continue;
    return "the programs of this world are linked to different MPI libraries: " + shown(*first) + ", " + shown(each) +
           ". Build all of them with the same MPI";
  }
  return "";
}

MpiProgram mpi_program(const SpawnRequest& request) {
  MpiProgram program;
  std::vector<MpiLink> links;
  for (const RankProgram& each : programs_of(request)) {
    links.push_back(link_of(each.word, request));
    if (program.library.empty() && program.found.empty())
      find_library(program_path(each.word, request), request, program);
  }
  program.conflict = mpi_conflict(links);
  const std::string path = request.argv.empty() ? "" : path_of(request.argv[0], request);
  program.starts_none = !program.linked && elf_needs(path) && starts_no_other(path, request.argv);
  if (!program.found.empty()) add_of_library(program);
  for (const std::string_view name : kLibpmix) program.libpmix.emplace_back(name);
  return program;
}

}  // namespace muster
