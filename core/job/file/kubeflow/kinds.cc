// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/kubeflow/kinds.h"

#include <array>

#include "core/job/file/kubeflow/fields/kind_fields.h"
#include "core/job/file/kubeflow/readers.h"

namespace muster {
namespace {

constexpr std::string_view kTrainerVersion = "trainer.kubeflow.org/v1alpha1";
constexpr std::string_view kOperator = "kubeflow.org/v1";
constexpr std::string_view kMpiOperator = "kubeflow.org/v2beta1";

const std::array kKinds{
    ManifestKind{kTrainerVersion, "TrainJob", train_job_fields, read_train_job},
    ManifestKind{kOperator, "PyTorchJob", [] { return replica_job_fields("PyTorchJob"); }, read_pytorch_job},
    ManifestKind{kOperator, "TFJob", [] { return replica_job_fields("TFJob"); }, read_tf_job},
    ManifestKind{kOperator, "XGBoostJob", [] { return replica_job_fields("XGBoostJob"); }, read_xgboost_job},
    ManifestKind{kOperator, "PaddleJob", [] { return replica_job_fields("PaddleJob"); }, read_paddle_job},
    ManifestKind{kOperator, "JAXJob", [] { return replica_job_fields("JAXJob"); }, read_jax_job},
    ManifestKind{kOperator, "MPIJob", mpi_job_fields, read_mpi_job},
    ManifestKind{kMpiOperator, "MPIJob", mpi_job_fields, read_mpi_job},
    ManifestKind{"batch/v1", "Job", job_object_fields, read_indexed_job},
    ManifestKind{"jobset.x-k8s.io/v1alpha2", "JobSet", job_set_fields, read_job_set},
};

}  // namespace

std::span<const ManifestKind> all_manifest_kinds() { return kKinds; }

const ManifestKind* find_manifest_kind(std::string_view api_version, std::string_view kind) {
  for (const ManifestKind& each : kKinds) {
    if (each.api_version == api_version && each.kind == kind) return &each;
  }
  return nullptr;
}

}  // namespace muster
