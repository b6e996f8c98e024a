// From a Meeting, names as typed, to a GangPlace, addresses: asks the resolver, and the kernel which of them are this machine's.
#pragma once

#include "core/base/result.h"
#include "core/client/caller_context.h"
#include "launcher/composition/wire.h"
#include "launcher/torchrun/settings.h"

namespace muster {

// not_found, unavailable: a name has no address; the sentence says which flag names it.
Result<GangPlace> gang_place(const TorchrunSettings& settings, const CallerContext& caller);

}  // namespace muster
