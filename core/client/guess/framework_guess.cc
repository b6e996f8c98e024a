// SPDX-License-Identifier: Apache-2.0
#include "core/client/guess/framework_guess.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string_view>

#include "core/base/text.h"
#include "core/client/beginning_of.h"
#include "core/client/guess/python_modules.h"
#include "core/client/guess/shell_words.h"
#include "core/client/run_program.h"
#include "core/job/interpreters.h"
#include "core/job/mpi_library.h"
#include "core/job/python_command.h"
#include "core/system/linux/examine/elf_file.h"

namespace muster {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

// These limit the time of a guess.
constexpr size_t kMostFiles = 16;
constexpr size_t kMostWords = 64;      // of one command
constexpr size_t kMostLookUps = 1000;  // of words

constexpr const char* kNoFile = "the command";  // stands for the file of -c

// A sign of a framework in a program. `mention`: a text of a program that imports a package as a whole, such as
// `import xgboost as xgb`.
enum class SignKind { import, mention, variable };

struct Sign {
  SignKind kind;
  std::string_view text;
  Framework framework;
};

// The first sign that a program has counts.
constexpr Sign signs[] = {
    {SignKind::import, "deepspeed", Framework::deepspeed},
    {SignKind::import, "pytorch_lightning", Framework::lightning},
    {SignKind::import, "lightning", Framework::lightning},
    {SignKind::import, "accelerate", Framework::accelerate},
    {SignKind::import, "transformers", Framework::accelerate},
    {SignKind::import, "mpi4py", Framework::mpi},
    {SignKind::import, "horovod", Framework::horovod},
    {SignKind::import, "torch.distributed", Framework::torch},
    {SignKind::import, "mlx.core", Framework::mlx},
    {SignKind::import, "paddle.distributed", Framework::paddle},
    {SignKind::import, "xgboost.collective", Framework::xgboost},
    {SignKind::mention, "torch.distributed", Framework::torch},
    // Programs that only import jax are left alone: without initialize() each of them would use the GPUs of all ranks.
    {SignKind::mention, "jax.distributed", Framework::jax},
    {SignKind::mention, "CommunicatorContext", Framework::xgboost},
    {SignKind::mention, "DMLC_TRACKER_URI", Framework::xgboost},
    {SignKind::mention, "paddle.distributed", Framework::paddle},
    // Variables that torchrun sets for ranks.
    {SignKind::variable, "RANK", Framework::torch},
    {SignKind::variable, "LOCAL_RANK", Framework::torch},
    {SignKind::variable, "WORLD_SIZE", Framework::torch},
    // Last, because programs of PyTorch and JAX read their data or write their summaries with it.
    {SignKind::import, "tensorflow", Framework::tensorflow},
};

bool has_sign(const std::vector<std::string>& modules, const std::string& text, const Sign& sign) {
  switch (sign.kind) {
    case SignKind::import: return imports_module(modules, sign.text);
    case SignKind::mention: return text.find(sign.text) != std::string::npos;
    case SignKind::variable: return reads_variable(text, sign.text);
  }
  return false;
}

std::string_view verb_of(SignKind kind) {
  switch (kind) {
    case SignKind::import: return " imports ";
    case SignKind::mention: return " uses ";
    case SignKind::variable: return " reads ";
  }
  return " ";
}

Words words_from(const Words& words, size_t at) {
  return {words.begin() + static_cast<std::ptrdiff_t>(std::min(at, words.size())), words.end()};
}

FrameworkGuess linked_framework(const fs::path& file) {
  const std::optional<ElfNeeds> needs = file.empty() ? std::nullopt : elf_needs(file.string());
  for (const std::string& library : needs ? needs->libraries : std::vector<std::string>()) {
    if (is_mpi_library(library)) return {Framework::mpi, file.filename().string() + " is linked to " + library};
  }
  return {};
}

bool begins_as_script(const fs::path& file) {
  std::ifstream text(file, std::ios::binary);
  char begin[2] = {};
  return text.read(begin, 2) && begin[0] == '#' && begin[1] == '!';
}

// The packages whose files count besides the user's own.
struct Packages {
  std::vector<fs::path> bins;  // …/bin of the installation
  std::string own;             // name of the package that is run; empty: the first one that the program imports
  bool installed = false;      // the program belongs to an installed package, not to the user's folders
};

class Search {
 public:
  explicit Search(const GuessPlace& place) : place_(place), folders_{place.workdir} {
    for (const std::string& folder : split(place.python_path, ':')) add_folder(fs::path(place.workdir) / folder);
  }

  // Looks for a program at each word: this finds it behind any wrapper, whatever flags the wrapper has.
  FrameworkGuess command(const Words& words) {
    for (size_t at = 0; at < std::min(words.size(), kMostWords); ++at) {
      if (++look_ups_ > kMostLookUps) return {};
      const std::string& word = words[at];
      if (word.empty() || word.starts_with('-')) continue;
      if (at > 0 && word.find('=') != std::string::npos) continue;
      const Words rest = words_from(words, at);
      const FrameworkGuess found = program(rest, at == 0);
      if (!found.why.empty()) return found;
      if (is_shell_name(word) || python_command(rest)) return {};  // the other words are its arguments
    }
    return {};
  }

 private:
  FrameworkGuess program(const Words& words, bool first) {
    if (is_python_name(words[0])) return python(words);
    if (is_shell_name(words[0])) return shell(words);
    const fs::path file = program_file(words[0], first);
    if (FrameworkGuess found = linked_framework(file); !found.why.empty()) return found;
    const bool script = !file.empty() && begins_as_script(file);
    if ((!script && file.extension() != ".py") || !remember(file)) return {};
    const std::string text = beginning_of(file.string());
    return script ? script_file(file, text) : python_files(file, text, {});
  }

  // The file of a command's word. Only the first word and words without a folder are looked up in PATH.
  fs::path program_file(const std::string& word, bool first) {
    std::error_code ignored;
    const bool has_folder = word.find('/') != std::string::npos;
    for (const fs::path& folder : folders_) {
      if ((first || has_folder || !fs::path(word).extension().empty()) && fs::is_regular_file(folder / word, ignored))
        return folder / word;
    }
    const size_t variable = word.find('$');  // "$HERE/train.py"
    if (variable != std::string::npos && word.rfind('/') > variable && word.rfind('/') != std::string::npos)
      return program_file(word.substr(word.find('/', variable) + 1), true);
    return has_folder ? fs::path() : fs::path(find_program(word, place_.path, place_.workdir));
  }

  // A file that begins with `#!`.
  FrameworkGuess script_file(const fs::path& file, const std::string& text) {
    std::string interpreter;  // python3 of `/usr/bin/env python3 -u`
    for (const std::string& word : split(text.substr(2, text.find('\n') - 2), ' '))
      if (!word.empty() && !word.starts_with('-')) interpreter = word;
    if (is_shell_name(interpreter)) return shell_text(file, text);
    if (is_python_name(interpreter)) return entry_point(file, text, interpreter);
    return file.extension() == ".py" ? python_files(file, text, {}) : FrameworkGuess();
  }

  // A script in …/bin starts a package that is installed beside it. It may be a link to another …/bin.
  FrameworkGuess entry_point(const fs::path& file, const std::string& text, const std::string& interpreter) {
    std::error_code ignored;
    const fs::path target = fs::canonical(file, ignored);
    Packages packages{{file.parent_path(), target.parent_path()}, "", false};
    for (const fs::path& bin : packages.bins) packages.installed |= !installed_in(bin).folders.empty();
    packages.bins.push_back(folder_of(interpreter));
    return python_files(file, text, packages);
  }

  FrameworkGuess shell(const Words& words) {
    for (size_t at = 1; at < words.size(); ++at) {
      const bool flag = words[at].starts_with('-') || words[at].starts_with('+');
      const bool code = flag && !words[at].starts_with("--") && words[at].ends_with('c') && at + 1 < words.size();
      if (words[at] == "-o" || words[at] == "-O") ++at;
      if (flag && !code) continue;
      const fs::path file = code ? fs::path(kNoFile) : program_file(words[at], true);
      if (file.empty() || (!code && !remember(file))) return {};
      const FrameworkGuess found = shell_text(file, code ? words[at + 1] : beginning_of(file.string()));
      return found.why.empty() ? command(words_from(words, at + (code ? 2 : 1))) : found;
    }
    return {};
  }

  // The commands of a shell script; then its lines as Python, because a heredoc may hold a program.
  FrameworkGuess shell_text(const fs::path& file, const std::string& text) {
    if (file.has_parent_path()) add_folder(file.parent_path());
    for (const Words& words : shell_commands(text)) {
      if (words[0] == "cd" && words.size() > 1) {
        add_folder(fs::path(place_.workdir) / words[1]);
      } else if (FrameworkGuess found = command(words); !found.why.empty()) {
        return found;
      }
    }
    return python_files(file, text, {{file.parent_path()}, "", true});
  }

  FrameworkGuess python(const Words& words) {
    const std::optional<PythonCommand> command = python_command(words);
    if (!command) return {};
    const fs::path bin = folder_of(words[0]);
    if (command->kind == PythonCommand::Kind::code) return python_files(kNoFile, command->program, {{bin}});
    if (command->kind == PythonCommand::Kind::module) return module(words, *command, bin);
    const fs::path file = program_file(command->program, true);
    return file.empty() ? FrameworkGuess() : python_files(file, beginning_of(file.string()), {{bin}});
  }

  // `-m train`, and `-m runpy train`, `-m cProfile train.py` and other modules that run what follows them.
  FrameworkGuess module(const Words& words, const PythonCommand& command, const fs::path& bin) {
    for (const Sign& sign : signs) {
      if (sign.kind == SignKind::import && imports_module({command.program}, sign.text))
        return {sign.framework, "the command runs " + std::string(sign.text)};
    }
    if (FrameworkGuess found = module_files(command.program, bin); !found.why.empty()) return found;
    for (size_t at = command.arguments; at < std::min(words.size(), kMostWords); ++at) {
      const std::string& word = words[at];
      if (word.empty() || word.starts_with('-')) continue;
      const fs::path file = word.ends_with(".py") ? program_file(word, true) : fs::path();
      const FrameworkGuess found =
          file.empty() ? module_files(word, bin) : python_files(file, beginning_of(file.string()), {{bin}});
      if (!found.why.empty()) return found;
    }
    return {};
  }

  FrameworkGuess module_files(const std::string& name, const fs::path& bin) {
    const InstalledPackages& installed = installed_in(bin);
    std::vector<fs::path> folders = folders_;
    folders.insert(folders.end(), installed.editable.begin(), installed.editable.end());
    if (name.starts_with('.') || name.find('/') != std::string::npos) return {};
    const fs::path own = file_of_module(name, {}, folders);
    if (!own.empty()) return python_files(own, beginning_of(own.string()), {{bin}});
    const fs::path file = file_of_module(name, {}, installed.folders);
    if (file.empty()) return {};
    return python_files(file, beginning_of(file.string()), {{bin}, name.substr(0, name.find('.')), true});
  }

  // The file and what it imports.
  FrameworkGuess python_files(const fs::path& first, const std::string& first_text, const Packages& packages) {
    std::vector<fs::path> folders;
    if (first.has_parent_path()) folders.push_back(first.parent_path());
    folders.insert(folders.end(), folders_.begin(), folders_.end());
    std::vector<fs::path> installed;
    for (const fs::path& bin : packages.bins) {
      const InstalledPackages& found = installed_in(bin);
      folders.insert(folders.end(), found.editable.begin(), found.editable.end());
      if (packages.installed) installed.insert(installed.end(), found.folders.begin(), found.folders.end());
    }
    return imports_of(first, first_text, folders, installed, packages.own);
  }

  FrameworkGuess imports_of(const fs::path& first, const std::string& first_text, const std::vector<fs::path>& folders,
                            const std::vector<fs::path>& packages, std::string own_package) {
    std::vector<fs::path> files{first};
    for (size_t at = 0; at < files.size(); ++at) {
      const std::string text = at == 0 ? first_text : beginning_of(files[at].string());
      if (FrameworkGuess guess = imported_framework(files[at].string(), text); !guess.why.empty()) return guess;
      for (const std::string& module : imported_modules(text)) {
        fs::path file = file_of_module(module, files[at], folders);
        const std::string top = module.substr(0, module.find('.'));
        if (file.empty() && !top.empty() && (own_package.empty() || top == own_package)) {
          file = file_of_module(module, files[at], packages);
          if (!file.empty()) own_package = top;
        }
        const bool fresh = !file.empty() && std::find(files.begin(), files.end(), file) == files.end();
        if (fresh && files.size() < kMostFiles) files.push_back(file);
      }
    }
    return {};
  }

  const InstalledPackages& installed_in(const fs::path& bin) {
    const auto [found, fresh] = installed_.try_emplace(bin);
    if (fresh && !bin.empty()) found->second = installed_packages(bin);
    return found->second;
  }

  // The folder of a program: …/bin of /env/bin/python3.
  fs::path folder_of(const std::string& program) const {
    return fs::path(find_program(program, place_.path, place_.workdir)).parent_path();
  }

  void add_folder(const fs::path& folder) {
    if (std::find(folders_.begin(), folders_.end(), folder) == folders_.end()) folders_.push_back(folder);
  }

  // False: the file was read before, or too many were. A script may start itself.
  bool remember(const fs::path& file) {
    const bool known = std::find(read_.begin(), read_.end(), file) != read_.end();
    if (known || read_.size() >= kMostFiles) return false;
    read_.push_back(file);
    return true;
  }

  const GuessPlace& place_;
  std::vector<fs::path> folders_;  // in which scripts and modules of the user may be
  std::vector<fs::path> read_;
  size_t look_ups_ = 0;
  std::map<fs::path, InstalledPackages> installed_;  // by folder of the interpreter
};

}  // namespace

FrameworkGuess imported_framework(const std::string& script, const std::string& text) {
  const std::vector<std::string> modules = imported_modules(text);
  for (const Sign& sign : signs) {
    if (!has_sign(modules, text, sign)) continue;
    const std::string file(last_part(script));
    return {sign.framework, file + std::string(verb_of(sign.kind)) + std::string(sign.text)};
  }
  return {};
}

FrameworkGuess guess_framework(const Words& command, const GuessPlace& place) { return Search(place).command(command); }

std::optional<std::string> python_script(const Words& command) {
  const std::optional<PythonCommand> found = python_command(command);
  if (!found || !is_python_name(command[0]) || found->kind != PythonCommand::Kind::script) return std::nullopt;
  return found->program;
}

}  // namespace muster
