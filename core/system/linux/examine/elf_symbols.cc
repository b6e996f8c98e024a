// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/examine/elf_symbols.h"

#include <cxxabi.h>
#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <set>
#include <sstream>

#include "core/system/linux/examine/elf_file.h"

namespace muster {
namespace {

constexpr int kMostSymbols = 4 << 20;
constexpr size_t kLongestSymbol = 160;

// "muster::Meeting::wait(std::string const&)" → "muster::Meeting::wait".
std::string without_parameters(const std::string& name) {
  constexpr std::string_view kUnnamed = "(anonymous namespace)";
  size_t at = name.find('(');
  while (at != std::string::npos && name.compare(at, kUnnamed.size(), kUnnamed) == 0) at = name.find('(', at + 1);
  return at == std::string::npos || at == 0 || name.ends_with("operator()") ? name : name.substr(0, at);
}

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                    std::free);
  std::string shown = without_parameters(text ? text.get() : name);
  if (shown.size() > kLongestSymbol) shown.resize(kLongestSymbol);
  return shown;
}

// Calls `take(symbol, index of its string table)` for each defined symbol in the tables of these types.
template <typename Take>
void each_symbol(Elf* elf, const std::set<uint32_t>& types, Take take) {
  for (Elf_Scn* table = elf_nextscn(elf, nullptr); table != nullptr; table = elf_nextscn(elf, table)) {
    GElf_Shdr header;
    if (gelf_getshdr(table, &header) == nullptr || types.count(header.sh_type) == 0) continue;
    Elf_Data* data = elf_getdata(table, nullptr);
    GElf_Sym symbol;
    for (int i = 0; i < kMostSymbols && gelf_getsym(data, i, &symbol) != nullptr; ++i) {
      if (symbol.st_shndx != SHN_UNDEF && symbol.st_size > 0) take(symbol, header.sh_link);
    }
  }
}

std::vector<GElf_Phdr> loaded_parts(Elf* elf) {
  std::vector<GElf_Phdr> parts;
  size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0) return parts;
  GElf_Phdr part;
  for (size_t i = 0; i < count && gelf_getphdr(elf, static_cast<int>(i), &part) != nullptr; ++i) {
    if (part.p_type == PT_LOAD) parts.push_back(part);
  }
  return parts;
}

std::string name_of(Elf* elf, size_t table, size_t name) {
  const char* text = elf_strptr(elf, table, name);
  return text == nullptr ? "" : text;
}

// The difference between an address in the process and the address for which the file was linked.
std::optional<uint64_t> bias_of(Elf* elf, const CodeMapping& mapping) {
  for (const GElf_Phdr& part : loaded_parts(elf)) {
    const bool holds = (part.p_flags & PF_X) != 0 && mapping.offset < part.p_offset + part.p_filesz;
    if (holds) return mapping.begin - mapping.offset - (part.p_vaddr - part.p_offset);
  }
  return std::nullopt;
}

}  // namespace

std::map<std::string, uint64_t> find_variables(const std::string& path, const CodeMapping& mapping,
                                               const std::vector<std::string>& names) {
  const std::shared_ptr<Elf> elf = open_elf(path);
  const auto bias = elf ? bias_of(elf.get(), mapping) : std::nullopt;
  std::map<std::string, uint64_t> found;
  if (!bias) return found;
  each_symbol(elf.get(), {SHT_DYNSYM}, [&](const GElf_Sym& symbol, uint32_t table) {
    if (GELF_ST_TYPE(symbol.st_info) != STT_OBJECT) return;
    const std::string name = name_of(elf.get(), table, symbol.st_name);
    if (std::find(names.begin(), names.end(), name) != names.end()) found[name] = *bias + symbol.st_value;
  });
  return found;
}

std::vector<CodeMapping> parse_code_mappings(std::string_view maps) {
  std::vector<CodeMapping> found;
  std::istringstream lines{std::string(maps)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    CodeMapping mapping;
    char dash = 0;
    std::string rights;
    std::string device;
    std::string inode;
    words >> std::hex >> mapping.begin >> dash >> mapping.end >> rights >> mapping.offset >> device >> inode;
    if (!words || rights.size() < 3 || rights[2] != 'x') continue;
    std::getline(words >> std::ws, mapping.file);
    if (!mapping.file.empty() && mapping.file[0] == '/') found.push_back(std::move(mapping));
  }
  return found;
}

const CodeMapping* mapping_of(const std::vector<CodeMapping>& mappings, uint64_t address) {
  for (const CodeMapping& mapping : mappings) {
    if (address >= mapping.begin && address < mapping.end) return &mapping;
  }
  return nullptr;
}

FunctionTable::FunctionTable(const std::string& path) : elf_(open_elf(path)) {
  if (!elf_) return;
  for (const GElf_Phdr& part : loaded_parts(elf_.get())) parts_.push_back({part.p_offset, part.p_filesz, part.p_vaddr});
  each_symbol(elf_.get(), {SHT_SYMTAB, SHT_DYNSYM}, [this](const GElf_Sym& symbol, uint32_t table) {
    if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC)
      functions_.push_back({symbol.st_value, symbol.st_value + symbol.st_size, table, symbol.st_name});
  });
  std::stable_sort(functions_.begin(), functions_.end(),
                   [](const Function& a, const Function& b) { return a.begin < b.begin; });
}

std::string FunctionTable::at(uint64_t offset) const {
  for (const Part& part : parts_) {
    if (offset < part.offset || offset - part.offset >= part.size) continue;
    const uint64_t address = part.address + (offset - part.offset);
    auto next = std::upper_bound(functions_.begin(), functions_.end(), address,
                                 [](uint64_t value, const Function& function) { return value < function.begin; });
    if (next == functions_.begin() || (--next)->end <= address) return "";
    return demangled(name_of(elf_.get(), next->table, next->name));
  }
  return "";
}

}  // namespace muster
