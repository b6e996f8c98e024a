// A job's code on a host: asked for over ssh by whoever places the job, answered by `muster unpack`. One line each way says whether it
// has to travel at all; then the archive follows as it is. The same folder seen from both machines (NFS) does not travel.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/base/result.h"
#include "core/client/caller_context.h"
#include "core/job/code_order.h"

namespace muster {

// Reads `bytes` bytes of the archive into a file; asked for once, when it has to travel.
using ReceiveArchive = std::function<Status(const std::string& path)>;

// Makes CODE/JOB below `folder`, muster's own on this host: unpacked from `folder`/trees, or a link to the job's own folder where
// that is the same one here. `receive` is called when the archive is not there yet.
Status unpack(const CallerContext& caller, const std::string& folder, const CodeOrder& order,
              const ReceiveArchive& receive);

}  // namespace muster
