// SPDX-License-Identifier: Apache-2.0
// Which variables of the submitting shell are sent to other hosts: those that tune the libraries of training programs,
// but no folders and secrets. Pure.
#pragma once

#include <string_view>

namespace muster {

bool is_carried(std::string_view name);

}  // namespace muster
