// The hosts in a job file: words as --hosts has them, or maps. Each function reads the reader's value into its last
// argument, or reports what is wrong and leaves it. Private to core/job/file.
#pragma once

#include <string>
#include <vector>

#include "core/job/file/value_reader.h"

namespace muster {

void read_hosts(ValueReader& reader, std::vector<HostSpec>& value);
// Only checked: it was read with its place, which tells two hosts of one name apart.
void read_host_name(ValueReader& reader);
void read_host_label(ValueReader& reader, std::string& value);

}  // namespace muster
