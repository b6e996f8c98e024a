// SPDX-License-Identifier: Apache-2.0
#include "core/client/manifest/manifest_source.h"

#include <algorithm>
#include <filesystem>

#include "core/job/file/job_yaml.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostFiles = 100;
constexpr size_t kMostBytes = 2 << 20;

bool names_a_manifest(const std::string& name) {
  return name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".json");
}

// The objects of a `kind: List`, as kubectl prints several; null: the document is something else.
YamlNode* items_of_list(YamlNode& root) {
  YamlNode* items = nullptr;
  bool is_list = false;
  for (YamlEntry& entry : root.entries) {
    if (entry.key == "kind") is_list = entry.value.text == "List";
    if (entry.key == "items") items = &entry.value;
  }
  return is_list ? items : nullptr;
}

void add_documents(ManifestSource& source, const std::string& text, const std::string& file) {
  YamlDocuments read = load_yaml_documents(text, file);
  if (read.problem) source.problems.push_back(std::move(*read.problem));
  for (YamlNode& root : read.roots) {
    if (YamlNode* items = items_of_list(root)) {
      std::move(items->items.begin(), items->items.end(), std::back_inserter(source.documents));
    } else {
      source.documents.push_back(std::move(root));
    }
  }
  source.sources.push_back({file, text});
}

bool has_key(const YamlNode& root, std::string_view key) {
  return std::any_of(root.entries.begin(), root.entries.end(), [&](const YamlEntry& each) { return each.key == key; });
}

// Reports objects that lack one of the two lines by which manifests are recognized. Other files, such as a chart of Helm, may have one
// of these lines too.
void report_half_objects(ManifestSource& source, const std::string& text, const std::string& file) {
  const YamlDocuments read = load_yaml_documents(text, file);
  if (read.problem && read.problem->code == "E1001" && !file.ends_with(".json")) {
    Diagnostic unread = *read.problem;
    unread.severity = Severity::warning;
    unread.message = "muster did not read this file: " + unread.message;
    source.unread.push_back(std::move(unread));
    source.sources.push_back({file, text});
  }
  const size_t before = source.problems.size();
  for (const YamlNode& root : read.roots) {
    const bool has_version = has_key(root, "apiVersion");
    const bool is_object = has_key(root, "metadata") || has_key(root, "spec");
    if (!is_object || has_version == has_key(root, "kind")) continue;
    const std::string missing = has_version ? "kind" : "apiVersion";
    Diagnostic problem{Severity::error, "E1806", root.where, "this object has no `" + missing + "`", {}, {}, {}};
    problem.help = "add the line, as `kubectl explain` shows it for this kind";
    source.problems.push_back(std::move(problem));
  }
  if (source.problems.size() > before) source.sources.push_back({file, text});
}

}  // namespace

std::optional<ManifestSource> manifest_in(const std::string& text, const std::string& origin) {
  ManifestSource source{.origin = origin};
  if (!looks_like_manifest(text)) {
    report_half_objects(source, text, origin);
    return source.problems.empty() ? std::nullopt : std::optional(std::move(source));
  }
  add_documents(source, text, origin);
  const auto is_object = [](const YamlNode& root) { return has_key(root, "apiVersion"); };
  const bool wrong = !source.problems.empty();
  if (!wrong && std::none_of(source.documents.begin(), source.documents.end(), is_object)) return std::nullopt;
  return source;
}

Result<ManifestSource> manifests_of_folder(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.is_regular_file(ignored) && names_a_manifest(entry.path().filename().string()))
      files.push_back(entry.path().string());
  }
  if (files.size() > kMostFiles)
    return Status(Code::resource_exhausted, "`" + folder + "` has " + std::to_string(files.size()) +
                                                " YAML files, and muster reads 100 of a folder; name a file");
  std::sort(files.begin(), files.end());
  ManifestSource source{.origin = folder};
  size_t bytes = 0;
  for (const std::string& file : files) {
    auto text = read_job_file(file);
    if (!text.ok()) {
      source.problems.push_back(unreadable_file(file, text.status()));
      continue;
    }
    bytes += text->size();
    if (bytes > kMostBytes)
      return Status(Code::resource_exhausted, "the manifests in `" + folder + "` are larger than 2 MiB; name a file");
    if (looks_like_manifest(*text)) {
      add_documents(source, *text, file);
    } else {
      report_half_objects(source, *text, file);
    }
  }
  if (source.documents.empty() && source.problems.empty())
    return Status(Code::not_found, "there is no manifest in `" + folder + "`");
  return source;
}

std::optional<YamlNode> registered_manifest(const std::string& name, const std::vector<std::string>& folders,
                                            std::vector<Diagnostic>& problems) {
  if (!is_runtime_name(name)) return std::nullopt;
  for (const std::string& folder : folders) {
    const std::string file = folder + "/" + name + ".yaml";
    const auto text = read_job_file(file);
    if (!text.ok()) continue;
    if (!looks_like_manifest(*text)) return std::nullopt;
    YamlDocuments read = load_yaml_documents(*text, file);
    if (read.problem) problems.push_back(std::move(*read.problem));
    if (!problems.empty() || read.roots.empty()) return std::nullopt;
    return std::move(read.roots.front());
  }
  return std::nullopt;
}

}  // namespace muster
