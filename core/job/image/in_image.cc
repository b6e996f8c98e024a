// SPDX-License-Identifier: Apache-2.0
#include "core/job/image/in_image.h"

#include "core/base/text.h"

namespace muster {
namespace {

bool is_from_home(std::string_view path) { return path == "~" || path.starts_with("~/"); }

}  // namespace

std::optional<ContainerMount> mount_of(std::string_view text) {
  std::vector<std::string> parts = split(std::string(text), ':');
  if (parts.empty() || parts.size() > 3) return std::nullopt;
  ContainerMount mount;
  if (parts.size() > 1 && (parts.back() == "ro" || parts.back() == "rw")) {
    mount.read_only = parts.back() == "ro";
    parts.pop_back();
  }
  if (parts.size() > 2) return std::nullopt;
  mount.source = parts.front();
  mount.target = parts.back();
  const bool placed = mount.target.starts_with('/') || (parts.size() == 1 && is_from_home(mount.target));
  const bool fresh = mount.source.empty() && parts.size() == 2 && !mount.read_only;
  if (placed && fresh) return mount;
  if (!placed || (!mount.source.starts_with('/') && !is_from_home(mount.source))) return std::nullopt;
  return mount;
}

std::string to_string(const ContainerMount& mount) {
  std::string text = mount.source;
  if (mount.target != mount.source) text += ":" + mount.target;
  return text + (mount.read_only ? ":ro" : "");
}

bool is_image_path(std::string_view image) {
  return image.starts_with('/') || image.starts_with("./") || image.starts_with("../") || is_from_home(image);
}

std::string_view to_string(ContainerProgram value) {
  switch (value) {
    case ContainerProgram::automatic: return "auto";
    case ContainerProgram::podman: return "podman";
    case ContainerProgram::docker: return "docker";
    case ContainerProgram::apptainer: return "apptainer";
    case ContainerProgram::enroot: return "enroot";
  }
  return "auto";
}

std::vector<std::string> program_files(ContainerProgram program) {
  switch (program) {
    case ContainerProgram::automatic: return {"podman", "docker", "apptainer", "singularity", "enroot"};
    case ContainerProgram::apptainer: return {"apptainer", "singularity"};
    default: return {std::string(to_string(program))};
  }
}

}  // namespace muster
