// SPDX-License-Identifier: Apache-2.0
// `muster frameworks`: the variables of each framework, from the tables of core/framework. Pure.
#pragma once

#include <string>

#include "core/client/view/style.h"
#include "core/framework/framework.h"

namespace muster {

std::string frameworks_text(const Style& style);
std::string framework_text(const FrameworkInfo& info, const Style& style);

// {"schema":…,"frameworks":[…]}. framework_json() is one element of that list.
std::string frameworks_json();
std::string framework_json(const FrameworkInfo& info);

}  // namespace muster
