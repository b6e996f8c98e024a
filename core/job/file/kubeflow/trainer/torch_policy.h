// SPDX-License-Identifier: Apache-2.0
// The variables by which torchrun and its processes know their place. Pure. Private to core/job/file/kubeflow.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace muster {

// The variables that the controllers of Kubeflow set in pods for torchrun, as templates of `custom` for a command that
// runs once in each pod. `index`: the template of the pod's number.
std::map<std::string, std::string> torchrun_variables(std::string_view index);

// Whether Trainer's torch policy sets this variable in each pod. Trainer refuses a TrainJob that sets it too.
bool is_set_by_torch_policy(std::string_view variable);

// Whether torchrun gives its processes this variable, which says their place.
bool is_of_torchrun(std::string_view variable);

}  // namespace muster
