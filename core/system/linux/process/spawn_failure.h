// SPDX-License-Identifier: Apache-2.0
// Error messages for a process that could not be started. Any thread.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/port/process_host.h"
#include "core/system/linux/process/spawn_child.h"

namespace muster {

// `orders`: as the child left them. Reads the files concerned, to distinguish a missing program from a missing
// interpreter.
Status describe_spawn_failure(const SpawnRequest& request, const ChildOrders& orders);

// For a failure of clone(2) itself.
Status describe_clone_failure(int error);

}  // namespace muster
