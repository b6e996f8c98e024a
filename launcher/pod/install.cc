// `muster pod install`: this program for an image that has nothing of ours.
//
// The kernel starts FOLDER/muster with the loader that the file names (PT_INTERP), so the copy names the one beside it; and that
// loader looks into FOLDER/libraries first, because the program was linked so ($ORIGIN/libraries, launcher/CMakeLists.txt), whatever
// the image's own variables say. Nothing of it is in the environment, so ranks have their image's loader and libraries.

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

// Never half a file under its name: a container that begins anew may find one of before.
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

// Where the program names its loader.
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

// In place of the name that is there, which has a zero behind it.
Status name_loader(int program, const std::string& loader) {
  const auto part = loader_name_in(program);
  if (!part) return Status(Code::internal, "this program names no loader");
  if (loader.size() >= part->p_filesz)
    return Status(Code::invalid_argument, loader + " is too long: the program has room for " +
                                              std::to_string(part->p_filesz - 1) +
                                              " bytes; choose a folder with a shorter name");
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
