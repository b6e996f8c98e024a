// SPDX-License-Identifier: Apache-2.0
// Reading: what the readers of one manifest share: where it is to run, the documents beside it, and what they report.
// Private to core/job/file/kubeflow.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/job/document/diagnostic_sink.h"
#include "core/job/document/yaml_document.h"
#include "core/job/file/kubeflow/manifest.h"

namespace muster {

class Reading {
 public:
  Reading(const ManifestDocuments& documents, const ManifestPlace& place) : documents_(documents), place_(place) {}

  bool in_cluster() const { return place_.target == ManifestTarget::cluster; }
  ManifestTarget target() const { return place_.target; }
  const ManifestPlace& place() const { return place_; }
  const ManifestDocuments& documents() const { return documents_; }

  // The document of this kind and name; null: none.
  // `before`: of several with the same kind and name, the one after so many others.
  const YamlNode* document(std::string_view kind, std::string_view name, size_t before = 0) const;

  void error(const char* code, const SourceRange& where, std::string message, std::string help = {},
             std::string meant = {});
  // One line for the user: what has no effect, and why. It is said once, at its first place.
  void note(const SourceRange& where, const std::string& sentence);

  // Keeps the value of a Secret out of the job file, in which the variable becomes {from: "manifest:NAME"}. False: pods of another
  // group need another value of this variable.
  bool keep_secret(const std::string& variable, const std::string& value);
  std::map<std::string, std::string> take_secrets() { return std::move(secrets_); }

  // The namespace of the job; "default" if the manifest has none.
  const std::string& name_space() const { return name_space_; }
  void set_name_space(std::string name) { name_space_ = std::move(name); }

  // Counts bytes of variables and commands after expansion, because a small manifest can expand to a very large one.
  // False after reporting that there are too many.
  bool take_bytes(size_t count, const SourceRange& where);
  // There were too many.
  bool is_full() const;

  std::vector<Diagnostic> take_problems() { return sink_.take(); }
  std::vector<std::string> take_notes() { return std::move(notes_); }

 private:
  const ManifestDocuments& documents_;
  const ManifestPlace& place_;
  DiagnosticSink sink_;
  std::vector<std::string> notes_;
  std::map<std::string, std::string> secrets_;  // by variable
  std::string name_space_ = "default";
  size_t bytes_ = 0;            // taken
  std::set<std::string> said_;  // the sentences of notes_
};

}  // namespace muster
