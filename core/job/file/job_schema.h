// SPDX-License-Identifier: Apache-2.0
// Generates the JSON Schema (2020-12) of the files that users write, from the table that the reader uses (job_keys.h).
// It is for editors and for programs that write such files. `muster validate` also checks rules that a schema cannot
// express, such as unique names of groups. Pure.
#pragma once

#include <string>

namespace muster {

// job: a job file. config: muster.yaml. runtime: a template in a folder of runtimes.
enum class SchemaKind { job, config, runtime };

// One line of JSON, without a newline.
std::string schema_json(SchemaKind kind);

}  // namespace muster
