// SPDX-License-Identifier: Apache-2.0
// Any command line of mpirun, appfile and host file is read, or refused with a message.
#include <cstddef>
#include <cstdint>

#include "core/base/check.h"
#include "core/base/text.h"
#include "core/job/mpirun/mpirun_line.h"
#include "launcher/mpirun/mpirun_layout.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace muster;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::vector<std::string> words = split(text, '\n');
  const MpirunLine line = parse_mpirun(words);
  MUSTER_CHECK(!line.problem || !line.problem->message.empty());
  const MpirunLine apps = with_appfile(MpirunFlags(), text, "apps");
  MUSTER_CHECK(apps.problem || !apps.flags.apps.empty());
  std::vector<MpirunHost> listed;
  static_cast<void>(add_host_file(text, "hosts", listed));
  for (const MpirunLine* each : {&line, &apps}) {
    if (each->problem || each->flags.apps.empty()) continue;
    MpirunFacts facts;
    facts.here = {.cores = 4, .threads = 8, .sockets = 2, .numa_nodes = 2};
    const auto layout = mpirun_layout(each->flags, {}, facts);
    MUSTER_CHECK(layout.problem || !layout.parts.empty());
    for (const MpirunPart& part : layout.parts) MUSTER_CHECK(part.ranks > 0 && part.app < each->flags.apps.size());
  }
  return 0;
}
