// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/kubeflow/fields/fields_page.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/job/file/kubeflow/fields/kind_fields.h"
#include "core/job/file/kubeflow/fields/pod_fields.h"

namespace muster {
namespace {

std::string_view word(FieldFate fate) {
  switch (fate) {
    case FieldFate::used: return "used";
    case FieldFate::passed: return "passed on";
    case FieldFate::ignored: return "ignored";
    case FieldFate::refused: return "refused";
  }
  return "";
}

// Fields with the same fate and the same note share a row.
struct Row {
  std::vector<std::string> names;
  FieldFate on_hosts;
  FieldFate on_cluster;
  std::string_view note;
};

// Shared parts have tables of their own, and small ones are described where a container is.
bool has_own_table(ManifestFields fields, const FieldsTable& table) {
  if (fields.data() == table.fields.data()) return false;
  const auto is = [&](ManifestFields each) { return each.data() == fields.data(); };
  if (is(pod_fields()) || is(container_fields()) || is(job_fields()) || is(object_metadata_fields())) return true;
  if (is(job_of_set_fields()) || is(pod_template_fields()) || is(run_policy_fields())) return true;
  if (is(find_field(job_set_fields(), "spec")->children)) return table.name != "JobSet";
  return (is(variable_fields()) || is(resource_fields())) && table.name != "Container";
}

void add_rows(const FieldsTable& table, ManifestFields fields, const std::string& path, std::vector<Row>& rows) {
  std::vector<const void*> seen;
  for (const ManifestField& field : fields) {
    const std::string name = "`" + path + std::string(field.name) + "`";
    const auto same = std::find_if(rows.begin(), rows.end(), [&](const Row& row) {
      return row.on_hosts == field.on_hosts && row.on_cluster == field.on_cluster && row.note == field.note;
    });
    if (same != rows.end()) {
      same->names.push_back(name);
    } else {
      rows.push_back({{name}, field.on_hosts, field.on_cluster, field.note});
    }
    const bool repeated = std::find(seen.begin(), seen.end(), field.children.data()) != seen.end();
    if (field.children.empty() || repeated || has_own_table(field.children, table)) continue;
    seen.push_back(field.children.data());
    add_rows(table, field.children, path + std::string(field.name) + ".", rows);
  }
}

}  // namespace

std::vector<FieldsTable> fields_tables() {
  return {
      {"TrainJob", train_job_fields()},
      {"TrainingRuntime", training_runtime_fields()},
      {"PyTorchJob", replica_job_fields("PyTorchJob")},
      {"TFJob", replica_job_fields("TFJob")},
      {"MPIJob", mpi_job_fields()},
      {"XGBoostJob", replica_job_fields("XGBoostJob")},
      {"PaddleJob", replica_job_fields("PaddleJob")},
      {"JAXJob", replica_job_fields("JAXJob")},
      {"RunPolicy", run_policy_fields()},
      {"JobSet", job_set_fields()},
      {"Job", job_fields()},
      {"PodTemplate", template_metadata_fields()},
      {"Pod", pod_fields()},
      {"Container", container_fields()},
      {"Metadata", object_metadata_fields()},
      {"ConfigMap", config_map_fields()},
      {"Secret", secret_fields()},
  };
}

std::string fields_markdown(const FieldsTable& table) {
  std::vector<Row> rows;
  add_rows(table, table.fields, "", rows);
  std::string text = "| field | hosts | cluster | |\n|---|---|---|---|\n";
  for (const Row& row : rows)
    text += "| " + join(row.names, ", ") + " | " + std::string(word(row.on_hosts)) + " | " +
            std::string(word(row.on_cluster)) + " | " + std::string(row.note) + " |\n";
  return text;
}

}  // namespace muster
