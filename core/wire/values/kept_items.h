// What a viewer was told of a job, as bytes: for where it lies until there is no controller to ask any more. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/port/control_messages.h"

namespace muster {

std::string bytes_of(const std::vector<FollowItem>& items);

// What a newer muster kept and we do not know is left out. data_loss: they are no such bytes.
Result<std::vector<FollowItem>> kept_items(std::string_view bytes);

}  // namespace muster
