// Every command has a help with an example, and says what it does not know; and all words of the launcher keep
// the tone of the house.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "core/base/text.h"
#include "launcher/command/command.h"

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

// Commands write to descriptors, so they get those of files.
Answer answer_of(const Command& command, const std::vector<std::string>& arguments) {
  FILE* out = std::tmpfile();
  FILE* err = std::tmpfile();
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    dup2(fileno(out), STDOUT_FILENO);
    dup2(fileno(err), STDERR_FILENO);
    const Surroundings surroundings;
    FdScreen screen;
    CommandContext context{surroundings, screen};
    _exit(command.main(context, arguments));
  }
  int status = 0;
  waitpid(child, &status, 0);
  return {WEXITSTATUS(status), drained(out), drained(err)};
}

// serve and agent are not for people; their mains are tested where they are wired.
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
  std::vector<std::string> texts{answer_of(all_commands().back(), {}).out};
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
    EXPECT_EQ(answer.exit_code, exit_usage) << command.name;
    EXPECT_EQ(answer.out, "") << command.name;
    EXPECT_NE(answer.err.find("unknown flag `--halp`; did you mean `--help`?"), std::string::npos) << answer.err;
  }
}

TEST(Help, CommandsThatWantAJobSayWhereToFindOne) {
  for (const Command& command : commands_for_people()) {
    const bool wants_one =
        answer_of(command, {"--help"}).out.find("usage: muster " + command.name + " JOB") != std::string::npos;
    if (!wants_one || command.name == "rm") continue;
    EXPECT_NE(answer_of(command, {}).err.find("wants a job (muster ps lists them; @last is the last one)\n"),
              std::string::npos)
        << command.name;
  }
}

std::vector<fs::path> sources() {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(MUSTER_SOURCE_DIR) / "launcher")) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".cc") && !name.ends_with("_test.cc")) paths.push_back(entry.path());
  }
  return paths;
}

// UX.md, "Tone": nothing that blames, begs, shouts or says nothing.
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

}  // namespace
}  // namespace muster
