// The folder of one run below --log-dir, as torchrun lays it out: <log-dir>/<run id>_<random>, with attempt_<restart>/<local
// rank> in it. Made here, filled by the ranks.
#pragma once

#include <optional>
#include <string>

#include "core/base/result.h"

namespace muster {

// Makes a new one; absolute. Without `log_dir` it is below a new torchelastic_<random> in `temporary`. Fails with
// invalid_argument when that is not a folder, or cannot be made.
Result<std::string> make_log_folder(const std::optional<std::string>& log_dir, const std::string& run_id,
                                    const std::string& temporary, const std::string& workdir);

}  // namespace muster
