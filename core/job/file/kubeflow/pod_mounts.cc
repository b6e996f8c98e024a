// SPDX-License-Identifier: Apache-2.0
// The volumes of a pod as mounts of the image in which its ranks run on hosts (`in_image.mounts`).
#include <algorithm>
#include <set>

#include "core/base/text.h"
#include "core/job/file/kubeflow/job_settings.h"
#include "core/job/file/kubeflow/pod_group.h"
#include "core/job/file/kubeflow/pod_variables.h"
#include "core/job/file/kubeflow/tree/node_tools.h"
#include "core/job/image/in_image.h"

namespace muster {
namespace {

bool is_mounted_by_user(const Reading& reading, const std::string& target) {
  const auto& mounts = reading.place().mounts;
  return std::any_of(mounts.begin(), mounts.end(), [&](const std::string& text) {
    const auto mount = mount_of(text);
    return mount && mount->target == target;
  });
}

// As in Kubernetes, a volume without a source is an emptyDir.
bool is_empty_dir(const YamlNode& volume) {
  return child(&volume, "emptyDir") != nullptr || volume.entries.size() == 1;
}

bool is_in_memory(const YamlNode& volume) { return text_of(child(child(&volume, "emptyDir"), "medium")) == "Memory"; }

// "persistentVolumeClaim sets": the source of a volume, for messages.
std::string source_of(const YamlNode& volume) {
  for (const YamlEntry& entry : volume.entries) {
    if (entry.key == "name") continue;
    for (const char* key : {"claimName", "name", "secretName", "server", "driver"}) {
      if (const std::string text = text_of(child(&entry.value, key)); !text.empty()) return entry.key + " " + text;
    }
    return entry.key;
  }
  return "nothing";
}

// The mount as the text of `in_image.mounts`; nullopt: the host has nothing for the volume.
std::optional<std::string> mount_text(const YamlNode& volume, const YamlNode& mount, const std::string& target) {
  const bool may_be_missing =
      is_true(find(&volume, {"configMap", "optional"})) || is_true(find(&volume, {"secret", "optional"}));
  if (is_empty_dir(volume) || may_be_missing) return ":" + target;
  const std::string source = text_of(find(&volume, {"hostPath", "path"}));
  if (source.empty()) return std::nullopt;
  const std::string part = text_of(child(&mount, "subPath"));
  return source + (part.empty() ? "" : "/" + part) + ":" + target + (is_true(child(&mount, "readOnly")) ? ":ro" : "");
}

void report_other_volume(Reading& reading, const std::string& target, const SourceRange& where) {
  reading.error("E1803", where, "pods of this job mount different volumes at " + escaped(target),
                "mount them at different paths, or run the groups as jobs of their own");
}

void add_mount(Reading& reading, YamlNode& job, const std::string& text, const SourceRange& where) {
  YamlNode& mounts = list_at(map_at(job, "in_image", where), "mounts", where);
  if (mounts.items.empty()) {
    for (const std::string& each : reading.place().mounts) mounts.items.push_back(text_node(each, where));
  }
  const auto mine = mount_of(text);
  for (const YamlNode& each : mounts.items) {
    const auto other = mount_of(each.text);
    if (!mine || !other || other->target != mine->target) continue;
    if (other->source != mine->source) report_other_volume(reading, mine->target, where);
    return;
  }
  mounts.items.push_back(text_node(text, where));
}

// A volume whose files are in a ConfigMap or Secret beside the job.
struct FilesVolume {
  const YamlNode* source = nullptr;  // of the volume
  const YamlNode* object = nullptr;
  bool secret = false;
};

std::optional<FilesVolume> files_of(const Reading& reading, const YamlNode& volume) {
  const YamlNode* secret = child(&volume, "secret");
  const YamlNode* source = secret == nullptr ? child(&volume, "configMap") : secret;
  if (source == nullptr) return std::nullopt;
  const std::string name = text_of(child(source, secret == nullptr ? "name" : "secretName"));
  const YamlNode* object = reading.document(secret == nullptr ? "ConfigMap" : "Secret", name);
  return object == nullptr ? std::nullopt : std::optional(FilesVolume{source, object, secret != nullptr});
}

struct VolumeFile {
  std::string key;
  std::string path;  // below the folder of the volume
};

std::vector<VolumeFile> file_names(const FilesVolume& volume) {
  std::vector<VolumeFile> files;
  if (const YamlNode* items = child(volume.source, "items")) {
    for (const YamlNode& item : items->items)
      files.push_back({text_of(child(&item, "key")), text_of(child(&item, "path"))});
    return files;
  }
  for (const char* part : {"data", "binaryData", "stringData"}) {
    const YamlNode* data = child(volume.object, part);
    for (size_t at = 0; data != nullptr && at < data->entries.size(); ++at) {
      if (std::string_view(part) == "stringData" && find(volume.object, {"data", data->entries[at].key})) continue;
      files.push_back({data->entries[at].key, data->entries[at].key});
    }
  }
  return files;
}

// Whether the file is in the folder of the volume, as Kubernetes requires it.
bool stays_below(const std::string& path) {
  const std::vector<std::string> parts = split(path, '/');
  return !path.empty() && path.front() != '/' && std::find(parts.begin(), parts.end(), "..") == parts.end();
}

// Without a mount of its own, a single file could replace one of the user, whose home folder the image shows.
bool is_single_file(Reading& reading, const YamlNode& mount) {
  const YamlNode* part = child(&mount, "subPath");
  if (part == nullptr || part->text.empty()) return false;
  reading.error("E1803", part->where,
                "muster mounts all files of a ConfigMap or Secret, not a single one with `subPath`",
                "mount the volume as a folder, or name the file in in_image.mounts");
  return true;
}

// As `defaultMode`, in decimal (settle_values).
bool may_execute(const FilesVolume& volume) {
  const std::optional<uint64_t> mode = number_in(child(volume.source, "defaultMode"));
  return mode && (*mode & 0111) != 0;
}

void mount_files(Reading& reading, YamlNode& job, const FilesVolume& volume, const YamlNode& mount,
                 const std::string& target) {
  if (is_single_file(reading, mount)) return;
  add_mount(reading, job, ":" + target, mount.where);
  if (volume.secret)
    note_secret(reading, mount.where,
                "the files of the Secret `" + escaped(text_of(child(volume.source, "secretName"))) + "` become",
                "name a folder for " + target + " in in_image.mounts");
  YamlNode& files = map_at(map_at(job, "in_image", mount.where), "files", mount.where);
  for (const VolumeFile& file : file_names(volume)) {
    const auto content = value_in(*volume.object, file.key);
    if (!content || content->size() > kLongestText || content->find('\0') != std::string::npos)
      return reading.error("E1803", mount.where,
                           "muster cannot write `" + escaped(file.key) + "` of the volume to a file: it is " +
                               (content ? "longer than 128 KiB, or no text" : "not there, or binary"),
                           "put it into the image, or into a folder that you name in in_image.mounts");
    if (!stays_below(file.path))
      return reading.error("E1802", mount.where, "`" + escaped(file.path) + "` is no path below the volume",
                           "Kubernetes would reject it too");
    const std::string path = target + "/" + file.path;
    if (!reading.take_bytes(path.size() + content->size(), mount.where)) return;
    const YamlNode* before = child(&files, path);
    if (before != nullptr && before->text != *content) return report_other_volume(reading, target, mount.where);
    if (before == nullptr) put(files, path, text_node(*content, mount.where));
    if (may_execute(volume) && !content->starts_with("#!"))
      reading.note(mount.where, "`" + escaped(path) + "` cannot be executed here: only a text that begins with #! can");
  }
}

// `folders`: the volumes so far that are a new folder at each of their paths.
bool is_supported(Reading& reading, const YamlNode& volume, const YamlNode& mount, std::set<std::string>& folders) {
  const YamlNode* part = child(&mount, "subPathExpr");
  if (part != nullptr && !is_empty(*part)) {
    reading.error("E1803", part->where,
                  "muster does not mount a different part of a volume for each rank (`subPathExpr`)",
                  "mount the volume, and let the program choose the folder by its rank");
    return false;
  }
  const std::string name = text_of(child(&mount, "name"));
  if (!is_empty_dir(volume) || folders.insert(name).second) return true;
  reading.error("E1803", mount.where, "muster mounts the emptyDir `" + escaped(name) + "` at one path only",
                "use one path, or name a folder of the host for both in in_image.mounts");
  return false;
}

}  // namespace

void check_mounts(Reading& reading, const YamlNode& pod_template, const YamlNode& container) {
  const YamlNode* volumes = find(&pod_template, {"spec", "volumes"});
  const YamlNode* mounts = child(&container, "volumeMounts");
  for (size_t at = 0; mounts != nullptr && at < mounts->items.size(); ++at) {
    const YamlNode* name = child(&mounts->items[at], "name");
    if (name == nullptr || named(volumes, name->text) != nullptr) continue;
    std::vector<std::string> known;
    for (size_t each = 0; volumes != nullptr && each < volumes->items.size(); ++each)
      known.push_back(text_of(child(&volumes->items[each], "name")));
    reading.error("E1802", name->where, "this pod has no volume `" + escaped(name->text) + "`",
                  "Kubernetes would reject it too; add it to `volumes`", nearest(name->text, known).value_or(""));
  }
}

void read_mounts(Reading& reading, YamlNode& job, const YamlNode& pod_template, const YamlNode& container) {
  const YamlNode* mounts = child(&container, "volumeMounts");
  if (mounts == nullptr) return;
  const YamlNode* volumes = find(&pod_template, {"spec", "volumes"});
  std::set<std::string> folders;
  for (const YamlNode& mount : mounts->items) {
    const std::string name = text_of(child(&mount, "name"));
    const std::string target = text_of(child(&mount, "mountPath"));
    const YamlNode* volume = named(volumes, name);
    if (volume == nullptr || is_mounted_by_user(reading, target)) continue;
    if (target == "/dev/shm" && is_in_memory(*volume)) continue;  // ranks have that of the host
    if (!is_supported(reading, *volume, mount, folders)) continue;
    if (const auto files = files_of(reading, *volume)) {
      mount_files(reading, job, *files, mount, target);
    } else if (const auto text = mount_text(*volume, mount, target)) {
      add_mount(reading, job, *text, mount.where);
    } else {
      reading.error(
          "E1803", mount.where,
          "the volume `" + escaped(name) + "` (" + escaped(source_of(*volume)) + ") has no folder on the hosts",
          child(volume, "configMap") != nullptr ? "put the ConfigMap beside the job, in the same file or folder"
          : child(volume, "secret") != nullptr
              ? "put the Secret beside the job, or name a folder with --set in_image.mounts='[\"/FOLDER:" + target +
                    "\"]'"
              : "name a folder in muster.yaml, or with --set in_image.mounts='[\"/FOLDER:" + target + "\"]'");
    }
  }
}

}  // namespace muster
