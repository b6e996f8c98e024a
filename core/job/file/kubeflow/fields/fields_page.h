// SPDX-License-Identifier: Apache-2.0
// The tables of fields as Markdown, for docs/reference/kubeflow-*.md. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/job/file/kubeflow/fields/field.h"

namespace muster {

// A table of docs/reference: the fields of a kind, or of a part that several kinds share.
struct FieldsTable {
  std::string name;  // as in the kinds: "TrainJob"; "Pod", "Container", "RunPolicy" for shared parts
  ManifestFields fields;
};
std::vector<FieldsTable> fields_tables();

// The table with one row for each field. Shared parts (the spec of a Job, a pod, a container) have tables of their own.
std::string fields_markdown(const FieldsTable& table);

}  // namespace muster
