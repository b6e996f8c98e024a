// SPDX-License-Identifier: Apache-2.0
// The fields of each kind of manifest, from `metadata` on. Constant.
#pragma once

#include "core/job/file/kubeflow/fields/field.h"

namespace muster {

ManifestFields train_job_fields();
ManifestFields training_runtime_fields();
ManifestFields replica_job_fields(std::string_view kind);  // PyTorchJob, TFJob, XGBoostJob, PaddleJob, JAXJob
ManifestFields mpi_job_fields();                           // v1 and v2beta1
ManifestFields run_policy_fields();                        // of kubeflow.org/v1 and v2beta1
ManifestFields job_object_fields();                        // batch/v1 Job
ManifestFields job_of_set_fields();                        // the spec of a Job in a JobSet
ManifestFields job_set_fields();
ManifestFields config_map_fields();
ManifestFields secret_fields();

}  // namespace muster
