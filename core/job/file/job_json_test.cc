// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "core/base/random.h"
#include "core/job/file/validate.h"

namespace muster {
namespace {

// Generates unusual, but valid specs. A failure can be repeated with its seed.
class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  JobSpec job() {
    JobSpec spec;
    if (chance()) spec.name = name();
    spec.framework = static_cast<Framework>(random_.below(6));
    spec.world = static_cast<World>(random_.below(2));
    spec.backend = static_cast<BackendKind>(random_.below(3));
    const uint64_t groups = 1 + random_.below(3);
    for (uint64_t i = 0; i < groups; ++i) spec.groups.push_back(group("g" + std::to_string(i)));
    spec.workdir = text(1);
    if (chance()) spec.sync = {chance(), random_.next() >> (1 + random_.below(63))};
    if (chance()) spec.setup = {{"make", text(4)}, {text(3)}};
    if (chance()) spec.python.venv = ".venv" + text(2);
    if (chance()) spec.outputs = {"a" + text(1), "checkpoints"};
    spec.env = env();
    for (uint64_t i = random_.below(4); i > 0; --i) spec.labels[plain(1)] = plain(0);
    spec.restarts = restarts();
    spec.warm = warm();
    spec.timeouts = {duration(), duration(), duration(), duration(), duration(), duration()};
    spec.leftovers = static_cast<LeftoverAction>(random_.below(2));
    spec.hangs = {static_cast<HangAction>(random_.below(3)), duration() + std::chrono::seconds(1), chance()};
    spec.logs.max_bytes = random_.next() >> (1 + random_.below(63));
    spec.store = static_cast<StoreHost>(random_.below(3));
    spec.torch = {text(0),
                  text(0),
                  random_.below(2) == 0,
                  random_.below(2) == 0,
                  static_cast<LocalRankForm>(random_.below(3)),
                  static_cast<NumaBinding>(random_.below(5))};
    if (spec.framework == Framework::custom) spec.custom["NAME"] = "${rank} $$ #: of";
    if (spec.framework == Framework::custom && chance()) spec.service = {"./server", "${master_port} $$" + plain(1)};
    if (chance()) spec.tty_rank = 0;
    return spec;
  }

 private:
  bool chance() { return random_.below(2) == 0; }

  std::string name() {
    std::string made(1, static_cast<char>('a' + random_.below(26)));
    for (uint64_t i = random_.below(38); i > 0; --i) made += "az09-"[random_.below(5)];
    return made + "z";
  }

  // Characters that are special in YAML, JSON or a terminal.
  std::string text(size_t least) {
    static const std::vector<std::string> kPieces = {"a",
                                                     " ",
                                                     "\n",
                                                     "\r",
                                                     "\r\n",
                                                     "\t",
                                                     "\x01",
                                                     "\x7f",
                                                     "\xC2\x85",
                                                     "\xE2\x80\xA8",
                                                     "\xEF\xBB\xBF",
                                                     "😀",
                                                     "ä",
                                                     "\"",
                                                     "'",
                                                     "\\",
                                                     "\\n",
                                                     "#",
                                                     ": ",
                                                     "- ",
                                                     "{",
                                                     "}",
                                                     "[",
                                                     "]",
                                                     ",",
                                                     "&a",
                                                     "*a",
                                                     "!",
                                                     "|",
                                                     ">",
                                                     "%",
                                                     "@",
                                                     "`",
                                                     "no",
                                                     "~",
                                                     "null",
                                                     "010",
                                                     "\xEF\xBF\xBF",
                                                     "\xF4\x8F\xBF\xBF",
                                                     "---",
                                                     "...",
                                                     "<<",
                                                     "$(x)",
                                                     "\x1b[2J"};
    std::string made;
    for (uint64_t i = least + random_.below(8); i > 0; --i) made += kPieces[random_.below(kPieces.size())];
    return made;
  }

  // text() without control characters.
  std::string plain(size_t least) {
    std::string made = text(least);
    std::erase_if(made, [](unsigned char c) { return c < 0x20 || c == 0x7F; });
    return made.size() < least ? "x" : made;
  }

  std::map<std::string, EnvValue> env() {
    std::map<std::string, EnvValue> made;
    for (uint64_t i = random_.below(5); i > 0; --i) {
      std::string key = plain(1);
      std::erase(key, '=');
      EnvValue value{text(0), std::nullopt};
      if (chance())
        value = EnvValue{"", SecretSource{static_cast<SecretSource::Kind>(random_.below(3)), "X" + plain(0), chance()}};
      made[key] = value;
    }
    return made;
  }

  GroupSpec group(std::string name) {
    GroupSpec made;
    made.name = std::move(name);
    made.min_nodes = 1 + static_cast<uint32_t>(random_.below(100));
    made.max_nodes = made.min_nodes + static_cast<uint32_t>(random_.below(3));
    made.workers = chance() ? AutoCount{true, 0} : AutoCount{false, 1 + static_cast<uint32_t>(random_.below(64))};
    made.worker.gpus = chance() ? AutoCount{true, 0} : AutoCount{false, static_cast<uint32_t>(random_.below(9))};
    made.worker.cpus = static_cast<uint32_t>(random_.below(65));
    made.worker.memory_bytes = random_.next() >> (1 + random_.below(63));
    made.command.push_back("./" + text(0));
    for (uint64_t i = random_.below(6); i > 0; --i) made.command.push_back(text(0));
    made.env = env();
    made.success = static_cast<SuccessRule>(random_.below(2));
    return made;
  }

  Duration duration() {
    return Duration(static_cast<int64_t>(random_.below(3'600'000'000'000'000) >> random_.below(52)));
  }

  std::vector<FailureRule> rules(int least) {
    std::vector<FailureRule> made;
    for (uint64_t i = random_.below(3); i > 0; --i) {
      const auto kind = static_cast<FailureRule::Kind>(random_.below(2));
      made.push_back({kind, least + static_cast<int>(random_.below(32)), "", chance() ? "g0" : ""});
    }
    if (least == 1 && chance()) made.push_back({FailureRule::Kind::oom});
    if (least == 1 && chance()) made.push_back({FailureRule::Kind::message, 0, "x" + plain(1) + "*y"});
    if (least == 33 && chance()) made.push_back({FailureRule::Kind::exception, 0, "torch.OutOfMemoryError", ""});
    return made;
  }

  WarmSpec warm() {
    const auto mode = static_cast<WarmSpec::Mode>(random_.below(4));
    if (mode != WarmSpec::Mode::modules) return {mode, {}};
    return {mode, {"torch", "my_pkg.sub" + std::to_string(random_.below(10))}};
  }

  RestartSpec restarts() {
    RestartSpec made;
    made.limit = static_cast<uint32_t>(random_.below(1'000'001));
    if (made.limit > 0) made.window = duration();
    made.crash_loop = static_cast<uint32_t>(random_.below(1'000'001));
    made.first_backoff = duration();
    made.min_backoff = duration();
    made.max_backoff = made.min_backoff + duration();
    made.grace = duration();
    made.never_on = rules(1);
    made.always_on = rules(33);
    if (made.limit == 0 && made.always_on.empty() && chance()) made.mode = RestartMode::none;
    return made;
  }

  Random random_;
};

TEST(JobJson, EverySpecReadsBackAsItself) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    const JobSpec spec = Generator(seed).job();
    const auto problems = validate(spec, "generated");
    ASSERT_TRUE(problems.empty()) << "seed " << seed << "\n" << render_diagnostics(problems, "", false);
    const std::string json = spec_to_json(spec);
    const ParsedJob again = parse_job(json, "job.json");
    ASSERT_TRUE(again.diagnostics.empty()) << "seed " << seed << "\n"
                                           << render_diagnostics(again.diagnostics, json, false);
    ASSERT_EQ(again.spec, spec) << "seed " << seed << "\n" << json << "\n" << spec_to_json(again.spec);
    ASSERT_EQ(parse_job_json(json, "job.json").spec, spec) << "seed " << seed << "\n" << json;
  }
}

TEST(JobJson, WhatIsNoJsonIsRefusedInOneMessage) {
  for (const std::string text : {"", "{", "[1]", "command: [true]", "{\"name\":nan}", "{\"a\":1}{\"b\":2}"}) {
    const ParsedJob parsed = parse_job_json(text, "the submitted job");
    EXPECT_TRUE(has_errors(parsed.diagnostics)) << text;
  }
  const ParsedJob deep = parse_job_json(std::string(100'000, '['), "the submitted job");
  EXPECT_EQ(deep.diagnostics.size(), 1U);
}

TEST(JobJson, IsOneLine) {
  JobSpec spec = Generator(7).job();
  EXPECT_EQ(spec_to_json(spec).find('\n'), std::string::npos);
}

}  // namespace
}  // namespace muster
