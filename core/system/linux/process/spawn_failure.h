// The sentence for a process that could not be started: what, why, and what to look at. Any thread.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/port/process_host.h"
#include "core/system/linux/process/spawn_child.h"

namespace muster {

// `orders` as the child left it. Looks at the files concerned, to tell a missing program from a missing
// interpreter.
Status describe_spawn_failure(const SpawnRequest& request, const ChildOrders& orders);

// clone(2) itself failed.
Status describe_clone_failure(int error);

}  // namespace muster
