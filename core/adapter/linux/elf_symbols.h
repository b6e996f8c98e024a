// Names of functions in the memory of another process: /proc/PID/maps and the symbol tables of the files it names (elf(5)).
// Any thread. Files are mapped, not read, and none is trusted: what does not lie within its file is no symbol.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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

// "muster_barrier", demangled, of the function in which `address` lies; empty when the file tells none. `root`: where the
// file is found, as the process sees it: "/proc/7/root".
std::string function_at(const CodeMapping& mapping, uint64_t address, const std::string& root);

}  // namespace muster
