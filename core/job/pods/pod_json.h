// SPDX-License-Identifier: Apache-2.0
// Parts of a pod from the settings of a job. Pure. JSON is passed as text, because nlohmann's types are used only in .cc
// files. Fields: https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/job/kubernetes_spec.h"

namespace muster {

// The securityContext of a container; {}: none.
std::string security_json(const PodSecurity& wanted);

// An entry of `volumes`. `config_map`: the name of the ConfigMap that has `files` of the volume.
std::string volume_json(const VolumeSpec& wanted, const std::string& config_map);

// An entry of `volumeMounts`.
std::string mount_json(const VolumeSpec& wanted);

// The volumes of the pods of ranks: memory at /dev/shm if its size is set, then those of the user.
std::vector<VolumeSpec> volumes_of(const KubernetesSpec& wanted);

// Whole units as Kubernetes writes them: 1 GiB is "1Gi". Other sizes are in bytes.
std::string quantity(uint64_t bytes);

}  // namespace muster
