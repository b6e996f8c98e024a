// SPDX-License-Identifier: Apache-2.0
// Reads a pod template as a group of ranks. Private to core/job/file/kubeflow.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/job/document/yaml_document.h"
#include "core/job/file/kubeflow/reading.h"

namespace muster {

// Variables that a controller adds to each container, and their templates as in `custom`; empty: the framework of the job
// sets the variable itself.
using AddedVariables = std::map<std::string, std::string>;

// The settings of one pod of a group.
struct PodGroup {
  std::string name;
  SourceRange where;                             // of the container
  std::vector<YamlNode> command;                 // words with their places, and with references (references.h); empty:
                                                 // the manifest has none
  YamlNode env;                                  // `env` of the group
  std::set<std::string> secrets;                 // the variables of `env` whose values are from Secrets
  bool secret_in_command = false;                // a word of the command has the value of one
  std::map<std::string, std::string> templates;  // variables with a value for each rank, as in `custom`
  AddedVariables added;                          // those that commands refer to become templates
  double cpus = 0;                               // 0: not limited
  YamlNode cpus_written;                         // for notes: "`requests.cpu: 500m`"
  uint64_t gpus = 0;
  std::vector<YamlNode> gpu_resources;  // their names in the manifest
  uint64_t memory = 0;                  // bytes; 0: not limited
  YamlNode pods;                        // `kubernetes` of the group
  YamlNode patch;                       // of the group's pod template in the JobSet
  YamlNode job_patch;                   // of the group's Job template there
  std::optional<YamlNode> image;        // in which its ranks run on hosts; nothing: in the environment of the host
};

// Reads the container with one of the names `containers`, or the only one. Adds settings that all pods share to `job`,
// the tree of the job file. `added`: commands can refer to these variables.
PodGroup read_pod(Reading& reading, YamlNode& job, const YamlNode& pod_template, const std::string& name,
                  const std::vector<std::string_view>& containers, const AddedVariables& added = {});

// The ranks get all variables that the controller adds, not only those that the command refers to.
void give_added(PodGroup& group);

// Whether a variable has the name of the pod.
bool reads_pod_name(const PodGroup& group);

// Replaces a word of pod_variables.h in all variables of the group.
void settle_word(PodGroup& group, std::string_view word, std::string_view by);

// For ranks in an image on hosts: adds the volumes of the container to `in_image.mounts` of `job`. A volume for which the host has
// nothing, and for which the user names no folder, is an error.
void read_mounts(Reading& reading, YamlNode& job, const YamlNode& pod_template, const YamlNode& container);

// Reports mounts of volumes that the pod does not have.
void check_mounts(Reading& reading, const YamlNode& pod_template, const YamlNode& container);

// The nodes of a group, and the ranks on each of them. `workers` empty: 1.
struct GroupSize {
  YamlNode nodes;
  std::optional<YamlNode> workers;
};
// Adds the group to `groups` of the tree; the pod's resources are divided by its workers.
void add_group(Reading& reading, YamlNode& job, PodGroup group, const GroupSize& size);

}  // namespace muster
