// SPDX-License-Identifier: Apache-2.0
// The fields of metadata, pod templates and Jobs that all kinds share. Constant.
#pragma once

#include "core/job/file/kubeflow/fields/field.h"

namespace muster {

ManifestFields object_metadata_fields();  // of an object
ManifestFields template_metadata_fields();
ManifestFields container_fields();
ManifestFields pod_fields();           // of a pod's spec
ManifestFields pod_template_fields();  // {metadata, spec}
ManifestFields resource_fields();      // {requests, limits, claims}
ManifestFields variable_fields();      // of an entry of `env`
ManifestFields job_fields();           // of the spec of a batch/v1 Job

}  // namespace muster
