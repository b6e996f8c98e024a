// SPDX-License-Identifier: Apache-2.0
// The folder of one run below --log-dir, with torchrun's layout: <log-dir>/<run id>_<random>, which contains
// attempt_<restart>/<local rank>. Only the folder is created here.
#pragma once

#include <optional>
#include <string>

#include "core/base/result.h"

namespace muster {

// Creates a new folder and returns its absolute path. Without `log_dir` it is below a new torchelastic_<random> in `temporary`.
// invalid_argument: the path is not a folder, or cannot be created.
Result<std::string> make_log_folder(const std::optional<std::string>& log_dir, const std::string& run_id,
                                    const std::string& temporary, const std::string& workdir);

}  // namespace muster
