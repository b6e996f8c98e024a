// SPDX-License-Identifier: Apache-2.0
#include "core/job/rules/image_rules.h"

#include "core/base/text.h"
#include "core/job/names.h"

namespace muster {
namespace {

constexpr const char* kCode = "E1320";
constexpr size_t kLongestImage = 4096;

bool is_image(const std::string& image) {
  return image.size() < kLongestImage && is_text(image) && !has_control(image) && !image.starts_with('-') &&
         image.find(' ') == std::string::npos;
}

void check_image(const std::string& image, const std::string& path, std::vector<Contradiction>& found) {
  if (image.empty() || is_image(image)) return;
  found.push_back({kCode, path, "`" + escaped(image.substr(0, 80)) + "` is not the name of an image, nor a path",
                   "such as registry.example/train:7, docker://registry.example/train:7 or /images/train.sif", ""});
}

// A podman or docker image is a name; apptainer and enroot open files.
void check_program(const InImageSpec& in_image, const std::string& image, const std::string& path,
                   std::vector<Contradiction>& found) {
  const ContainerProgram program = in_image.program;
  const bool by_engine = program == ContainerProgram::podman || program == ContainerProgram::docker;
  if (!by_engine || !is_image_path(image)) return;
  const std::string name(to_string(program));
  found.push_back(
      {kCode, path, name + " opens images by name, and `" + escaped(image.substr(0, 80)) + "` is a path",
       "load the file (" + name + " load -i FILE) and write the name of the image, or use program: apptainer", ""});
}

void check_pods(const JobSpec& spec, const std::string& group_image, const std::string& pod_image,
                const std::string& path, std::vector<Contradiction>& found) {
  if (spec.backend != BackendKind::kubernetes || group_image.empty() || pod_image.empty() || group_image == pod_image)
    return;
  found.push_back({kCode, path,
                   "in a cluster `in_image` is the image of the pods, and `kubernetes.image` names another one: " +
                       escaped(pod_image.substr(0, 80)),
                   "remove one of the two", ""});
}

// The folders of the job itself, in which it may have files.
bool is_in_new_folder(const InImageSpec& in_image, const std::string& path) {
  const std::vector<std::string> parts = split(path, '/');
  if (std::find(parts.begin(), parts.end(), "..") != parts.end() || path.ends_with('/')) return false;
  return std::any_of(in_image.mounts.begin(), in_image.mounts.end(), [&](const std::string& text) {
    const auto mount = mount_of(text);
    return mount && mount->source.empty() && path.starts_with(mount->target + "/");
  });
}

}  // namespace

std::vector<Contradiction> image_contradictions(const JobSpec& spec) {
  std::vector<Contradiction> found;
  const InImageSpec& in_image = spec.in_image;
  check_image(in_image.image, "in_image", found);
  check_program(in_image, in_image.image, "in_image", found);
  check_pods(spec, in_image.image, spec.kubernetes.image, "in_image", found);
  for (size_t i = 0; i < spec.groups.size(); ++i) {
    const std::string path = "groups." + std::to_string(i) + ".in_image";
    check_image(spec.groups[i].in_image, path, found);
    check_program(in_image, spec.groups[i].in_image, path, found);
    check_pods(spec, spec.groups[i].in_image, spec.groups[i].kubernetes.image, path, found);
  }
  for (size_t i = 0; i < in_image.mounts.size(); ++i) {
    if (mount_of(in_image.mounts[i])) continue;
    found.push_back({kCode, "in_image.mounts." + std::to_string(i),
                     "`" + escaped(in_image.mounts[i].substr(0, 80)) + "` is not a mount",
                     "SOURCE, SOURCE:TARGET or SOURCE:TARGET:ro, with absolute paths: /data:/mnt:ro", ""});
  }
  if (spec.backend == BackendKind::kubernetes && !in_image.files.empty())
    found.push_back({kCode, "in_image.files", "pods have no `in_image.files`",
                     "put the files into the image, or use kubernetes.volumes", ""});
  for (const auto& [path, text] : in_image.files) {
    if (is_in_new_folder(in_image, path)) continue;
    found.push_back({kCode, "in_image.files",
                     "`" + escaped(path.substr(0, 80)) + "` is not below a mount without a source",
                     "add such a mount, which is a folder of the job's own: mounts: [\":/etc/train\"]", ""});
  }
  return found;
}

}  // namespace muster
