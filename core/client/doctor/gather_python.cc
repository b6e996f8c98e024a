// SPDX-License-Identifier: Apache-2.0
// Asks the interpreter that ranks get for its version and packages. Imports no package: that takes seconds and may hang.

#include <sys/stat.h>
#include <unistd.h>

#include "core/client/doctor/parse.h"
#include "core/client/helper_python.h"

namespace muster {
namespace {

constexpr auto patience = std::chrono::seconds(4);

// In a program of the user, `import torch` may find a file in the working folder instead of the package: find_spec() looks there, too,
// and executes nothing. The version file is read, not executed.
constexpr const char* question = R"python(
import os, re, platform
import importlib.util, importlib.metadata as metadata
def say(*words):
    print(*words, sep="\t")
say("version", platform.python_version())
say("executable", sys.executable)
for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
    env = os.environ.get(name)
    if env and os.path.realpath(sys.prefix) != os.path.realpath(env):
        say("foreign_env", env)
        break
    if env:
        break
for name in ("torch", "lightning", "pytorch-lightning", "accelerate", "deepspeed", "transformers", "jax", "jaxlib",
             "tensorflow", "mlx", "xgboost", "mpi4py", "horovod", "paddlepaddle", "numpy",
             "nvidia-nccl-cu11", "nvidia-nccl-cu12", "nvidia-nccl-cu13"):
    try:
        say("package", name, metadata.version(name))
    except Exception:
        pass
sys.path[:0] = folder
try:
    spec = importlib.util.find_spec("torch")
except Exception:
    spec = None
del sys.path[:len(folder)]
origin = spec and spec.origin
if origin:
    here = os.path.realpath(os.getcwd())
    if os.path.realpath(origin) in (os.path.join(here, "torch.py"), os.path.join(here, "torch", "__init__.py")):
        say("torch_shadow", os.path.realpath(origin))
    else:
        try:
            text = open(os.path.join(os.path.dirname(origin), "version.py")).read()
            number = re.search(r"^__version__\s*(?::[^=]*)?=\s*['\"]([^'\"]+)", text, re.M)
            cuda = re.search(r"^cuda\s*(?::[^=]*)?=\s*['\"]([^'\"]+)", text, re.M)
            say("torch_cuda", cuda.group(1) if cuda else "")
            if number:
                say("package", "torch", number.group(1))
        except OSError:
            pass
)python";

std::string find_pmix() {
  for (const char* folder :
       {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/local/lib"}) {
    const std::string path = std::string(folder) + "/libpmix.so.2";
    if (access(path.c_str(), R_OK) == 0) return path;
  }
  return "";
}

}  // namespace

// Without --python, uses the same interpreter as `muster run train.py`: python, else python3.
PythonFacts gather_python(const CallerContext& caller, const std::string& python) {
  PythonFacts facts;
  const std::string path = caller.variable("PATH").value_or("");
  facts.asked = python;
  facts.mpirun = find_program("mpirun", path, caller.workdir);
  facts.pmix = find_pmix();
  facts.path = find_program(python.empty() ? "python" : python, path, caller.workdir);
  if (facts.path.empty() && python.empty()) facts.path = find_program("python3", path, caller.workdir);
  if (facts.path.empty()) return facts;
  HelperProgram program = helper_python(facts.path, question, caller.environment, caller.workdir);
  program.patience = patience;
  const auto answer = run_program(program);
  const std::string asked = facts.path;
  if (!answer.ok() && answer.status().code() == Code::deadline_exceeded) {
    facts.problem = asked + " did not answer within 4 s";
  } else if (!answer.ok()) {
    facts.problem = answer.status().message();
  } else {
    read_python_answer(answer->out, facts);
    if (facts.path.empty()) facts.path = asked;
    if (answer->exit_code != 0 || facts.version.empty())
      facts.problem =
          asked + " exited with code " + std::to_string(answer->exit_code) + "; it is not Python 3.8 or newer";
  }
  return facts;
}

}  // namespace muster
