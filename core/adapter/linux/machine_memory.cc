#include "core/adapter/linux/machine_memory.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/adapter/linux/cgroup_paths.h"
#include "core/adapter/linux/proc_files.h"

namespace muster {
namespace {

// "max" (version 2) and numbers near 2^63 (version 1) mean none; the latter are above any machine's memory anyway.
std::optional<uint64_t> read_limit(const std::string& path) {
  const auto text = read_small_file(path);
  uint64_t bytes = 0;
  if (!text || std::from_chars(text->data(), text->data() + text->size(), bytes).ec != std::errc()) return std::nullopt;
  return bytes;
}

// The limits of all above count too. Ends where the hierarchy does, which is where the file is missing; the top of
// version 2 has none either.
uint64_t least_limit(const std::optional<std::string>& folder, const std::string& file, uint64_t bytes) {
  constexpr int kDeepest = 32;
  std::string at = folder.value_or("");
  for (int depth = 0; folder && depth < kDeepest && !at.empty(); ++depth) {
    const auto limit = read_limit(at + file);
    if (limit) bytes = std::min(bytes, *limit);
    if (!read_small_file(at + "/cgroup.procs")) break;
    at = at.substr(0, at.rfind('/'));
  }
  return bytes;
}

uint64_t machine_bytes(const std::string& root) {
  const std::string text = read_small_file(root + "/proc/meminfo").value_or("");
  const size_t at = text.find("MemTotal:");
  const size_t digits = text.find_first_of("0123456789", at);
  uint64_t kibibytes = 0;
  if (at == std::string::npos || digits == std::string::npos) return 0;
  std::from_chars(text.data() + digits, text.data() + text.size(), kibibytes);
  return kibibytes * 1024;
}

}  // namespace

bool may_matter(uint64_t bytes, uint64_t usable) {
  constexpr uint64_t kPart = 8;
  return bytes >= usable / kPart;
}

uint64_t usable_memory_bytes(const std::string& root) {
  const uint64_t machine = machine_bytes(root);
  const uint64_t v2 = least_limit(cgroup_v2_folder(root), "/memory.max", machine);
  return least_limit(cgroup_v1_folder("memory", root), "/memory.limit_in_bytes", v2);
}

}  // namespace muster
