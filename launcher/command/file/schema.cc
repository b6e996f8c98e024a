// SPDX-License-Identifier: Apache-2.0
// muster schema: prints the JSON Schemas of muster's files, for editors.
#include "core/client/view/json.h"
#include "core/job/file/job_schema.h"
#include "launcher/cli/command.h"
#include "launcher/cli/output_format.h"

namespace muster {
namespace {

SchemaKind kind_of(const std::string& word) {
  if (word == "config") return SchemaKind::config;
  return word == "runtime" ? SchemaKind::runtime : SchemaKind::job;
}

}  // namespace

int schema_main(CommandContext& context, const std::vector<std::string>& arguments) {
  std::string what = "job";
  std::string format = "text";
  std::vector<std::string> none;
  CommandLine line("schema [job|config|runtime] [flags]",
                   "Prints a JSON Schema (2020-12) for job files, for editors and other programs.",
                   "muster schema job > muster-job.schema.json");
  line.verbs({{"job", "", "for a job file (the default)", ""},
              {"config", "", "for muster.yaml, the defaults of all jobs", ""},
              {"runtime", "", "for a runtime, a template of job files", ""}},
             what)
      .words("no further arguments", 0, 0, none)
      .note(
          "An editor with a YAML language server checks and completes a job file with this first line:\n"
          "# yaml-language-server: $schema=muster-job.schema.json");
  declare_document_format(line, format);
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  const std::string schema = schema_json(kind_of(what));
  if (is_document(format)) {
    print_document(context.screen, format, schema);
  } else {
    context.screen.out(pretty_json(schema));
  }
  return exit_ok;
}

}  // namespace muster
