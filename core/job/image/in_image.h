// SPDX-License-Identifier: Apache-2.0
// The key `in_image` of a job file, as plain values: the container image in which ranks run on this machine and on hosts over ssh.
// Pods have their image in kubernetes_spec.h. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

// The program that opens the image on a node. automatic: the first one that is there, in this order.
enum class ContainerProgram { automatic, podman, docker, apptainer, enroot };

// A folder or file of the node that ranks see in the image.
struct ContainerMount {
  std::string source;  // absolute, or from ~
  std::string target;  // absolute
  bool read_only = false;
  bool operator==(const ContainerMount&) const = default;
};

struct InImageSpec {
  std::string
      image;  // a name for the program, or the path of a file or folder on the node; empty: ranks run on the host
  ContainerProgram program = ContainerProgram::automatic;
  std::vector<std::string> mounts;  // as written: SOURCE, SOURCE:TARGET or SOURCE:TARGET:ro
  // Texts by absolute path, below the target of a mount without a source. One that begins with "#!" can be executed.
  std::map<std::string, std::string> files;
  bool operator==(const InImageSpec&) const = default;
};

// nullopt: not an absolute path (or one from ~), or the target is not absolute. Without a target, it is the source.
std::optional<ContainerMount> mount_of(std::string_view text);
// The same as a text for mount_of().
std::string to_string(const ContainerMount& mount);

// Whether the image is a file or folder of the node and not a name: /images/train.sif, ./train.sif, ~/train.sif.
bool is_image_path(std::string_view image);

// "auto", "podman", …
std::string_view to_string(ContainerProgram value);
// The names under which the program may be installed, the first that is there counts; of `automatic`: of all programs.
std::vector<std::string> program_files(ContainerProgram program);

}  // namespace muster
