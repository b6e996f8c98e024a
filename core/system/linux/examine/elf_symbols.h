// SPDX-License-Identifier: Apache-2.0
// Names of functions in the memory of another process, from /proc/PID/maps and the symbol tables of the mapped files (elf(5)).
// Reads the files with libelf and trusts none: a symbol outside its file is ignored. A file may change while it is read. Any
// thread; one thread at a time for each FunctionTable.
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

// The executable mappings of files, sorted by address.
std::vector<CodeMapping> parse_code_mappings(std::string_view maps);

// The mapping that contains `address`; null: there is none.
const CodeMapping* mapping_of(const std::vector<CodeMapping>& mappings, uint64_t address);

// Addresses of the exported variables with these names in a process. `path`: where this process can read the file that the
// process has mapped as `mapping`.
std::map<std::string, uint64_t> find_variables(const std::string& path, const CodeMapping& mapping,
                                               const std::vector<std::string>& names);

// The functions of one file.
class FunctionTable {
 public:
  // Empty if the file is not ELF or has no symbols.
  explicit FunctionTable(const std::string& path);

  // The name of the function at `offset` of the file, demangled and without parameters: "muster_barrier". Empty: not known.
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
    uint64_t address = 0;  // the address for which it was linked
  };

  std::shared_ptr<Elf> elf_;
  std::vector<Part> parts_;
  std::vector<Function> functions_;  // sorted by address
};

}  // namespace muster
