// SPDX-License-Identifier: Apache-2.0
// PmixLibrary: a libpmix that was loaded at run time. Only functions of its public API are used, with the types of the headers of
// PMIx 4.2; versions 4.2 to 6 lay them out alike. The library stays loaded until the process ends.
#pragma once

#include <pmix.h>
#include <pmix_server.h>

#include <string>
#include <vector>

#include "core/base/result.h"

namespace muster {

struct PmixLibrary {
  std::string file;     // as it was found
  std::string version;  // "OpenPMIx 4.2.2 (…)"

  decltype(&PMIx_server_init) server_init = nullptr;
  decltype(&PMIx_server_register_nspace) register_nspace = nullptr;
  decltype(&PMIx_server_register_client) register_client = nullptr;
  decltype(&PMIx_server_setup_fork) setup_fork = nullptr;
  decltype(&PMIx_server_dmodex_request) dmodex_request = nullptr;
  decltype(&PMIx_generate_regex) generate_regex = nullptr;
  decltype(&PMIx_generate_ppn) generate_ppn = nullptr;
  decltype(&PMIx_Error_string) error_string = nullptr;
  decltype(&PMIx_Store_internal) store_internal = nullptr;  // null: the library does not have it

  // Loads the first of these files, or names for the system's search, that can be loaded. not_found: none can; the message has each
  // reason.
  static Result<PmixLibrary> load(const std::vector<std::string>& candidates);
};

}  // namespace muster
