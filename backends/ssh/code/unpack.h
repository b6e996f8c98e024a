// SPDX-License-Identifier: Apache-2.0
// `muster unpack`: puts a job's code on a host. The controller sends a CodeOrder over ssh; the host answers with one line whether it
// needs the archive, and the archive follows if so. If both machines mount the job's folder (NFS), nothing is copied.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/base/result.h"
#include "core/client/caller_context.h"
#include "core/job/code_order.h"

namespace muster {

// Receives the archive into a file. Called at most once, if the host does not have the archive.
using ReceiveArchive = std::function<Status(const std::string& path)>;

// Makes code/JOB below `folder`, muster's folder on this host: unpacked from the archive in `folder`/trees, or a link to the job's own
// folder if this host mounts it. Calls `receive` if the archive is not in `folder`/trees yet.
Status unpack(const CallerContext& caller, const std::string& folder, const CodeOrder& order,
              const ReceiveArchive& receive);

}  // namespace muster
