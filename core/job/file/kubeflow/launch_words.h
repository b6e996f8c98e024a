// SPDX-License-Identifier: Apache-2.0
// Takes torchrun in commands of manifests apart: `torchrun --nproc-per-node 2 train.py`. muster starts its processes
// itself, as ranks. Pure. Private to core/job/file/kubeflow.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/job/document/yaml_document.h"

namespace muster {

// Whether the words start mpirun or mpiexec.
bool starts_mpirun(const std::vector<YamlNode>& words);

// The command that a shell would run, if the words are `sh -c TEXT` and TEXT only starts torchrun, Python or mpirun; else
// the words themselves.
std::vector<YamlNode> without_shell(std::vector<YamlNode> words);

std::vector<std::string> texts_of(const std::vector<YamlNode>& words);

struct Launch {
  std::vector<YamlNode> program;
  std::map<std::string, YamlNode> flags;  // by name: "nproc-per-node", "max-restarts"
  bool passes_local_rank = false;         // torch.distributed.launch adds --local-rank=N to the arguments
};

enum class TorchrunFlag { used, without_effect };  // used: muster reads it, or does the same by itself

// The treatment of the flag with this full name; nullopt: muster does not know the flag.
std::optional<TorchrunFlag> torchrun_flag(std::string_view name);

// Flags have their full torch names with dashes. As torchrun, accepts a beginning of a name that only one flag has. `python` starts the script, or the Python beside a torchrun with a path. nullopt: the words start something else.
std::optional<Launch> torchrun_launch(const std::vector<YamlNode>& words, const std::string& python);

}  // namespace muster
