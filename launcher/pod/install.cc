// SPDX-License-Identifier: Apache-2.0
// `muster pod install`: copies this program into a folder, for images without muster.
//
// The kernel starts FOLDER/muster with the loader that the file names (PT_INTERP), so the copy names the loader in FOLDER. That loader
// searches FOLDER/libraries first, because the program is linked so ($ORIGIN/libraries, launcher/CMakeLists.txt), independent of the
// image's variables. The environment is not changed, so ranks use the loader and libraries of their image.

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <functional>
#include <optional>

#include "core/system/linux/own_libraries.h"
#include "core/system/posix/unique_fd.h"
#include "launcher/pod/pod.h"

namespace muster::pod {
namespace {

constexpr const char* kLibraries = "libraries";

// Writes a temporary file and renames it, so that a restarted container never finds a partial file.
Status put(const std::string& from, const std::string& to, const std::function<Status(int fd)>& change = nullptr) {
  const std::string fresh = to + ".new";
  std::error_code error;
  std::filesystem::copy_file(from, fresh, std::filesystem::copy_options::overwrite_existing, error);
  if (error) return Status(Code::unavailable, "copy " + from + " to " + fresh + ": " + error.message());
  const UniqueFd file(open(fresh.c_str(), O_RDWR | O_CLOEXEC));
  if (!file.valid()) return errno_status(errno, fresh);
  if (const Status changed = change ? change(file.get()) : Status(); !changed.ok()) return changed;
  if (fchmod(file.get(), 0755) != 0 || rename(fresh.c_str(), to.c_str()) != 0) return errno_status(errno, to);
  return Status();
}

template <typename Part>
bool read_at(int fd, size_t offset, Part& part) {
  return pread(fd, &part, sizeof part, static_cast<off_t>(offset)) == sizeof part;
}

// The segment that names the program's loader.
std::optional<Elf64_Phdr> loader_name_in(int program) {
  Elf64_Ehdr header{};
  Elf64_Phdr part{};
  if (!read_at(program, 0, header)) return std::nullopt;
  for (uint16_t i = 0; i < header.e_phnum; ++i) {
    if (!read_at(program, header.e_phoff + size_t{i} * sizeof part, part)) return std::nullopt;
    if (part.p_type == PT_INTERP) return part;
  }
  return std::nullopt;
}

// Overwrites the loader's name, which is zero-terminated.
Status name_loader(int program, const std::string& loader) {
  const auto part = loader_name_in(program);
  if (!part) return Status(Code::internal, "this program does not name a loader (PT_INTERP)");
  if (loader.size() >= part->p_filesz)
    return Status(Code::invalid_argument, loader + " is too long: the loader's path in the program has at most " +
                                              std::to_string(part->p_filesz - 1) +
                                              " bytes; choose a folder with a shorter path");
  std::string name = loader;
  name.resize(part->p_filesz, '\0');
  const bool written = pwrite(program, name.data(), name.size(), static_cast<off_t>(part->p_offset)) ==
                       static_cast<ssize_t>(name.size());
  return written ? Status() : errno_status(errno, "write the loader's name");
}

Status install(const CallerContext& caller, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder + "/" + kLibraries, error);
  if (error) return Status(Code::unavailable, folder + ": " + error.message());
  const std::string loader = folder + "/" + ssh::kLoader;
  for (const ssh::OwnLibrary& library : ssh::own_libraries()) {
    const bool is_loader = library.name == ssh::kLoader;
    const Status copied = put(library.path, is_loader ? loader : folder + "/" + kLibraries + "/" + library.name);
    if (!copied.ok()) return copied;
  }
  return put(caller.program, folder + "/muster", [&](int program) { return name_loader(program, loader); });
}

}  // namespace

int install_main(const CallerContext& caller, const std::string& folder) {
  const std::string whole = std::filesystem::absolute(folder).lexically_normal().string();
  const Status installed = install(caller, whole.ends_with('/') ? whole.substr(0, whole.size() - 1) : whole);
  return installed.ok() ? 0 : refuse(installed);
}

}  // namespace muster::pod
