// The JSON Schema (2020-12) of the files people write, from the table by which they are read (job_keys.h): for editors and
// for programs that write such files. What only a schema cannot say (that a group's name is taken, that a job has a
// command) is left to `muster validate`. Pure.
#pragma once

#include <string>

namespace muster {

// job: a job file. config: muster.yaml. runtime: a template in a folder of runtimes.
enum class SchemaKind { job, config, runtime };

// One line of JSON, without its end.
std::string schema_json(SchemaKind kind);

}  // namespace muster
