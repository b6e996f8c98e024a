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

PythonStack python_stack(const std::vector<PythonThread>& threads) {
  PythonStack stack;
  for (const PythonThread& thread : threads) {
    if (stack.text.size() > kMostPythonText) break;
    stack.text += "  Python thread";
    if (thread.number != 0) stack.text += " " + std::to_string(thread.number);
    if (!thread.name.empty()) stack.text += " " + escaped(thread.name);
    stack.text += "\n";
    for (const std::string& frame : thread.frames) stack.text += "    " + escaped(frame) + "\n";
  }
  if (!threads.empty() && !threads.back().frames.empty()) stack.innermost = escaped(threads.back().frames.front());
  return stack;
}

PythonStack python_stack(pid_t pid) {
  const PythonFrames frames = python_frames(pid);
  return frames.outcome == PythonFrames::Outcome::unknown ? ask_py_spy_for(pid, frames.release)
                                                          : python_stack(frames.threads);
}

}  // namespace muster
