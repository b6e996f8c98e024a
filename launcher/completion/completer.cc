// SPDX-License-Identifier: Apache-2.0
#include "launcher/completion/completer.h"

#include <algorithm>

#include "core/base/text.h"
#include "launcher/completion/key_words.h"

namespace muster {
namespace {

using Words = std::vector<std::string>;
using Flag = CommandFacts::Flag;

// The words before the current one, as the command would parse them.
struct Typed {
  Words positional;            // includes the subcommand
  std::vector<bool> used;      // by flag
  const Flag* open = nullptr;  // a flag whose value is the current word
  size_t program = 0;          // index of the first word after `--`; 0: there is no `--`
};

bool has_name(const Flag& flag, const std::string& name) {
  const Words names = split(flag.names, ',');
  return std::find(names.begin(), names.end(), name) != names.end();
}

const Flag* find_flag(const CommandFacts& facts, const std::string& name) {
  for (const Flag& flag : facts.flags) {
    if (has_name(flag, name)) return &flag;
  }
  return nullptr;
}

Typed read_typed(const CommandFacts& facts, const Words& words) {
  Typed typed;
  typed.used.resize(facts.flags.size());
  for (size_t i = 1; i + 1 < words.size(); ++i) {
    const std::string& word = words[i];
    if (typed.open != nullptr) {
      typed.open = nullptr;
    } else if (word == "--" && facts.takes_program) {
      typed.program = i + 1;
      return typed;
    } else if (word.size() > 1 && word[0] == '-') {
      const Flag* flag = find_flag(facts, word.substr(0, word.find('=')));
      if (flag == nullptr) continue;
      typed.used[static_cast<size_t>(flag - facts.flags.data())] = true;
      if (!flag->placeholder.empty() && word.find('=') == std::string::npos) typed.open = flag;
    } else {
      typed.positional.push_back(word);
    }
  }
  return typed;
}

std::string long_name(const Flag& flag) { return split(flag.names, ',').back(); }

// The job among the words, whose ranks and groups can be completed.
std::string job_of(const CommandFacts& facts, const Words& positional) {
  const size_t first = facts.verbs.empty() ? 0 : 1;
  return positional.size() > first ? positional[first] : "@last";
}

// For "0," and ranks 0 to 2: "0,1", "0,2". Completes a list after its last comma.
std::vector<Candidate> listed(const std::vector<Candidate>& words, const std::string& current) {
  const size_t comma = current.rfind(',');
  if (comma == std::string::npos) return words;
  const Words before = split(current.substr(0, comma), ',');
  std::vector<Candidate> list;
  for (const Candidate& word : words) {
    if (std::find(before.begin(), before.end(), word.value) != before.end()) continue;
    list.push_back({current.substr(0, comma + 1) + word.value, word.help});
  }
  return list;
}

std::vector<Candidate> ranks_of(const LiveWords& live, const std::string& job) {
  std::vector<Candidate> words;
  for (const uint32_t rank : live.shape(job).ranks) words.push_back({std::to_string(rank), ""});
  return words;
}

std::vector<Candidate> groups_of(const LiveWords& live, const std::string& job) {
  std::vector<Candidate> words;
  for (const std::string& group : live.shape(job).groups) words.push_back({group, ""});
  return words;
}

std::vector<Candidate> plain(const Words& texts) {
  std::vector<Candidate> words;
  for (const std::string& text : texts) words.push_back({text, ""});
  return words;
}

// KEY=VALUE of --set: the key first, then its choices.
std::vector<Candidate> settings(const std::string& current) {
  const size_t equals = current.find('=');
  std::vector<Candidate> words;
  if (equals == std::string::npos) {
    for (const Candidate& key : key_words()) words.push_back({key.value + "=", key.help});
    return words;
  }
  for (const Candidate& choice : key_choices(current.substr(0, equals)))
    words.push_back({current.substr(0, equals + 1) + choice.value, ""});
  return words;
}

// The jobs that a command accepts: live, queued, ended or all.
JobChoice jobs_for(const std::string& command) {
  static const Words live{"stop", "kill", "attach", "exec", "top"};
  static const Words queued{"hold", "release", "move"};
  if (std::find(live.begin(), live.end(), command) != live.end()) return JobChoice::live;
  if (std::find(queued.begin(), queued.end(), command) != queued.end()) return JobChoice::queued;
  return command == "rm" ? JobChoice::ended : JobChoice::all;
}

Completion value_of(const Flag& flag, const KnownCommand& command, const Typed& typed, const std::string& current,
                    const LiveWords& live) {
  const CommandFacts facts = command.facts();
  const std::string name = long_name(flag);
  const std::string& shown = flag.placeholder;
  if (!flag.choices.empty()) return {plain(flag.choices)};
  if (name == "--set") return {settings(current)};
  if (name == "--env") return {plain(live.variables())};
  if (name == "--runtime") return {live.runtimes()};
  if (name.starts_with("--rank") || shown == "RANK" || shown == "R,…")
    return {listed(ranks_of(live, job_of(facts, typed.positional)), current)};
  if (name.starts_with("--group") || shown == "GROUP")
    return {listed(groups_of(live, job_of(facts, typed.positional)), current)};
  if (shown == "JOB") return {live.jobs(jobs_for(command.name))};
  if (shown == "FOLDER") return {{}, ShellPart::folders};
  if (shown == "FILE" || shown == "PATH") return {{}, ShellPart::files};
  return {key_choices(name.starts_with("--") ? name.substr(2) : name)};
}

std::vector<Candidate> names_of(const std::vector<KnownCommand>& commands) {
  std::vector<Candidate> words;
  for (const KnownCommand& command : commands) words.push_back({command.name, command.summary});
  return words;
}

// `noun`: the name of the words in messages, such as "a job (muster ps lists them …)" or "a job file, or …".
Completion words_of(const std::string& noun, const std::string& command, const std::vector<KnownCommand>& commands,
                    const LiveWords& live) {
  const auto is = [&](std::string_view beginning) { return noun.starts_with(beginning); };
  if (is("a job or")) return {live.jobs(JobChoice::all), ShellPart::files};
  if (is("a job file") || is("a script") || is("a program") || is("a file")) return {{}, ShellPart::files};
  if (is("a job")) return {live.jobs(jobs_for(command))};
  if (is("a framework")) return {key_choices("framework")};
  if (is("a runtime")) return {live.runtimes()};
  if (is("a key")) return {key_words()};
  if (is("a code")) return {live.codes()};
  if (is("a command")) return {names_of(commands)};
  return {};
}

Completion next_word(const CommandFacts& facts, const Typed& typed, const std::string& command,
                     const std::vector<KnownCommand>& commands, const LiveWords& live) {
  if (facts.verbs.empty())
    return typed.positional.size() < facts.most_words ? words_of(facts.noun, command, commands, live) : Completion{};
  if (typed.positional.empty()) {
    Completion verbs;
    for (const CommandFacts::Verb& verb : facts.verbs) verbs.candidates.push_back({verb.name, verb.help});
    return verbs;
  }
  for (const CommandFacts::Verb& verb : facts.verbs) {
    if (verb.name != typed.positional.front()) continue;
    // A subcommand may have several arguments: `config explain KEY FILE`.
    const Words nouns = split(verb.noun, ';');
    const size_t at = std::min(typed.positional.size(), nouns.size()) - 1;
    return words_of(nouns[at], command, commands, live);
  }
  return {};
}

std::vector<Candidate> unused_flags(const CommandFacts& facts, const Typed& typed) {
  std::vector<Candidate> words;
  for (size_t i = 0; i < facts.flags.size(); ++i) {
    if (typed.used[i] && !facts.flags[i].repeats) continue;
    for (const std::string& name : split(facts.flags[i].names, ',')) words.push_back({name, facts.flags[i].help});
  }
  words.push_back({"--help", "show this help"});
  return words;
}

Completion prefixed(const std::string& prefix, Completion completion) {
  for (Candidate& each : completion.candidates) each.value = prefix + each.value;
  return completion;
}

Completion in_command(const KnownCommand& command, const Words& words, const std::vector<KnownCommand>& commands,
                      const LiveWords& live) {
  const CommandFacts facts = command.facts();
  const Typed typed = read_typed(facts, words);
  const std::string& current = words.back();
  if (typed.program > 0) return {{}, ShellPart::program, typed.program};
  if (typed.open != nullptr) return value_of(*typed.open, command, typed, current, live);
  const size_t equals = current.find('=');
  if (current.starts_with("--") && equals != std::string::npos) {
    const Flag* flag = find_flag(facts, current.substr(0, equals));
    if (flag == nullptr || flag->placeholder.empty()) return {};
    return prefixed(current.substr(0, equals + 1), value_of(*flag, command, typed, current.substr(equals + 1), live));
  }
  if (current.starts_with('-')) return {unused_flags(facts, typed)};
  return next_word(facts, typed, command.name, commands, live);
}

}  // namespace

Completion complete(const Words& words, const std::vector<KnownCommand>& commands, const LiveWords& live) {
  if (words.empty()) return {};
  Completion completion;
  if (words.size() == 1) {
    completion.candidates = names_of(commands);
    if (words.front().starts_with('-')) completion.candidates = {{"--help", "all commands"}, {"--version", ""}};
  } else {
    const auto found = std::find_if(commands.begin(), commands.end(),
                                    [&](const KnownCommand& known) { return known.name == words.front(); });
    if (found != commands.end()) completion = in_command(*found, words, commands, live);
  }
  std::erase_if(completion.candidates, [&](const Candidate& each) { return !each.value.starts_with(words.back()); });
  return completion;
}

}  // namespace muster
