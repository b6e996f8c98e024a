// SPDX-License-Identifier: Apache-2.0
// Converts a Meeting, which has names as typed, to a GangPlace, which has addresses. Asks the resolver, and asks the kernel which addresses
// belong to this machine.
#pragma once

#include "core/base/result.h"
#include "core/client/caller_context.h"
#include "launcher/composition/wire.h"
#include "launcher/torchrun/settings.h"

namespace muster {

// not_found, unavailable: a name cannot be resolved; the message names the flag.
Result<GangPlace> gang_place(const TorchrunSettings& settings, const CallerContext& caller);

}  // namespace muster
