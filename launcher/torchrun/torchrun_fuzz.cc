// SPDX-License-Identifier: Apache-2.0
// Any torchrun command line is parsed and checked, or refused with a message.
#include <cstddef>
#include <cstdint>

#include "core/base/check.h"
#include "core/base/text.h"
#include "launcher/torchrun/settings.h"
#include "launcher/torchrun/torchrun_line.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace muster;
  const std::vector<std::string> words = split(std::string(reinterpret_cast<const char*>(data), size), '\n');
  // The last word is a variable of the environment.
  const std::vector<std::string> arguments(words.begin(), words.end() - 1);
  const size_t equals = words.back().find('=');
  const std::map<std::string, std::string> environment = {
      {"PET_" + words.back().substr(0, equals), equals == std::string::npos ? "1" : words.back().substr(equals + 1)}};
  const TorchrunLine line = parse_torchrun(arguments, environment);
  MUSTER_CHECK((line.kind == TorchrunLine::Kind::wrong) == !line.wrong.empty());
  if (line.kind != TorchrunLine::Kind::run) return 0;
  const TorchrunFacts facts{.environment = environment, .cpus = 4, .gpus = [] { return 2u; }, .seed = 1};
  const auto settings = settle_torchrun(line.flags, facts);
  MUSTER_CHECK(settings.ok() || !settings.status().message().empty());
  if (!settings.ok()) return 0;
  MUSTER_CHECK(settings->ranks > 0);
  if (!settings->meeting) return 0;
  MUSTER_CHECK(settings->meeting->nodes.most > 1 && settings->meeting->nodes.least <= settings->meeting->nodes.most);
  MUSTER_CHECK(settings->meeting->port != 0);
  return 0;
}
