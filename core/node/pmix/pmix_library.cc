// SPDX-License-Identifier: Apache-2.0
#include "core/node/pmix/pmix_library.h"

#include <dlfcn.h>

namespace muster {
namespace {

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

// Empty, or the first function that the library lacks.
std::string missing_function(void* library, PmixLibrary& found) {
  if (!find(library, "PMIx_server_init", found.server_init)) return "PMIx_server_init";
  if (!find(library, "PMIx_server_register_nspace", found.register_nspace)) return "PMIx_server_register_nspace";
  if (!find(library, "PMIx_server_register_client", found.register_client)) return "PMIx_server_register_client";
  if (!find(library, "PMIx_server_setup_fork", found.setup_fork)) return "PMIx_server_setup_fork";
  if (!find(library, "PMIx_server_dmodex_request", found.dmodex_request)) return "PMIx_server_dmodex_request";
  if (!find(library, "PMIx_generate_regex", found.generate_regex)) return "PMIx_generate_regex";
  if (!find(library, "PMIx_generate_ppn", found.generate_ppn)) return "PMIx_generate_ppn";
  if (!find(library, "PMIx_Error_string", found.error_string)) return "PMIx_Error_string";
  return "";
}

}  // namespace

Result<PmixLibrary> PmixLibrary::load(const std::vector<std::string>& candidates) {
  std::string reasons;
  for (const std::string& candidate : candidates) {
    // Global: plug-ins of libpmix find its symbols there.
    void* const library = dlopen(candidate.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) {
      reasons += (reasons.empty() ? "" : "; ") + std::string(dlerror());
      continue;
    }
    PmixLibrary found;
    found.file = candidate;
    const std::string missing = missing_function(library, found);
    if (!missing.empty()) {
      reasons += (reasons.empty() ? "" : "; ") + candidate + " has no " + missing;
      continue;
    }
    find(library, "PMIx_Store_internal", found.store_internal);
    decltype(&PMIx_Get_version) version = nullptr;
    if (find(library, "PMIx_Get_version", version)) found.version = version();
    return found;
  }
  return Status(Code::not_found, reasons);
}

}  // namespace muster
