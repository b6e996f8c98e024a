// `muster frameworks`: what each framework gives its ranks, from the tables that do it (core/framework). Pure.
#pragma once

#include <string>

#include "core/client/view/style.h"
#include "core/framework/framework.h"

namespace muster {

std::string frameworks_text(const Style& style);
std::string framework_text(const FrameworkInfo& info, const Style& style);

// {"schema":…,"frameworks":[…]}; one framework is its element.
std::string frameworks_json();
std::string framework_json(const FrameworkInfo& info);

}  // namespace muster
