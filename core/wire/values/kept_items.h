// SPDX-License-Identifier: Apache-2.0
// The items that a viewer was sent about a job, as bytes that can be stored for when there is no controller to ask. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/port/control_messages.h"

namespace muster {

std::string bytes_of(const std::vector<FollowItem>& items);

// Items of a newer muster that are unknown are left out. data_loss: the bytes are damaged.
Result<std::vector<FollowItem>> kept_items(std::string_view bytes);

}  // namespace muster
