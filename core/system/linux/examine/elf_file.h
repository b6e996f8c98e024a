// SPDX-License-Identifier: Apache-2.0
// ELF files (elf(5)): opens them, and reads which shared libraries they need. Uses libelf and trusts no file. Any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

struct Elf;  // of libelf

namespace muster {

// Null: the file cannot be read or is not ELF.
std::shared_ptr<Elf> open_elf(const std::string& path);

struct ElfNeeds {
  std::vector<std::string> libraries;  // DT_NEEDED: "libmpi.so.40"
  std::vector<std::string> folders;    // DT_RUNPATH, or else DT_RPATH, with the file's folder for $ORIGIN
  bool operator==(const ElfNeeds&) const = default;
};
// The libraries that a program or library is linked to. nullopt: not an ELF file. A static program needs none.
std::optional<ElfNeeds> elf_needs(const std::string& path);

}  // namespace muster
