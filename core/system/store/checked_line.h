// The checked line: `v1 <crc32c, 8 hex digits> <payload>`, by which a journal and a job's record tell whole text
// from torn. Pure; any thread. Part of adapter/store only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::store {

// CRC-32C (Castagnoli; RFC 3720 appendix B.4), as hardware and iSCSI have it.
uint32_t crc32c(std::string_view bytes);

// Without a newline behind it.
std::string checked_line(std::string_view payload);

// The payload when the checksum holds.
std::optional<std::string_view> read_checked_line(std::string_view line);

struct JournalText {
  std::vector<std::string> lines;  // payloads, up to the first line that is torn or damaged
  uint64_t whole_bytes = 0;        // how far they reach
  bool newer = false;              // what follows was written by a later version of this format
};

JournalText parse_journal(std::string_view content);

}  // namespace muster::store
