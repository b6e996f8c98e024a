// SPDX-License-Identifier: Apache-2.0
// Readers for counts, ranges, sizes and durations. Each function reads the reader's value into its last arguments; if
// the value is invalid, it reports a diagnostic and does not change them. Private to core/job/file.
#pragma once

#include <cstdint>
#include <optional>

#include "core/job/file/value_reader.h"

namespace muster {

void read_count(ValueReader& reader, uint32_t& value);
void read_integer(ValueReader& reader, int32_t& value);
void read_rank(ValueReader& reader, std::optional<Rank>& value);
void read_version(ValueReader& reader, uint32_t& value);
void read_auto_count(ValueReader& reader, AutoCount& value);
void read_node_range(ValueReader& reader, GroupSpec& value);
void read_size(ValueReader& reader, uint64_t& value);
void read_duration(ValueReader& reader, Duration& value);
void read_optional_duration(ValueReader& reader, std::optional<Duration>& value);
void read_duration_range(ValueReader& reader, Duration& low, Duration& high);

}  // namespace muster
