// SPDX-License-Identifier: Apache-2.0
// The checked line: `v1 <crc32c, 8 hex digits> <payload>`. Journals and job records use it to detect incomplete and
// damaged text. Pure; any thread. Used only in core/system/store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::store {

// CRC-32C (Castagnoli; RFC 3720 appendix B.4), as used by iSCSI.
uint32_t crc32c(std::string_view bytes);

// Does not end with a newline.
std::string checked_line(std::string_view payload);

// The payload if the checksum is correct.
std::optional<std::string_view> read_checked_line(std::string_view line);

struct JournalText {
  std::vector<std::string> lines;  // payloads before the first incomplete or damaged line
  uint64_t whole_bytes = 0;        // total size of these lines in the file
  bool newer = false;              // the next line was written by a newer version of this format
};

JournalText parse_journal(std::string_view content);

}  // namespace muster::store
