// SPDX-License-Identifier: Apache-2.0
#include <elf.h>
#include <link.h>
#include <sys/stat.h>

#include <cstring>

#include "backends/ssh/session/packed_program.h"

namespace muster::ssh {
namespace {

constexpr size_t kAlign = 4;

size_t aligned(size_t size) { return (size + kAlign - 1) & ~(kAlign - 1); }

// The build ID in a segment of notes (elf(5)).
std::string build_id_in(const char* at, size_t size) {
  const char* const end = at + size;
  while (at + sizeof(ElfW(Nhdr)) <= end) {
    ElfW(Nhdr) note{};
    std::memcpy(&note, at, sizeof note);
    const char* const name = at + sizeof note;
    const char* const text = name + aligned(note.n_namesz);
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0)
      return std::string(text, note.n_descsz);
    at = text + aligned(note.n_descsz);
  }
  return "";
}

// The first call is for the program itself.
int take(dl_phdr_info* info, size_t, void* found) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    const auto* at = reinterpret_cast<const char*>(info->dlpi_addr + segment.p_vaddr);
    std::string& id = *static_cast<std::string*>(found);
    if (segment.p_type == PT_NOTE && id.empty()) id = build_id_in(at, segment.p_memsz);
  }
  return 1;
}

}  // namespace

Result<std::string> program_hash(const std::string& path) {
  std::string id;
  struct stat file {};
  dl_iterate_phdr(take, &id);
  if (id.empty() || stat(path.c_str(), &file) != 0) return content_hash(path);
  return text_hash(id + " " + std::to_string(file.st_size));
}

}  // namespace muster::ssh
