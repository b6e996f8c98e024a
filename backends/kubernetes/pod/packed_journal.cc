// SPDX-License-Identifier: Apache-2.0
#include "backends/kubernetes/pod/packed_journal.h"

#include "backends/kubernetes/pod/packed_text.h"
#include "core/base/text.h"

namespace muster::pod {
namespace {

constexpr size_t kMostPackedJournal = 8 << 20;

}  // namespace

// Lines are JSON, so they contain no newline.
std::string pack_journal(const std::vector<std::string>& lines) {
  return packed_text(join(lines, "\n"), kMostPackedJournal);
}

Result<std::vector<std::string>> unpack_journal(std::string_view packed) {
  const auto text = unpacked_text(packed);
  if (!text.ok()) return Status(Code::data_loss, "the journal that an agent keeps is damaged");
  return split(*text, '\n');
}

}  // namespace muster::pod
