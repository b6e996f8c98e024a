// SPDX-License-Identifier: Apache-2.0
// `kubernetes.patch`. Pure. JSON is passed as text, because nlohmann's types are used only in .cc files.
#pragma once

#include <string>

namespace muster {

// Applies `patch` to `object`, both JSON. Objects are merged; null removes a key. Lists whose items all have a `name` are
// merged by name, `volumeMounts` by `mountPath`; an item with "$patch": "delete" removes the item of that name. Every
// other value is replaced.
std::string merge_patch(const std::string& object, const std::string& patch);

}  // namespace muster
