// muster schema: the JSON Schema of the files people write, for their editors.
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
                   "Prints the JSON Schema (2020-12) of a job file, for editors and for programs that write them.",
                   "muster schema job > muster-job.schema.json");
  line.verbs({{"job", "", "of a job file", ""},
              {"config", "", "of muster.yaml, the defaults of all jobs", ""},
              {"runtime", "", "of a template in a folder of runtimes", ""}},
             what)
      .words("no more words", 0, 0, none)
      .note(
          "An editor with a YAML language server checks and completes a file whose first line is  "
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
