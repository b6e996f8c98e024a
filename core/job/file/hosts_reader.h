// SPDX-License-Identifier: Apache-2.0
// Readers for the hosts of a job file: words as in --hosts, or maps. Each function reads the reader's value into its
// last argument; if the value is invalid, it reports a diagnostic and does not change the argument. Private to
// core/job/file.
#pragma once

#include <string>
#include <vector>

#include "core/job/file/value_reader.h"

namespace muster {

void read_hosts(ValueReader& reader, std::vector<HostSpec>& value);
// Only checks the value: read_hosts reads it, because it needs the place to report a host that is listed twice.
void read_host_name(ValueReader& reader);
void read_host_label(ValueReader& reader, std::string& value);

}  // namespace muster
