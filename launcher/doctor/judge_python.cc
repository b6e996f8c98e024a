// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "core/base/text.h"
#include "launcher/doctor/doctor.h"

namespace muster {
namespace {

using Level = Finding::Level;

Finding interpreter(const DoctorFacts& facts) {
  const PythonFacts& python = facts.python;
  if (python.path.empty() && !python.asked.empty())
    return {Level::problem, "python", python.asked + " is not a program", "", "muster doctor --python PATH"};
  if (python.path.empty())
    return {Level::note, "python", "neither python nor python3 is in PATH", "Python programs cannot run",
            by_root(facts, "apt-get install python3")};
  if (!python.problem.empty())
    return {Level::problem, "python", python.problem, "ranks that use it fail in the same way", python.path + " -V"};
  const std::string text = python.version + " at " + python.path;
  if (python.virtual_env.empty() || !python.asked.empty()) return {Level::ok, "python", text, "", ""};
  return {Level::note, "python", text + ", not from the active environment " + python.virtual_env,
          "ranks do not find the packages of that environment", "export PATH=" + python.virtual_env + "/bin:$PATH"};
}

std::string version_of(const PythonFacts& python, const std::string& name) {
  const auto found = python.packages.find(name);
  return found == python.packages.end() ? "" : found->second;
}

int major_of(const std::string& version) { return std::atoi(version.c_str()); }

// CUDA programs run on any driver of their own major version (CUDA minor version compatibility).
Finding torch(const DoctorFacts& facts) {
  const PythonFacts& python = facts.python;
  const std::string pip = python.path + " -m pip install ";
  if (!python.torch_shadow.empty())
    return {Level::problem, "torch", python.torch_shadow + " is imported instead of torch",
            "torch programs fail in this folder", "mv " + python.torch_shadow + " " + python.torch_shadow + ".old"};
  const std::string version = version_of(python, "torch");
  if (version.empty()) return {Level::note, "torch", "not installed", "torch programs cannot run", pip + "torch"};
  const bool amd = version.find("rocm") != std::string::npos;
  const bool gpus = !facts.machine.inventory.gpus.empty();
  if (python.torch_built && python.torch_cuda.empty() && !amd && gpus)
    return {Level::note, "torch", version + ", built without CUDA", "it cannot use the GPUs",
            pip + "--force-reinstall torch"};
  const int driver = facts.gpus.health ? facts.gpus.health->cuda_driver : 0;
  const std::string text = version + (python.torch_cuda.empty() ? "" : ", CUDA " + python.torch_cuda);
  if (driver == 0 || python.torch_cuda.empty() || major_of(python.torch_cuda) <= driver / 1000)
    return {Level::ok, "torch", text, "", ""};
  const std::string major = std::to_string(driver / 1000), minor = std::to_string(driver % 1000 / 10);
  return {Level::problem, "torch", text + ", but the driver supports at most CUDA " + major + "." + minor,
          "it cannot use the GPUs", pip + "torch --index-url https://download.pytorch.org/whl/cu" + major + minor};
}

Finding frameworks(const PythonFacts& python) {
  std::vector<std::string> found;
  for (const auto& [name, version] : python.packages) {
    if (name != "torch") found.push_back(name + " " + version);
  }
  return {Level::ok, "packages", found.empty() ? "no framework that muster knows" : join(found, ", "), "", ""};
}

Finding mpi(const DoctorFacts& facts) {
  const PythonFacts& python = facts.python;
  if (python.mpirun.empty())
    return {Level::note, "mpi", "mpi4py is installed, but no mpirun is in PATH", "it may not find an MPI library",
            by_root(facts, "apt-get install openmpi-bin")};
  return {Level::ok, "mpi", python.mpirun + (python.pmix.empty() ? "" : ", PMIx at " + python.pmix), "", ""};
}

}  // namespace

std::vector<Finding> judge_python(const DoctorFacts& facts) {
  std::vector<Finding> findings = {interpreter(facts)};
  if (!facts.python.path.empty() && facts.python.problem.empty()) {
    findings.push_back(torch(facts));
    findings.push_back(frameworks(facts.python));
  }
  if (!facts.python.mpirun.empty() || facts.python.packages.count("mpi4py") > 0) findings.push_back(mpi(facts));
  return findings;
}

}  // namespace muster
