// `muster pod install`: this program for an image that has nothing of ours.
//
// The kernel starts FOLDER/muster with the loader that the file names (PT_INTERP), so the copy names the one beside it; and that
// loader looks into FOLDER/libraries first, because the program was linked so ($ORIGIN/libraries, launcher/CMakeLists.txt), whatever
// the image's own variables say. Nothing of it is in the environment, so ranks have their image's loader and libraries.

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "core/adapter/ssh/own_libraries.h"
#include "launcher/pod/pod.h"

namespace muster::pod {
namespace {

constexpr const char* kLibraries = "libraries";

Status write(const std::string& path, const std::string& bytes) {
  const std::string fresh = path + ".new";
  std::ofstream(fresh, std::ios::binary | std::ios::trunc) << bytes << std::flush;
  std::error_code error;
  const bool whole = std::filesystem::file_size(fresh, error) == bytes.size() && !error;
  if (!whole || chmod(fresh.c_str(), 0755) != 0 || rename(fresh.c_str(), path.c_str()) != 0)
    return errno_status(errno, "write " + path);
  return Status();
}

Result<std::string> read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file) return Status(Code::not_found, "cannot read " + path);
  return bytes;
}

// Where the program names its loader: offset and room, with the zero behind it.
std::pair<size_t, size_t> loader_name_in(const std::string& program) {
  Elf64_Ehdr header{};
  if (program.size() < sizeof header) return {};
  std::memcpy(&header, program.data(), sizeof header);
  for (uint16_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part{};
    const size_t at = header.e_phoff + size_t{i} * sizeof part;
    if (at + sizeof part > program.size()) return {};
    std::memcpy(&part, program.data() + at, sizeof part);
    if (part.p_type == PT_INTERP && part.p_offset + part.p_filesz <= program.size())
      return {part.p_offset, part.p_filesz};
  }
  return {};
}

Status name_loader(std::string& program, const std::string& loader) {
  const auto [at, room] = loader_name_in(program);
  if (room == 0) return Status(Code::internal, "this program names no loader");
  if (loader.size() + 1 > room)
    return Status(Code::invalid_argument, loader + " is too long: the program has room for " +
                                              std::to_string(room - 1) + " bytes; choose a folder with a shorter name");
  std::string name = loader;
  name.resize(room, '\0');
  program.replace(at, room, name);
  return Status();
}

Status copy(const std::string& from, const std::string& to) {
  const auto bytes = read(from);
  return bytes.ok() ? write(to, *bytes) : bytes.status();
}

Status install(const Surroundings& surroundings, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder + "/" + kLibraries, error);
  if (error) return Status(Code::unavailable, folder + ": " + error.message());
  const std::string loader = folder + "/" + ssh::kLoader;
  for (const ssh::OwnLibrary& library : ssh::own_libraries()) {
    const bool is_loader = library.name == ssh::kLoader;
    const Status copied = copy(library.path, is_loader ? loader : folder + "/" + kLibraries + "/" + library.name);
    if (!copied.ok()) return copied;
  }
  auto program = read(surroundings.program);
  if (!program.ok()) return program.status();
  if (const Status named = name_loader(*program, loader); !named.ok()) return named;
  return write(folder + "/muster", *program);
}

}  // namespace

int install_main(const Surroundings& surroundings, const std::string& folder) {
  const std::string whole = std::filesystem::absolute(folder).lexically_normal().string();
  const Status installed = install(surroundings, whole.ends_with('/') ? whole.substr(0, whole.size() - 1) : whole);
  return installed.ok() ? 0 : refuse(installed);
}

}  // namespace muster::pod
