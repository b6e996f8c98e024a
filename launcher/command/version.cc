// SPDX-License-Identifier: Apache-2.0
#include "core/client/view/json.h"
#include "launcher/cli/output_format.h"
#include "launcher/command/commit.h"
#include "launcher/command/table.h"

#ifndef MUSTER_BUILD_KIND
#define MUSTER_BUILD_KIND "unknown"
#endif

namespace muster {

int version_main(CommandContext& context, const std::vector<std::string>& arguments) {
  std::string format = "text";
  std::vector<std::string> none;
  CommandLine line("version [flags]", "Prints the version of this program and the commit that it was built from.",
                   "muster version -o json");
  line.words("nothing", 0, 0, none);
  declare_format(line, format);
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  const VersionFacts facts{
      .version = context.caller.version, .commit = kCommit, .compiler = "gcc " __VERSION__, .build = MUSTER_BUILD_KIND};
  if (is_document(format)) {
    print_document(context.screen, format, version_json(facts));
    return exit_ok;
  }
  std::string more = facts.commit.empty() ? "" : " (commit " + facts.commit + ")";
  if (format == "wide") more += " (" + facts.build + ", " + facts.compiler + ")";
  context.screen.out(format == "name" ? facts.version + "\n" : "muster " + facts.version + more + "\n");
  return exit_ok;
}

}  // namespace muster
