// SPDX-License-Identifier: Apache-2.0
// Tests of all commands: help with an example, errors for unknown flags, and the style of messages.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "core/base/text.h"
#include "launcher/command/table.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

struct Answer {
  int exit_code = 0;
  std::string out;
  std::string err;
};

std::string drained(FILE* file) {
  std::string text(static_cast<size_t>(lseek(fileno(file), 0, SEEK_END)), '\0');
  EXPECT_EQ(pread(fileno(file), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  std::fclose(file);
  return text;
}

// Commands write to descriptors 1 and 2, so these are redirected to files.
Answer answer_of(const Command& command, const std::vector<std::string>& arguments) {
  FILE* out = std::tmpfile();
  FILE* err = std::tmpfile();
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    dup2(fileno(out), STDOUT_FILENO);
    dup2(fileno(err), STDERR_FILENO);
    const CallerContext caller;
    FdScreen screen;
    CommandContext context{caller, screen};
    _exit(command.main(context, arguments));
  }
  int status = 0;
  waitpid(child, &status, 0);
  return {WEXITSTATUS(status), drained(out), drained(err)};
}

// Without serve and agent, which other tests cover, and help.
std::vector<Command> commands_for_people() {
  std::vector<Command> commands = all_commands();
  std::erase_if(commands, [](const Command& c) { return c.name == "serve" || c.name == "agent" || c.name == "help"; });
  return commands;
}

TEST(Help, EveryCommandHasOneWithAnExampleOfItself) {
  for (const Command& command : commands_for_people()) {
    const Answer answer = answer_of(command, {"--help"});
    EXPECT_EQ(answer.exit_code, exit_ok) << command.name;
    EXPECT_EQ(answer.err, "") << command.name;
    EXPECT_NE(answer.out.find("usage: muster " + command.name), std::string::npos) << answer.out;
    const size_t example = answer.out.find("\nexample:\n");
    ASSERT_NE(example, std::string::npos) << command.name;
    EXPECT_NE(answer.out.find("muster " + command.name, example), std::string::npos) << answer.out;
  }
}

TEST(Help, FitsAWindowOf80Columns) {
  const auto& commands = all_commands();
  const auto help = std::find_if(commands.begin(), commands.end(), [](const Command& c) { return c.name == "help"; });
  std::vector<std::string> texts{answer_of(*help, {}).out};
  for (const Command& command : commands_for_people()) texts.push_back(answer_of(command, {"--help"}).out);
  for (const std::string& text : texts) {
    for (const std::string& line : split(text, '\n')) EXPECT_LE(display_width(line), 80u) << line;
  }
}

TEST(Explain, FitsAWindowOf80Columns) {
  const auto commands = all_commands();
  const auto command =
      std::find_if(commands.begin(), commands.end(), [](const Command& c) { return c.name == "explain"; });
  for (const std::string& entry : split(answer_of(*command, {}).out, '\n')) {
    if (entry.empty()) continue;
    const std::string code = entry.substr(0, 5);
    const std::string text = answer_of(*command, {code.substr(1)}).out;
    EXPECT_TRUE(text.starts_with(code)) << text;
    for (const std::string& line : split(text, '\n')) EXPECT_LE(display_width(line), 80u) << line;
  }
}

TEST(Help, EveryCommandRefusesWhatItDoesNotKnow) {
  for (const Command& command : commands_for_people()) {
    const Answer answer = answer_of(command, {"--halp"});
    const int code = command.name == "mpirun" ? 1 : exit_usage;  // of mpirun itself
    EXPECT_EQ(answer.exit_code, code) << command.name;
    EXPECT_EQ(answer.out, "") << command.name;
    EXPECT_NE(answer.err.find("unknown flag `--halp`; did you mean `--help`?"), std::string::npos) << answer.err;
  }
}

TEST(Help, CommandsThatWantAJobSayWhereToFindOne) {
  for (const Command& command : commands_for_people()) {
    const bool wants_one =
        answer_of(command, {"--help"}).out.find("usage: muster " + command.name + " JOB") != std::string::npos;
    if (!wants_one || command.name == "rm" || command.name == "diff") continue;
    EXPECT_NE(answer_of(command, {}).err.find("needs a job (muster ps lists them; @last is the newest)\n"),
              std::string::npos)
        << command.name;
  }
}

std::vector<fs::path> sources() {
  std::vector<fs::path> paths;
  for (const char* folder : {"launcher", "core/client", "backends/kubernetes/cluster", "backends/kubernetes/doctor"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(MUSTER_SOURCE_DIR) / folder)) {
      const std::string name = entry.path().filename().string();
      const bool theirs = name == "kubectl_words.cc";  // it has the messages of kubectl, to recognize them
      if (name.ends_with(".cc") && !name.ends_with("_test.cc") && !theirs) paths.push_back(entry.path());
    }
  }
  return paths;
}

// docs/design/style.md: messages do not blame, beg or shout, and have content.
TEST(MessageStyle, WordsThatSayNothingAreNotSaid) {
  const std::regex texts(R"re("((?:[^"\\\n]|\\.)*)")re");
  const std::regex hollow(R"re(error occurred|oops|sorry|please|unfortunately|something went wrong|)re"
                          R"re(failed to |invalid |illegal |[a-z]!(\s|$))re",
                          std::regex::icase);
  for (const fs::path& path : sources()) {
    std::ifstream file(path);
    size_t number = 0;
    for (std::string line; std::getline(file, line);) {
      ++number;
      if (line.starts_with("#include")) continue;
      for (std::sregex_iterator text(line.begin(), line.end(), texts), end; text != end; ++text) {
        EXPECT_FALSE(std::regex_search((*text)[1].str(), hollow)) << path << ":" << number << ": " << (*text)[1];
      }
    }
  }
}

struct ErrorSource {
  std::string sentence;  // its literals put together
  std::string call;      // with what else makes it, such as `did_you_mean(…)`
};

// Each Status of one source that is an error.
std::vector<ErrorSource> errors_of(const fs::path& path) {
  std::stringstream stream;
  stream << std::ifstream(path).rdbuf();
  const std::string text = stream.str();
  const std::regex begins(R"re((?:Status\(|\{)Code::(?!ok|cancelled|aborted)\w+,)re");
  const std::regex literals(R"re("((?:[^"\\\n]|\\.)*)")re");
  std::vector<ErrorSource> errors;
  for (std::sregex_iterator at(text.begin(), text.end(), begins), end; at != end; ++at) {
    const size_t first = static_cast<size_t>(at->position() + at->length());
    const std::string call = text.substr(first, text.find(";\n", first) - first);
    std::string sentence;
    for (std::sregex_iterator part(call.begin(), call.end(), literals), last; part != last; ++part)
      sentence += (*part)[1].str();
    if (!sentence.empty()) errors.push_back({sentence, call});
  }
  return errors;
}

// An error message ends with a next step: a fix after `;`, a command, or the expected value.
TEST(MessageStyle, ErrorsEndWithANextStep) {
  const std::regex way_on(
      R"re(; |muster |wants |needs |--|-n |apt-get|names? |has no |has \w+ |cd to|counts down|was not|)re"
      R"re(hint|meant|as_program|did_you_mean)re");
  size_t seen = 0;
  for (const fs::path& path : sources()) {
    const std::string text = path.string();
    if (text.find("/launcher/command/") == std::string::npos && text.find("/submission/") == std::string::npos)
      continue;
    // The reason why a secret has no value is printed below a diagnostic, which has an error code.
    if (path.filename() == "secrets.cc") continue;
    for (const auto& [sentence, call] : errors_of(path)) {
      ++seen;
      EXPECT_TRUE(std::regex_search(call, way_on)) << path << ": " << sentence;
      EXPECT_FALSE(sentence.ends_with('.')) << path << ": " << sentence;
      const bool shouts = std::isupper(static_cast<unsigned char>(sentence[0])) != 0 &&
                          !std::isupper(static_cast<unsigned char>(sentence[1]));
      EXPECT_FALSE(shouts) << path << ": " << sentence;
    }
  }
  EXPECT_GT(seen, 30u);
}

}  // namespace
}  // namespace muster
