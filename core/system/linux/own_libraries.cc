// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/own_libraries.h"

#include <link.h>

#include <set>
#include <string_view>

namespace muster::ssh {
namespace {

struct Loaded {
  std::string path;  // empty: the program
  std::string loader;
  std::vector<std::string> needed;
};

// The loader has replaced file offsets by addresses.
const char* strings_of(const ElfW(Dyn) * dynamic) {
  for (; dynamic->d_tag != DT_NULL; ++dynamic)
    if (dynamic->d_tag == DT_STRTAB) return reinterpret_cast<const char*>(dynamic->d_un.d_ptr);
  return nullptr;
}

std::vector<std::string> needed_by(const ElfW(Dyn) * dynamic) {
  std::vector<std::string> needed;
  const char* strings = strings_of(dynamic);
  for (; strings != nullptr && dynamic->d_tag != DT_NULL; ++dynamic)
    if (dynamic->d_tag == DT_NEEDED) needed.emplace_back(strings + dynamic->d_un.d_val);
  return needed;
}

int take(dl_phdr_info* info, size_t, void* all) {
  Loaded loaded{info->dlpi_name, "", {}};
  if (loaded.path.starts_with("linux-")) return 0;  // the vDSO, which has no file
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto* at = reinterpret_cast<const char*>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    if (info->dlpi_phdr[i].p_type == PT_INTERP) loaded.loader = at;
    if (info->dlpi_phdr[i].p_type == PT_DYNAMIC) loaded.needed = needed_by(reinterpret_cast<const ElfW(Dyn)*>(at));
  }
  static_cast<std::vector<Loaded>*>(all)->push_back(std::move(loaded));
  return 0;
}

std::string_view name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

const Loaded* find(const std::vector<Loaded>& all, std::string_view name) {
  for (const Loaded& each : all)
    if (!each.path.empty() && name_of(each.path) == name) return &each;
  return nullptr;
}

}  // namespace

std::vector<OwnLibrary> own_libraries() {
  std::vector<Loaded> all;
  dl_iterate_phdr(take, &all);
  if (all.empty() || all[0].loader.empty()) return {};
  // If the program was started through a packed loader, only that one fits the loaded C library, not the one of PT_INTERP.
  const Loaded* packed = find(all, kLoader);
  std::vector<OwnLibrary> found = {{kLoader, packed == nullptr ? all[0].loader : packed->path}};
  std::set<std::string, std::less<>> seen = {std::string(name_of(all[0].loader))};
  std::vector<std::string> wanted = all[0].needed;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const std::string name = wanted[i];
    const Loaded* loaded = find(all, name);
    if (loaded == nullptr || !seen.insert(name).second) continue;
    found.push_back({name, loaded->path});
    wanted.insert(wanted.end(), loaded->needed.begin(), loaded->needed.end());
  }
  return found;
}

}  // namespace muster::ssh
