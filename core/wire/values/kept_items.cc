// SPDX-License-Identifier: Apache-2.0
#include "core/wire/values/kept_items.h"

#include "core/wire/values/convert.h"

namespace muster {

std::string bytes_of(const std::vector<FollowItem>& items) {
  wire::KeptItems message;
  for (const FollowItem& item : items) *message.add_items() = to_wire(item);
  return message.SerializeAsString();
}

Result<std::vector<FollowItem>> kept_items(std::string_view bytes) {
  wire::KeptItems message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return Status(Code::data_loss, "the stored items of the job cannot be read");
  std::vector<FollowItem> items;
  for (const wire::FollowItem& each : message.items()) {
    Status trouble;
    FollowItem item = from_wire(each, trouble);
    if (trouble.ok()) items.push_back(std::move(item));
  }
  return items;
}

}  // namespace muster
