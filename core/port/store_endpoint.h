// Where a store for torch's ranks listens, as agent and coordinator speak of it.
#pragma once

#include <string_view>

#include "core/base/endpoint.h"

namespace muster {

// How the sentence begins that tells a trouble of a store: "the ranks' store on node-a refused …".
constexpr std::string_view kStoreTrouble = "the ranks' store on ";

}  // namespace muster
