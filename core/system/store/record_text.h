// A JobRecord as the text of the file `record` in its job's folder, from which the index is rebuilt. Pure; any
// thread. Part of adapter/store only.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/port/job_store.h"

namespace muster::store {

// invalid_argument when a text of the record holds a newline.
Result<std::string> record_to_text(const JobRecord& record);

// data_loss when it is torn or damaged. Fields it does not know are passed over.
Result<JobRecord> record_from_text(std::string_view text);

}  // namespace muster::store
