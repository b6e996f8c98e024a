// SPDX-License-Identifier: Apache-2.0
#include "launcher/completion/shell_scripts.h"

namespace muster {
namespace {

// Bash splits words at COMP_WORDBREAKS (`=`, `:`) and replaces only the text after the last split; it keeps an `@`.
constexpr const char* kBash = R"sh(# muster's completion for bash: source <(muster completion bash)
_muster() {
  local line=$COMP_LINE words=() piece i reply value part last
  for ((i = 0; i <= COMP_CWORD; i++)); do
    piece=${COMP_WORDS[i]}
    if ((i > 0)) && [[ $line != [[:space:]]* && -n $line ]]; then
      words[-1]+=$piece
    else
      words+=("$piece")
      line=${line#"${line%%[![:space:]]*}"}
    fi
    line=${line#"$piece"}
  done
  last=${words[-1]}
  local program=${words[0]/#\~/$HOME} kept=${last%"${last##*["${COMP_WORDBREAKS//@/}"]}"}
  COMPREPLY=()
  mapfile -t reply < <("$program" __complete "${words[@]:1}" 2>/dev/null)
  ((${#reply[@]})) || return 0
  part=${reply[-1]}
  unset 'reply[-1]'
  for value in "${reply[@]}"; do
    value=${value%%$'\t'*}
    [[ $value != *= ]] || compopt -o nospace
    COMPREPLY+=("${value#"$kept"}")
  done
  case $part in
    :files) compopt -o filenames; mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "${last#"$kept"}") ;;
    :folders) compopt -o filenames; mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "${last#"$kept"}") ;;
    :program*)
      if declare -F _command_offset >/dev/null; then
        _command_offset $((${part#:program } + 1))
      else
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -c -- "$last"; compgen -f -- "$last")
      fi
      ;;
  esac
}
complete -F _muster muster
)sh";

constexpr const char* kZsh = R"sh(#compdef muster
# muster's completion for zsh: source <(muster completion zsh), or this file as _muster in a folder of fpath
_muster() {
  local -a reply shown
  local part line value help program=${(Q)words[1]}
  reply=("${(@f)$(${~program} __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  (( $#reply )) || return 1
  part=$reply[-1]
  reply[-1]=()
  local cut=
  if [[ $words[CURRENT] == --*=* ]]; then
    cut=${words[CURRENT]%%=*}=
    compset -P '--*='
  fi
  local -a values nospace helps spaceless
  for line in $reply; do
    value=${line%%$'\t'*} help=
    [[ $line != *$'\t'* ]] || help=${line#*$'\t'}
    value=${value#$cut}
    if [[ $value == *= ]]; then
      nospace+=("${value//:/\\:}:$help")
    else
      values+=("${value//:/\\:}:$help")
    fi
  done
  local found=1
  (( ! $#values )) || _describe -t values 'muster' values && found=0
  (( ! $#nospace )) || _describe -t keys 'key' nospace -S '' && found=0
  case $part in
    :files) _files && found=0 ;;
    :folders) _files -/ && found=0 ;;
    :program*)
      local at=${part#:program }
      shift at words
      (( CURRENT -= at ))
      _normal && found=0
      ;;
  esac
  return found
}
if [[ $funcstack[1] == _muster ]]; then
  _muster "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i -D }
  compdef _muster muster
fi
)sh";

constexpr const char* kFish = R"sh(# muster's completion for fish: muster completion fish | source
function __muster_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l reply ($words[1] __complete $words[2..-1] "$current" 2>/dev/null)
    test (count $reply) -gt 0; or return
    set -l part $reply[-1]
    set -e reply[-1]
    test (count $reply) -gt 0; and printf '%s\n' $reply
    # A flag before the value stays in front of each candidate: --workdir=fol
    set -l cut (string match -r -- '^--[^=]*=' $current)
    switch $part
        case ':files'
            __fish_complete_path (string replace -r -- '^--[^=]*=' '' $current) | string replace -r -- '^' "$cut"
        case ':folders'
            __fish_complete_directories (string replace -r -- '^--[^=]*=' '' $current) '' | string replace -r -- '^' "$cut"
        case ':program*'
            set -l at (math (string replace -- ':program ' '' $part) + 2)
            complete -C (string join ' ' -- (string escape -- $words[$at..-1]) $current)
    end
end
complete -c muster -f -a '(__muster_complete)'
)sh";

}  // namespace

std::string completion_script(const std::string& shell) {
  if (shell == "zsh") return kZsh;
  return shell == "fish" ? kFish : kBash;
}

std::string completion_lines(const Completion& completion) {
  std::string lines;
  for (const Candidate& each : completion.candidates)
    lines += each.value + (each.help.empty() ? "" : "\t" + each.help) + "\n";
  switch (completion.part) {
    case ShellPart::nothing: return lines + ":\n";
    case ShellPart::files: return lines + ":files\n";
    case ShellPart::folders: return lines + ":folders\n";
    case ShellPart::program: return lines + ":program " + std::to_string(completion.program_at) + "\n";
  }
  return lines;
}

Result<std::string> completion_file(const std::string& shell, const CallerContext& caller) {
  const auto home = caller.variable("HOME");
  if (!home)
    return Status(Code::failed_precondition, "HOME is not set; to print the script: muster completion " + shell);
  const std::string data = caller.variable("XDG_DATA_HOME").value_or(*home + "/.local/share");
  const std::string config = caller.variable("XDG_CONFIG_HOME").value_or(*home + "/.config");
  if (shell == "fish") return config + "/fish/completions/muster.fish";
  if (shell == "zsh") return data + "/zsh/site-functions/_muster";
  return caller.variable("BASH_COMPLETION_USER_DIR").value_or(data + "/bash-completion") + "/completions/muster";
}

}  // namespace muster
