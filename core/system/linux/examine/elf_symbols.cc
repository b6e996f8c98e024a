#include "core/system/linux/examine/elf_symbols.h"

#include <cxxabi.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <sstream>

#include "core/system/posix/unique_fd.h"

namespace muster {
class MappedFile {
 public:
  explicit MappedFile(const std::string& path) {
    const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    struct stat status {};
    const bool plain = file.valid() && fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
    if (!plain) return;
    size_ = static_cast<size_t>(status.st_size);
    data_ = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.get(), 0);
  }
  ~MappedFile() {
    if (data_ != MAP_FAILED) munmap(data_, size_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  // A copy, for it may lie at any address.
  template <typename T>
  std::optional<T> at(uint64_t offset) const {
    if (data_ == MAP_FAILED || offset > size_ || size_ - offset < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, static_cast<const char*>(data_) + offset, sizeof value);
    return value;
  }

  std::string_view text_at(uint64_t offset) const {
    if (data_ == MAP_FAILED || offset >= size_) return "";
    const char* begin = static_cast<const char*>(data_) + offset;
    return {begin, strnlen(begin, size_ - offset)};
  }

 private:
  void* data_ = MAP_FAILED;
  size_t size_ = 0;
};

namespace {

constexpr uint64_t kMostSymbols = 4 << 20;
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

std::optional<Elf64_Ehdr> header_of(const MappedFile& file) {
  const auto header = file.at<Elf64_Ehdr>(0);
  const bool ours = header && std::memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
                    header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_shentsize == sizeof(Elf64_Shdr);
  return ours ? header : std::nullopt;
}

std::optional<Elf64_Shdr> section(const MappedFile& file, const Elf64_Ehdr& header, uint64_t index) {
  return file.at<Elf64_Shdr>(header.e_shoff + index * sizeof(Elf64_Shdr));
}

// Calls `take(symbol, place of its name in the file)` for those of the tables of one type, or of both.
template <typename Take>
void each_symbol(const MappedFile& file, const std::vector<uint32_t>& types, Take take) {
  const auto header = header_of(file);
  for (uint64_t i = 0; header && i < header->e_shnum; ++i) {
    const auto table = section(file, *header, i);
    if (!table || std::find(types.begin(), types.end(), table->sh_type) == types.end()) continue;
    const auto names = section(file, *header, table->sh_link);
    const uint64_t count = names ? std::min<uint64_t>(table->sh_size / sizeof(Elf64_Sym), kMostSymbols) : 0;
    for (uint64_t s = 0; s < count; ++s) {
      const auto symbol = file.at<Elf64_Sym>(table->sh_offset + s * sizeof(Elf64_Sym));
      if (!symbol) break;
      if (symbol->st_shndx != SHN_UNDEF && symbol->st_size > 0) take(*symbol, names->sh_offset + symbol->st_name);
    }
  }
}

// What is to be added to an address for which the file was linked.
std::optional<uint64_t> bias_of(const MappedFile& file, const CodeMapping& mapping) {
  const auto header = header_of(file);
  for (uint64_t i = 0; header && i < header->e_phnum; ++i) {
    const auto part = file.at<Elf64_Phdr>(header->e_phoff + i * sizeof(Elf64_Phdr));
    const bool holds = part && part->p_type == PT_LOAD && (part->p_flags & PF_X) != 0 &&
                       mapping.offset < part->p_offset + part->p_filesz;
    if (holds) return mapping.begin - mapping.offset - (part->p_vaddr - part->p_offset);
  }
  return std::nullopt;
}

}  // namespace

std::map<std::string, uint64_t> find_variables(const std::string& path, const CodeMapping& mapping,
                                               const std::vector<std::string>& names) {
  const MappedFile file(path);
  const auto bias = bias_of(file, mapping);
  std::map<std::string, uint64_t> found;
  if (!bias) return found;
  each_symbol(file, {SHT_DYNSYM}, [&](const Elf64_Sym& symbol, uint64_t place) {
    if (ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT) return;
    const std::string name(file.text_at(place));
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

FunctionTable::FunctionTable(const std::string& path) : file_(std::make_shared<MappedFile>(path)) {
  read_parts();
  read_functions();
  std::stable_sort(functions_.begin(), functions_.end(),
                   [](const Function& a, const Function& b) { return a.begin < b.begin; });
}

void FunctionTable::read_parts() {
  const auto header = header_of(*file_);
  if (!header) return;
  for (uint64_t i = 0; i < header->e_phnum; ++i) {
    const auto part = file_->at<Elf64_Phdr>(header->e_phoff + i * sizeof(Elf64_Phdr));
    if (part && part->p_type == PT_LOAD) parts_.push_back({part->p_offset, part->p_filesz, part->p_vaddr});
  }
}

void FunctionTable::read_functions() {
  each_symbol(*file_, {SHT_SYMTAB, SHT_DYNSYM}, [this](const Elf64_Sym& symbol, uint64_t name) {
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC) return;
    functions_.push_back({symbol.st_value, symbol.st_value + symbol.st_size, name});
  });
}

std::string FunctionTable::at(uint64_t offset) const {
  for (const Part& part : parts_) {
    if (offset < part.offset || offset - part.offset >= part.size) continue;
    const uint64_t address = part.address + (offset - part.offset);
    auto next = std::upper_bound(functions_.begin(), functions_.end(), address,
                                 [](uint64_t value, const Function& function) { return value < function.begin; });
    if (next == functions_.begin() || (--next)->end <= address) return "";
    return demangled(std::string(file_->text_at(next->name)));
  }
  return "";
}

}  // namespace muster
