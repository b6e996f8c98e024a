// SPDX-License-Identifier: Apache-2.0
#include "core/job/kubernetes_spec.h"

#include <string_view>

namespace muster {

std::string_view to_string(PullPolicy value) {
  switch (value) {
    case PullPolicy::usual: return "auto";
    case PullPolicy::always: return "Always";
    case PullPolicy::if_not_present: return "IfNotPresent";
    case PullPolicy::never: return "Never";
  }
  return "auto";
}

std::string_view to_string(PodGang value) {
  switch (value) {
    case PodGang::none: return "none";
    case PodGang::coscheduling: return "coscheduling";
    case PodGang::volcano: return "volcano";
    case PodGang::kai: return "kai";
  }
  return "none";
}

}  // namespace muster
