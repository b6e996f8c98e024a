// SPDX-License-Identifier: Apache-2.0
// The endpoint of a torch store, for agent and coordinator.
#pragma once

#include <string_view>

#include "core/base/endpoint.h"

namespace muster {

// Prefix of every message about a problem of a store: "the torch store on node-a refused …".
constexpr std::string_view kStoreTrouble = "the torch store on ";

}  // namespace muster
