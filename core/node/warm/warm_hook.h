// SPDX-License-Identifier: Apache-2.0
// The text of warm_hook.py, which a warm parent runs as its `sitecustomize`.
#pragma once

#include <string_view>

namespace muster {

extern const std::string_view kWarmHook;

}  // namespace muster
