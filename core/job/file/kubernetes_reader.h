// The block `kubernetes` of a job file: volumes, and what is passed on as it is written. Each function reads the reader's
// value into its last argument, or reports what is wrong and leaves it. Private to core/job/file.
#pragma once

#include <string>
#include <vector>

#include "core/job/file/value_reader.h"

namespace muster {

void read_volumes(ValueReader& reader, std::vector<VolumeSpec>& value);
// Kubernetes' own words, which are not looked into: kept as JSON. Of type `object` a map, of `objects` a list of maps.
void read_object(ValueReader& reader, std::string& json);

}  // namespace muster
