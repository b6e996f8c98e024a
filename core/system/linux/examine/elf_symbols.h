// Names of functions in the memory of another process: /proc/PID/maps and the symbol tables of the files it names (elf(5)).
// libelf reads the files. None is trusted: a symbol outside of its file is ignored. A file may change while it is read. Any thread; one
// FunctionTable is for one thread at a time.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct Elf;  // of libelf

namespace muster {

struct CodeMapping {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t offset = 0;  // of `begin` in the file
  std::string file;
};

// The executable ones of files, by address.
std::vector<CodeMapping> parse_code_mappings(std::string_view maps);

// The mapping in which `address` lies; null: in none.
const CodeMapping* mapping_of(const std::vector<CodeMapping>& mappings, uint64_t address);

// Where the variables with these names are in the process that has the file `path` before it by `mapping`; those that it exports.
std::map<std::string, uint64_t> find_variables(const std::string& path, const CodeMapping& mapping,
                                               const std::vector<std::string>& names);

// The functions of one file.
class FunctionTable {
 public:
  // Of a file that is none of ELF, or has no symbols, it is empty.
  explicit FunctionTable(const std::string& path);

  // "muster_barrier", demangled and without its parameters, of the function that is at `offset` of the file; empty: none is known.
  std::string at(uint64_t offset) const;

 private:
  struct Function {
    uint64_t begin = 0;
    uint64_t end = 0;
    uint32_t table = 0;  // index of the string table
    uint32_t name = 0;   // offset in it
  };
  struct Part {
    uint64_t offset = 0;  // in the file
    uint64_t size = 0;
    uint64_t address = 0;  // for which it was linked
  };

  std::shared_ptr<Elf> elf_;
  std::vector<Part> parts_;
  std::vector<Function> functions_;  // by address
};

}  // namespace muster
