// SPDX-License-Identifier: Apache-2.0
// write_failure: describes why a file cannot be written or created. Any thread.
#pragma once

#include <string>

#include "core/base/result.h"

namespace muster {

// The Status for a failed write below `folder`, which need not exist. resource_exhausted: the disk is full, has no inodes
// left, or the quota is used up; the message says which, and names the folder and its free space. Other errors: as
// errno_status().
Status write_failure(int error_number, const std::string& folder);

// Whether the disk of `folder`, which need not exist, has no free block for this user. False if that is unknown.
bool is_disk_full(const std::string& folder);

}  // namespace muster
