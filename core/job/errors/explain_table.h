// SPDX-License-Identifier: Apache-2.0
// The tables of explain.h. Private to core/job.
#pragma once

#include <span>
#include <string_view>

namespace muster {

struct ExplainRow {
  std::string_view code;
  std::string_view title;
  std::string_view text;
  std::string_view wrong;  // lines of a job file
  std::string_view right;
};

std::span<const ExplainRow> explain_file_rows();           // E10xx: the file itself
std::span<const ExplainRow> explain_value_rows();          // E11xx: values and units
std::span<const ExplainRow> explain_name_rows();           // E12xx: names and keys
std::span<const ExplainRow> explain_contradiction_rows();  // E13xx: contradictions and limits
std::span<const ExplainRow> explain_host_rows();           // E15xx: lists of hosts
std::span<const ExplainRow> explain_cluster_rows();        // E165x and E166x: answers of kubectl and the cluster
std::span<const ExplainRow> explain_kubernetes_rows();     // E160x and E161x: keys for a cluster
std::span<const ExplainRow> explain_mpirun_rows();         // E17xx: command lines of mpirun

std::span<const ExplainRow> explain_manifest_rows();  // E18xx: manifests of Kubernetes

}  // namespace muster
