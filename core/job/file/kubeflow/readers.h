// SPDX-License-Identifier: Apache-2.0
// One reader for each family of kinds. Each adds the keys of a job file to `job` and reports problems to `reading`; the
// fields were checked before. Private to core/job/file/kubeflow.
#pragma once

#include "core/job/document/yaml_document.h"
#include "core/job/file/kubeflow/reading.h"

namespace muster {

void read_train_job(Reading& reading, YamlNode& job, const YamlNode& document);
void read_pytorch_job(Reading& reading, YamlNode& job, const YamlNode& document);
void read_tf_job(Reading& reading, YamlNode& job, const YamlNode& document);
void read_xgboost_job(Reading& reading, YamlNode& job, const YamlNode& document);
void read_paddle_job(Reading& reading, YamlNode& job, const YamlNode& document);
void read_jax_job(Reading& reading, YamlNode& job, const YamlNode& document);
void read_mpi_job(Reading& reading, YamlNode& job, const YamlNode& document);
void read_indexed_job(Reading& reading, YamlNode& job, const YamlNode& document);
void read_job_set(Reading& reading, YamlNode& job, const YamlNode& document);

}  // namespace muster
