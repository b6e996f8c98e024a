// SPDX-License-Identifier: Apache-2.0
#include "core/agent/container/container_command.h"

#include <algorithm>
#include <array>
#include <set>

#include "core/base/short_hash.h"
#include "core/base/text.h"
#include "core/job/variable_names.h"

namespace muster {
namespace {

using Words = std::vector<std::string>;
using enum ContainerProgram;

constexpr size_t kHashDigits = 8;

// Built-in commands of a shell only, because an image may have no other programs. With the pid namespace of the host, $$ is the pid that
// the agent sees.
std::string keeper_script() { return std::string("echo ") + kContainerOpen + " $$; while read -r line; do :; done"; }

// The name of the container is the last word: so the agent recognizes the process.
Words keeper(const ContainerOrder& order) { return {"-c", keeper_script(), order.name}; }

// Puts an image into file $1, which container $2 needs. Another job never sees half of the file.
constexpr const char* kFetch = R"(file=$1 part=$1.$2.part; shift 2
mkdir -p -- "${file%/*}" && "$@" && mv -f -- "$part" "$file" || { code=$?; rm -f -- "$part"; exit $code; })";

// Removes folder $1, and its parent if that is empty.
constexpr const char* kDiscard = R"(rm -rf -- "$1" || exit; rmdir -- "${1%/*}" 2>/dev/null; exit 0)";

void add(Words& words, const Words& more) { words.insert(words.end(), more.begin(), more.end()); }

std::string from_home(const std::string& path, const std::string& home) {
  return path == "~" || path.starts_with("~/") ? home + path.substr(1) : path;
}

// The file or folder that the job names; empty: it names no path.
std::string image_path(const ContainerOrder& order) {
  const std::string& image = order.task.image;
  if (!is_image_path(image)) return "";
  const std::string path = from_home(image, order.place.home);
  return path.starts_with('/') ? path : order.workdir + "/" + path;
}

bool is_registry(const std::string& part) {
  return part == "localhost" || part.find_first_of(".:") != std::string::npos;
}

bool has_scheme(const std::string& image) { return image.find("://") != std::string::npos; }

// "docker://pytorch/pytorch:2.5" → "pytorch/pytorch:2.5", as podman and docker name it.
std::string plain_name(const std::string& image) {
  constexpr std::string_view kDocker = "docker://";
  return image.starts_with(kDocker) ? image.substr(kDocker.size()) : image;
}

// Podman pulls a name without a registry only if the machine's configuration names registries to search; docker takes Docker Hub.
std::string full_name(const std::string& image) {
  const std::string name = plain_name(image);
  if (has_scheme(name)) return name;
  const size_t slash = name.find('/');
  if (slash == std::string::npos) return "docker.io/library/" + name;
  return is_registry(name.substr(0, slash)) ? name : "docker.io/" + name;
}

std::string image_uri(const std::string& image) { return has_scheme(image) ? image : "docker://" + image; }

// Enroot separates the registry from the image by #: docker://[USER@][REGISTRY#]IMAGE.
std::string enroot_uri(const std::string& image) {
  std::string name = plain_name(image);
  if (has_scheme(name)) return name;
  const size_t slash = name.find('/');
  if (slash != std::string::npos && name.find('#') == std::string::npos && is_registry(name.substr(0, slash)))
    name[slash] = '#';
  return "docker://" + name;
}

// The path of the file into which an image is pulled. The hash differs for a/b and a_b.
std::string image_file(const ContainerOrder& order, const std::string& ending) {
  std::string name = plain_name(order.task.image);
  std::replace_if(
      name.begin(), name.end(), [](char each) { return each == '/' || each == ':' || each == '@' || each == '#'; },
      '_');
  return order.place.cache + "/" + name + "-" + short_hash(order.task.image).substr(0, kHashDigits) + ending;
}

// `program`: the words before the file and `uri`.
void add_pull(ContainerCommands& commands, const ContainerOrder& order, const std::string& file, const Words& program,
              const std::string& uri) {
  Words shown = program;
  add(shown, {file, uri});
  commands.pull_text = join(shown, " ");
  commands.pull = {"/bin/sh", "-c", kFetch, "sh", file, order.name};
  add(commands.pull, program);
  add(commands.pull, {file + "." + order.name + ".part", uri});
}

std::string bind_text(const ContainerMount& mount) {
  return mount.source + ":" + mount.target + (mount.read_only ? ":ro" : "");
}

ContainerCommands engine_commands(const ContainerOrder& order) {
  const ContainerPlace& place = order.place;
  const std::string image = plain_name(order.task.image);
  const bool podman = order.program == ContainerProgram::podman;
  ContainerCommands commands;
  commands.check = podman ? Words{order.path, "image", "exists", image}
                          : Words{order.path, "image", "inspect", "--format", "{{.Id}}", image};
  commands.probe = {order.path, "info"};
  commands.pull = {order.path, "pull", podman ? full_name(image) : image};
  commands.pull_text = join(commands.pull, " ");
  commands.remove = podman ? Words{order.path, "rm", "--force", "--ignore", "--time", "0", order.name}
                           : Words{order.path, "rm", "--force", order.name};
  Words& open = commands.open;
  open = {order.path, "run", "--rm", "--interactive", "--name", order.name, "--pull=never"};
  add(open, {"--pid=host", "--network=host", "--security-opt=label=disable", "--log-driver=none"});
  const std::string user = std::to_string(place.user) + ":" + std::to_string(place.group);
  if (podman && place.user != 0) open.push_back("--userns=keep-id");
  add(open, {"--user", user, "--workdir", "/"});
  open.push_back("--volume=/dev/shm:/dev/shm");
  for (const ContainerMount& mount : container_mounts(order)) open.push_back("--volume=" + bind_text(mount));
  for (const std::string& device : place.devices) open.push_back("--device=" + device);
  const bool gpus = order.task.gpus && place.nvidia;
  if (gpus) add(open, podman ? Words{"--device=nvidia.com/gpu=all"} : Words{"--gpus=all"});
  add(open, {"--entrypoint", "/bin/sh", image});
  add(open, keeper(order));
  return commands;
}

ContainerCommands apptainer_commands(const ContainerOrder& order) {
  const std::string path = image_path(order);
  const std::string file = path.empty() ? image_file(order, ".sif") : path;
  ContainerCommands commands;
  commands.check = {"test", "-e", file};
  if (path.empty()) add_pull(commands, order, file, {order.path, "pull", "--force"}, image_uri(order.task.image));
  Words& open = commands.open;
  open = {order.path, "exec", "--cleanenv", "--no-home", "--no-mount", "cwd,tmp", "--pwd", "/"};
  // A user may join only namespaces that belong to a user namespace of that user.
  if (order.place.user != 0) open.push_back("--userns");
  if (order.task.gpus && order.place.nvidia) open.push_back("--nv");
  for (const ContainerMount& mount : container_mounts(order)) add(open, {"--bind", bind_text(mount)});
  add(open, {file, "/bin/sh"});
  add(open, keeper(order));
  return commands;
}

// fstab fields, colon-separated: SOURCE:TARGET:TYPE:OPTIONS.
std::string fstab_text(const ContainerMount& mount) {
  return mount.source + ":" + mount.target + ":none:rbind,x-create=auto" + (mount.read_only ? ",ro" : "");
}

ContainerCommands enroot_commands(const ContainerOrder& order) {
  const std::string path = image_path(order);
  const std::string file = path.empty() ? image_file(order, ".sqsh") : path;
  ContainerCommands commands;
  commands.check = {"test", "-e", file};
  if (path.empty()) add_pull(commands, order, file, {order.path, "import", "--output"}, enroot_uri(order.task.image));
  Words& open = commands.open;
  open = {order.path, "start"};
  if (order.task.gpus && order.place.nvidia)
    add(open, {"--env", "NVIDIA_VISIBLE_DEVICES=all", "--env", "NVIDIA_DRIVER_CAPABILITIES=all"});
  for (const ContainerMount& mount : container_mounts(order)) add(open, {"--mount", fstab_text(mount)});
  add(open, {file, "/bin/sh"});
  add(open, keeper(order));
  return commands;
}

bool is_below(const std::string& path, const std::string& folder) {
  return path == folder || path.starts_with(folder.ends_with('/') ? folder : folder + "/");
}

// Variables of the container's first process that say something about that process or about its program.
bool is_of_keeper(const std::string& name) {
  static const std::set<std::string> kNames = {"HOSTNAME",  "SHLVL", "PWD", "OLDPWD", "_",
                                               "container", "TERM",  "PS1", "HOME",   "PROMPT_COMMAND"};
  return kNames.contains(name) || name.starts_with("APPTAINER_") || name.starts_with("SINGULARITY_") ||
         name.starts_with("ENROOT_");
}

bool is_of_user(const std::string& name) {
  static const std::set<std::string> kNames = {"TERM",        "TZ",       "USER",       "LOGNAME",  "http_proxy",
                                               "https_proxy", "no_proxy", "HTTP_PROXY", "NO_PROXY", "HTTPS_PROXY"};
  return kNames.contains(name) || is_carried(name);
}

}  // namespace

ContainerCommands container_commands(const ContainerOrder& order) {
  ContainerCommands commands = order.program == apptainer ? apptainer_commands(order)
                               : order.program == enroot  ? enroot_commands(order)
                                                          : engine_commands(order);
  for (const ContainerMount& mount : order.task.mounts) {
    if (!mount.source.empty()) continue;
    if (commands.prepare.empty()) commands.prepare = {"mkdir", "-p"};
    commands.prepare.push_back(order.scratch + mount.target);
    commands.discard = {"/bin/sh", "-c", kDiscard, "sh", order.scratch};
  }
  return commands;
}

std::vector<ContainerMount> container_mounts(const ContainerOrder& order) {
  const ContainerPlace& place = order.place;
  std::vector<ContainerMount> mounts = order.task.mounts;
  for (ContainerMount& mount : mounts) {
    mount.source = mount.source.empty() ? order.scratch + mount.target : from_home(mount.source, place.home);
    mount.target = from_home(mount.target, place.home);
  }
  Words folders = {"/tmp", place.home, order.workdir};
  add(folders, place.folders);
  std::stable_sort(folders.begin(), folders.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  for (const std::string& folder : folders) {
    const auto shows = [&](const ContainerMount& mount) {
      return mount.target == folder || (mount.source == mount.target && is_below(folder, mount.target));
    };
    if (folder.empty() || folder == "/" || std::any_of(mounts.begin(), mounts.end(), shows)) continue;
    mounts.push_back({folder, folder, false});
  }
  // A mount hides what was mounted below its target before.
  std::stable_sort(mounts.begin(), mounts.end(),
                   [](const auto& a, const auto& b) { return a.target.size() < b.target.size(); });
  return mounts;
}

std::vector<ContainerProgram> programs_for(const ContainerTask& task) {
  if (task.program != automatic) return {task.program};
  if (!is_image_path(task.image)) return {podman, docker, apptainer, enroot};
  return {task.image.ends_with(".sqsh") ? enroot : apptainer};
}

std::string unusable(ContainerProgram program, const ContainerTask& task, const ContainerPlace& place) {
  if (program == docker && place.user != 0) return "only root can join the containers of docker";
  if (program == podman && task.gpus && place.nvidia && !place.cdi)
    return "podman needs a CDI file that describes the GPUs. Create it with "
           "`nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml`";
  return "";
}

std::string unmountable(const ContainerOrder& order) {
  const std::string separators = order.program == apptainer ? ":," : order.program == enroot ? ": " : ":";
  for (const ContainerMount& mount : container_mounts(order)) {
    for (const std::string& path : {mount.source, mount.target}) {
      const size_t found = path.find_first_of(separators);
      if (found == std::string::npos) continue;
      return std::string(to_string(order.program)) + " cannot mount " + path + ": its name contains `" + path[found] +
             "`. Use a folder without it";
    }
  }
  return "";
}

std::map<std::string, std::string> container_environment(const std::map<std::string, std::string>& image,
                                                         const std::map<std::string, std::string>& host,
                                                         const ContainerPlace& place) {
  std::map<std::string, std::string> environment;
  for (const auto& [name, value] : image) {
    if (!is_of_keeper(name)) environment[name] = value;
  }
  if (!place.home.empty()) environment["HOME"] = place.home;
  for (const char* name : {"USER", "LOGNAME"}) environment[name] = place.user_name;
  // Packages in the user's home are for the Python of the host.
  environment.emplace("PYTHONNOUSERSITE", "1");
  for (const auto& [name, value] : host) {
    if (is_of_user(name)) environment[name] = value;
  }
  return environment;
}

}  // namespace muster
