// SPDX-License-Identifier: Apache-2.0
// ManifestField: a row of the tables that say what becomes of each field of a Kubernetes manifest. The check of
// manifests, the readers' refusals and docs/reference/kubeflow.md use these tables. Constant; pure.
#pragma once

#include <span>
#include <string_view>

namespace muster {

enum class FieldType {
  text,
  integer,
  truth,
  quantity,  // a number, or a text such as 500m
  any,       // not looked into
  map,       // of `children`
  list,      // of maps of `children`
  texts,     // a list of texts
  text_map,  // a map of texts
};

// used: it becomes a part of the job. passed: it becomes a part of the job's JobSet as it is written. ignored: a note
// says so. refused: an error, unless its value is empty, false or the usual one.
enum class FieldFate { used, passed, ignored, refused };

// The place where a manifest will run.
enum class ManifestTarget { hosts, cluster };  // hosts: this machine and hosts over ssh

struct ManifestField {
  std::string_view name;
  FieldType type = FieldType::any;
  FieldFate on_hosts = FieldFate::used;
  FieldFate on_cluster = FieldFate::used;
  std::string_view note;  // what it becomes, why it is ignored, or what to use instead
  std::span<const ManifestField> children = {};

  FieldFate fate(ManifestTarget target) const { return target == ManifestTarget::hosts ? on_hosts : on_cluster; }
};

using ManifestFields = std::span<const ManifestField>;

constexpr ManifestField used(std::string_view name, FieldType type, std::string_view note,
                             ManifestFields children = {}) {
  return {name, type, FieldFate::used, FieldFate::used, note, children};
}
constexpr ManifestField ignored(std::string_view name, FieldType type, std::string_view note) {
  return {name, type, FieldFate::ignored, FieldFate::ignored, note};
}
constexpr ManifestField refused(std::string_view name, FieldType type, std::string_view note) {
  return {name, type, FieldFate::refused, FieldFate::refused, note};
}
// Ignored on hosts; used in a cluster.
constexpr ManifestField used_in_cluster(std::string_view name, FieldType type, std::string_view note,
                                        ManifestFields children = {}) {
  return {name, type, FieldFate::ignored, FieldFate::used, note, children};
}
// Ignored on hosts; passed on in a cluster.
constexpr ManifestField passed(std::string_view name, FieldType type, std::string_view note) {
  return {name, type, FieldFate::ignored, FieldFate::passed, note};
}

// The row with this name, or null.
constexpr const ManifestField* find_field(ManifestFields fields, std::string_view name) {
  for (const ManifestField& field : fields) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

}  // namespace muster
