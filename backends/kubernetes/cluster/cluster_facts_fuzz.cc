// SPDX-License-Identifier: Apache-2.0
// The readers of kubectl's output accept any text.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "backends/kubernetes/cluster/cluster_events.h"
#include "backends/kubernetes/cluster/cluster_facts.h"
#include "backends/kubernetes/cluster/cluster_value.h"
#include "backends/kubernetes/cluster/kubectl_words.h"
#include "core/base/quantity.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)muster::read_job_sets(text);
  if (auto pods = muster::read_pods(text); pods.ok()) muster::add_events(*pods, text);
  (void)muster::read_refusal(text, "a");
  (void)muster::ClusterValue::all_of(std::string(text));
  (void)muster::quantity_value(text);
  (void)muster::kubectl_trouble({}, 1, text);
  return 0;
}
