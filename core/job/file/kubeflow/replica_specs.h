// SPDX-License-Identifier: Apache-2.0
// The replica specs and the run policy of kubeflow.org/v1 and v2beta1. Private to core/job/file/kubeflow.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/job/document/yaml_document.h"
#include "core/job/file/kubeflow/pod_group.h"
#include "core/job/file/kubeflow/reading.h"

namespace muster {

struct ReplicaGroup {
  std::string role;  // "Master"
  uint64_t nodes = 1;
  std::string range;  // "2..4"; empty: `nodes`
  SourceRange where;
  const YamlNode* restart = nullptr;  // `restartPolicy`; null: none
  PodGroup pod;

  GroupSize size() const;
};

// The groups of `spec.FIELD` in the order of `roles`, with the names of the roles in lower case. Reports E1806 if there
// is none.
std::vector<ReplicaGroup> read_replicas(Reading& reading, YamlNode& job, const YamlNode& document,
                                        std::string_view field, std::initializer_list<std::string_view> roles,
                                        const std::vector<std::string_view>& containers,
                                        const AddedVariables& added = {});

// The restart policy; "Never" if there is none.
std::string restart_of(const ReplicaGroup& group);

// `restarts` of the job. With Never everywhere, nothing restarts. If policies differ, those of a group are rules for its failures. `of_job`: a Job runs the pods, whose
// limit is not that of the operator. After the groups have their names.
void read_restart_policies(YamlNode& job, const std::vector<ReplicaGroup>& groups, bool of_job = false);

// Joins all groups into one of this name if their pods and restart policies are the same, so that they are numbered as one.
// Pods that read their names are not the same, except those of an elastic job, which has one group.
void join_same(std::vector<ReplicaGroup>& groups, const std::string& name, bool elastic = false);

// `runPolicy` of the spec: limits, restarts, queue and priority.
void read_run_policy(Reading& reading, YamlNode& job, const YamlNode* spec);

// Sets a key of the group that was added last. Nothing if there is no group.
void mark_last_group(YamlNode& job, std::string_view key, const std::string& value);

}  // namespace muster
