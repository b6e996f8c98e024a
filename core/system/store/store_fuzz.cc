// SPDX-License-Identifier: Apache-2.0
// Fuzzes journals and records: any bytes (after a crash, a full disk or an edit) are read or refused.
#include <cstddef>
#include <cstdint>

#include "core/base/check.h"
#include "core/system/store/checked_line.h"
#include "core/system/store/record_text.h"

namespace store = muster::store;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const store::JournalText journal = store::parse_journal(bytes);
  MUSTER_CHECK(journal.whole_bytes <= size);
  std::string again;
  for (const std::string& line : journal.lines) again += store::checked_line(line) + "\n";
  MUSTER_CHECK(store::parse_journal(again).lines == journal.lines);
  const auto record = store::record_from_text(bytes);
  const auto text = record.ok() ? store::record_to_text(*record) : muster::Result<std::string>(record.status());
  if (text.ok()) MUSTER_CHECK(*store::record_from_text(*text) == *record);
  return 0;
}
