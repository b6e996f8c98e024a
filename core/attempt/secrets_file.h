// SPDX-License-Identifier: Apache-2.0
// Converts JobSecrets to and from the text of the job's private file (0600), the only file that contains secrets.
#pragma once

#include <string>
#include <string_view>

#include "core/attempt/assignment.h"
#include "core/port/job_store.h"

namespace muster {

inline constexpr const char* kSecretsFile = "environment";

std::string encode_secrets(const JobSecrets& secrets);
// data_loss: the text is damaged.
Result<JobSecrets> decode_secrets(std::string_view text);

// Empties the file of a job that has ended. Ok if the job or the file does not exist.
Status empty_secrets(PrivateFileStore& store, const JobId& job);

}  // namespace muster
