#include "core/adapter/linux/elf_symbols.h"

#include <cxxabi.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <sstream>

#include "core/adapter/asio/unique_fd.h"

namespace muster {
namespace {

constexpr uint64_t kMostSymbols = 4 << 20;
constexpr size_t kLongestName = 160;

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

  std::string text_at(uint64_t offset) const {
    if (data_ == MAP_FAILED || offset >= size_) return "";
    const char* begin = static_cast<const char*>(data_) + offset;
    return std::string(begin, strnlen(begin, size_ - offset));
  }

 private:
  void* data_ = MAP_FAILED;
  size_t size_ = 0;
};

// Where the linker put what lies at `offset` of the file.
std::optional<uint64_t> linked_address(const MappedFile& file, const Elf64_Ehdr& header, uint64_t offset) {
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    const auto part = file.at<Elf64_Phdr>(header.e_phoff + uint64_t{i} * sizeof(Elf64_Phdr));
    if (!part) return std::nullopt;
    const bool here = part->p_type == PT_LOAD && offset >= part->p_offset && offset - part->p_offset < part->p_filesz;
    if (here) return part->p_vaddr + (offset - part->p_offset);
  }
  return std::nullopt;
}

struct Found {
  uint64_t value = 0;
  uint64_t name = 0;  // offset in the file
};

void search(const MappedFile& file, const Elf64_Shdr& table, uint64_t names, uint64_t address, Found& best) {
  const uint64_t count = std::min<uint64_t>(table.sh_size / sizeof(Elf64_Sym), kMostSymbols);
  for (uint64_t i = 0; i < count; ++i) {
    const auto symbol = file.at<Elf64_Sym>(table.sh_offset + i * sizeof(Elf64_Sym));
    if (!symbol) return;
    const bool function = ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF;
    if (!function || symbol->st_value > address || address - symbol->st_value >= symbol->st_size) continue;
    if (symbol->st_value >= best.value) best = {symbol->st_value, names + symbol->st_name};
  }
}

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                    std::free);
  std::string shown = text ? text.get() : name;
  if (shown.size() > kLongestName) shown.resize(kLongestName);
  return shown;
}

}  // namespace

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

std::string function_at(const CodeMapping& mapping, uint64_t address, const std::string& root) {
  const MappedFile file(root + mapping.file);
  const auto header = file.at<Elf64_Ehdr>(0);
  const bool ours = header && std::memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
                    header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_shentsize == sizeof(Elf64_Shdr);
  if (!ours) return "";
  const auto linked = linked_address(file, *header, address - mapping.begin + mapping.offset);
  if (!linked) return "";
  Found best;
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    const auto table = file.at<Elf64_Shdr>(header->e_shoff + uint64_t{i} * sizeof(Elf64_Shdr));
    if (!table || (table->sh_type != SHT_SYMTAB && table->sh_type != SHT_DYNSYM)) continue;
    const auto names = file.at<Elf64_Shdr>(header->e_shoff + uint64_t{table->sh_link} * sizeof(Elf64_Shdr));
    if (names) search(file, *table, names->sh_offset, *linked, best);
  }
  return best.name == 0 ? "" : demangled(file.text_at(best.name));
}

}  // namespace muster
