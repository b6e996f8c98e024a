// JobSecrets ↔ the text of the job's private file (0600). The only place where a secret is written down.
#pragma once

#include <string>
#include <string_view>

#include "core/attempt/assignment.h"

namespace muster {

inline constexpr const char* kSecretsFile = "environment";

std::string encode_secrets(const JobSecrets& secrets);
// data_loss when the text is not ours.
Result<JobSecrets> decode_secrets(std::string_view text);

}  // namespace muster
