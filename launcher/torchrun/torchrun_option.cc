// SPDX-License-Identifier: Apache-2.0
#include "launcher/torchrun/torchrun_option.h"

namespace muster {

const TorchrunFlag& torchrun_help_flag() {
  static const TorchrunFlag flag{"--help", 'h', &TorchrunFlags::standalone, "", "this text", false};
  return flag;
}

namespace {

// argparse's ^-\d+$|^-\d*\.\d+$
bool negative_number(std::string_view text) {
  text.remove_prefix(1);
  const size_t dot = text.find('.');
  const std::string_view last = dot == std::string_view::npos ? text : text.substr(dot + 1);
  const auto digits = [](std::string_view t) { return t.find_first_not_of("0123456789") == std::string_view::npos; };
  return digits(text.substr(0, dot)) && digits(last) && !last.empty();
}

template <typename Judge>
void for_each_flag(Judge judge) {
  for (const TorchrunFlag& flag : torchrun_flags()) judge(flag);
  judge(torchrun_help_flag());
}

std::string underscored(const TorchrunFlag& flag) { return "--" + torchrun_dest(flag); }

// The letter selects the flag. The text after it is its value, or more letters.
TorchrunOption short_option(const std::string& word) {
  TorchrunOption option{.spelled = word.substr(0, 2)};
  if (const TorchrunFlag* flag = torchrun_flag_by_letter(word[1])) option.flags = {flag};
  if (word.size() > 2) option.value = word.substr(word[2] == '=' ? 3 : 2);
  return option;
}

TorchrunOption long_option(const std::string& word) {
  const size_t equals = word.find('=');
  TorchrunOption option{.spelled = word.substr(0, equals)};
  if (equals != std::string::npos) option.value = word.substr(equals + 1);
  const std::string& name = option.spelled;
  std::vector<const TorchrunFlag*> exact;
  for_each_flag([&](const TorchrunFlag& flag) {
    if (name == flag.name || name == underscored(flag)) exact = {&flag};
    if (flag.name.starts_with(name) || underscored(flag).starts_with(name)) option.flags.push_back(&flag);
  });
  if (!exact.empty()) option.flags = exact;
  return option;
}

}  // namespace

std::optional<TorchrunOption> torchrun_option(const std::string& word) {
  if (word.size() < 2 || word[0] != '-') return std::nullopt;
  const TorchrunOption option = word[1] == '-' ? long_option(word) : short_option(word);
  if (!option.flags.empty()) return option;
  const bool value = negative_number(word) || word.find(' ') != std::string::npos;
  return value ? std::nullopt : std::optional(TorchrunOption{.spelled = word});
}

const TorchrunFlag* torchrun_flag_by_letter(char letter) {
  const TorchrunFlag* found = nullptr;
  for_each_flag([&](const TorchrunFlag& flag) {
    if (flag.letter != 0 && flag.letter == letter) found = &flag;
  });
  return found;
}

std::string torchrun_spellings(const TorchrunFlag& flag) {
  return flag.letter == 0 ? flag.name : std::string("-") + flag.letter + "/" + flag.name;
}

}  // namespace muster
