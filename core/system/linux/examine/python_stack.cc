// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/examine/python_stack.h"

#include "core/base/text.h"
#include "core/system/linux/examine/py_spy.h"

namespace muster {
namespace {

constexpr size_t kMostPythonText = 8 << 10;

std::string interpreter_name(PythonRelease release) {
  return release == 0 ? "this interpreter" : "Python " + release_name(release);
}

std::string lines_of(const PythonThread& thread) {
  std::string text = "  Python thread";
  if (thread.number != 0) text += " " + std::to_string(thread.number);
  if (!thread.name.empty()) text += " " + escaped(thread.name);
  text += "\n";
  for (const std::string& frame : thread.frames) text += "    " + escaped(frame) + "\n";
  return text;
}

// For an interpreter whose layout is not known.
PythonStack ask_py_spy_for(pid_t pid, PythonRelease release) {
  const std::string program = find_py_spy(pid);
  if (program.empty()) {
    return {"", "  Python: muster cannot read the functions of " + interpreter_name(release) +
                    " by itself, and py-spy is not installed. Install it on this host: pip install py-spy\n"};
  }
  PythonStack stack = python_stack(ask_py_spy(program, pid));
  if (stack.text.empty()) {
    stack.text = "  Python: " + escaped(program) + " cannot read the functions of " + interpreter_name(release) +
                 ". A newer version may: pip install --upgrade py-spy\n";
  }
  return stack;
}

}  // namespace

// The readers of a stack take its first thread for that of `innermost`.
PythonStack python_stack(const std::vector<PythonThread>& threads) {
  PythonStack stack;
  if (threads.empty()) return stack;
  const PythonThread& main = threads.back();
  stack.thread = main.number;
  stack.text = lines_of(main);
  for (const PythonThread& thread : threads) {
    if (stack.text.size() > kMostPythonText) break;
    if (&thread != &main) stack.text += lines_of(thread);
  }
  if (!main.frames.empty()) stack.innermost = escaped(main.frames.front());
  return stack;
}

PythonStack python_stack(pid_t pid) {
  const PythonFrames frames = python_frames(pid);
  return frames.outcome == PythonFrames::Outcome::unknown ? ask_py_spy_for(pid, frames.release)
                                                          : python_stack(frames.threads);
}

}  // namespace muster
