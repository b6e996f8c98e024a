// SPDX-License-Identifier: Apache-2.0
// Reads and writes a JobRecord as the text of the file `record` in the job's folder; the index is rebuilt from these
// files. Pure; any thread. Used only in core/system/store.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/port/job_store.h"

namespace muster::store {

// invalid_argument: a text of the record contains a newline.
Result<std::string> record_to_text(const JobRecord& record);

// data_loss: the text is incomplete or damaged. Unknown fields are ignored.
Result<JobRecord> record_from_text(std::string_view text);

}  // namespace muster::store
