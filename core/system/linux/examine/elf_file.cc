// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/examine/elf_file.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <sys/stat.h>

#include <filesystem>
#include <string_view>

#include "core/base/text.h"
#include "core/system/posix/unique_fd.h"

namespace muster {
namespace {

// The dynamic section, or null.
Elf_Scn* dynamic_section(Elf* elf, GElf_Shdr& header) {
  for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr; section = elf_nextscn(elf, section)) {
    if (gelf_getshdr(section, &header) != nullptr && header.sh_type == SHT_DYNAMIC && header.sh_entsize > 0)
      return section;
  }
  return nullptr;
}

std::vector<std::string> folders_of(const std::string& list, const std::string& origin) {
  std::vector<std::string> folders;
  for (std::string folder : split(list, ':')) {
    for (const std::string_view word : {"${ORIGIN}", "$ORIGIN"}) {
      for (size_t at = folder.find(word); at != std::string::npos; at = folder.find(word, at + origin.size()))
        folder.replace(at, word.size(), origin);
    }
    if (!folder.empty()) folders.push_back(std::move(folder));
  }
  return folders;
}

}  // namespace

// The file is read, not mapped: if a mapped file were truncated, SIGBUS would end this process.
std::shared_ptr<Elf> open_elf(const std::string& path) {
  const auto file = std::make_shared<UniqueFd>(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status {};
  const bool plain = file->valid() && fstat(file->get(), &status) == 0 && S_ISREG(status.st_mode);
  if (!plain || elf_version(EV_CURRENT) == EV_NONE) return nullptr;
  // The descriptor must be open for as long as libelf may read from it.
  const std::shared_ptr<Elf> elf(elf_begin(file->get(), ELF_C_READ, nullptr), [file](Elf* read) { elf_end(read); });
  return elf_kind(elf.get()) == ELF_K_ELF ? elf : nullptr;
}

std::optional<ElfNeeds> elf_needs(const std::string& path) {
  const std::shared_ptr<Elf> elf = open_elf(path);
  if (!elf) return std::nullopt;
  ElfNeeds needs;
  GElf_Shdr header;
  Elf_Scn* section = dynamic_section(elf.get(), header);
  Elf_Data* data = section == nullptr ? nullptr : elf_getdata(section, nullptr);
  if (data == nullptr) return needs;
  std::string rpath, runpath;
  for (int i = 0; i < static_cast<int>(data->d_size / header.sh_entsize); ++i) {
    GElf_Dyn entry;
    if (gelf_getdyn(data, i, &entry) == nullptr || entry.d_tag == DT_NULL) break;
    if (entry.d_tag != DT_NEEDED && entry.d_tag != DT_RPATH && entry.d_tag != DT_RUNPATH) continue;
    const char* text = elf_strptr(elf.get(), header.sh_link, entry.d_un.d_val);
    if (text == nullptr) continue;
    if (entry.d_tag == DT_NEEDED) needs.libraries.emplace_back(text);
    if (entry.d_tag == DT_RPATH) rpath = text;
    if (entry.d_tag == DT_RUNPATH) runpath = text;
  }
  std::error_code ignored;
  const std::filesystem::path real = std::filesystem::canonical(path, ignored);
  needs.folders = folders_of(runpath.empty() ? rpath : runpath, real.parent_path().string());
  return needs;
}

}  // namespace muster
