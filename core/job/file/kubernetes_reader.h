// SPDX-License-Identifier: Apache-2.0
// Readers for the map `kubernetes`: volumes, and values that are passed on to Kubernetes. Each function reads the
// reader's value into its last argument; if the value is invalid, it reports a diagnostic and does not change the
// argument. Private to core/job/file.
#pragma once

#include <string>
#include <vector>

#include "core/job/file/value_reader.h"

namespace muster {

void read_volumes(ValueReader& reader, std::vector<VolumeSpec>& value);
// Values that only Kubernetes interprets, stored as JSON: a map for a key of type `object`, a list of maps for
// `objects`.
void read_object(ValueReader& reader, std::string& json);

}  // namespace muster
