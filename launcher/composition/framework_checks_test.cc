// SPDX-License-Identifier: Apache-2.0
// The checks of a program and its framework before a submit, in a temporary folder.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "core/client/submission/job_draft.h"
#include "launcher/composition/draft_backends.h"

namespace muster {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class FrameworkChecksTest : public testing::Test {
 protected:
  FrameworkChecksTest() {
    std::string pattern = (fs::temp_directory_path() / "muster-checks-XXXXXX").string();
    folder = mkdtemp(pattern.data());
    here.workdir = folder;
    here.environment = {{"HOME", folder}, {"PATH", "/usr/bin:/bin"}};
    write("env/bin/python3", "#!/bin/sh\nexit 3\n");  // finds no module
    fs::permissions(folder / "env/bin/python3", fs::perms::owner_all);
    words.command = {"env/bin/python3", "train.py"};
  }
  ~FrameworkChecksTest() override { fs::remove_all(folder); }

  void write(const std::string& name, const std::string& text) {
    fs::create_directories((folder / name).parent_path());
    std::ofstream(folder / name) << text;
  }

  // The codes for this program.
  std::vector<std::string> codes(const std::string& program) {
    write("train.py", program);
    auto draft = draft_job(words, here, draft_backends());
    complete_draft(*draft, here);
    std::vector<std::string> found;
    for (const Diagnostic& diagnostic : draft->diagnostics) found.push_back(diagnostic.code);
    help = draft->diagnostics.empty() ? "" : draft->diagnostics[0].help;
    return found;
  }

  fs::path folder;
  CallerContext here;
  JobWords words;
  std::string help;
};

TEST_F(FrameworkChecksTest, APackageThatTheInterpreterLacks_IsNamedWithItsInstallation) {
  EXPECT_THAT(codes("import jax\njax.distributed.initialize()\n"), ElementsAre("E1412"));
  EXPECT_THAT(help, HasSubstr("env/bin/python3 -m pip install jax"));
  EXPECT_THAT(codes("from tensorflow import keras\n"), ElementsAre("E1412"));
}

TEST_F(FrameworkChecksTest, AnImportInAText_IsNoImport) {
  words.flags.set = {"framework=tensorflow"};
  EXPECT_THAT(codes("import tensorflow\n"), ElementsAre("E1412"));
  EXPECT_THAT(codes("\"\"\"Begin your program with\nimport tensorflow\n\"\"\"\nimport os\n"), ElementsAre());
}

TEST_F(FrameworkChecksTest, APackageFromAFolderThatTheProgramAdds_IsNotMissing) {
  for (const char* line :
       {"import sys\nsys.path.insert(0, \"/opt/libs\")\n", "import site\nsite.addsitedir(\"/opt/libs\")\n"})
    EXPECT_THAT(codes(std::string(line) + "from tensorflow import keras\n"), ElementsAre()) << line;
}

// For each framework: what its program begins with, its package for Python and for pip, and where its ranks meet.
struct Kind {
  const char* program;
  const char* package;
  const char* pip;
  const char* variable;
};

const Kind kKinds[] = {
    {"import jax\njax.distributed.initialize()\n", "jax", "jax", "JAX_COORDINATOR_ADDRESS"},
    {"import tensorflow as tf\n", "tensorflow", "tensorflow", "TF_CONFIG"},
    {"import mlx.core as mx\n", "mlx", "mlx", "NCCL_PORT"},
    {"import xgboost.collective\n", "xgboost", "xgboost", "DMLC_TRACKER_PORT"},
    {"import paddle\npaddle.distributed.init_parallel_env()\n", "paddle", "paddlepaddle", "PADDLE_MASTER"},
    {"import horovod.torch as hvd\nhvd.init()\n", "horovod", "horovod", "HOROVOD_GLOO_RENDEZVOUS_PORT"},
};

TEST_F(FrameworkChecksTest, EachFramework_ItsPackageIsMissing_IsRefusedWithItsInstallation) {
  for (const Kind& kind : kKinds) {
    EXPECT_THAT(codes(kind.program), ElementsAre("E1412")) << kind.program;
    EXPECT_THAT(help, HasSubstr(std::string("env/bin/python3 -m pip install ") + kind.pip + ","));
  }
}

TEST_F(FrameworkChecksTest, EachFramework_AnAddressOfTheProgramOrOfTheUser_IsRefusedWithTheFix) {
  for (const Kind& kind : kKinds) {
    write(std::string("env/lib/python3.11/site-packages/") + kind.package + "/__init__.py", "");
    const std::string variable = kind.variable;
    EXPECT_THAT(codes(std::string(kind.program) + "import os\nos.environ[\"" + variable + "\"] = \"1234\"\n"),
                ElementsAre("E1413"));
    EXPECT_THAT(help, HasSubstr("os.environ.setdefault(\"" + variable + "\", …)"));
    words.flags.env = {variable + "=1234"};
    EXPECT_THAT(codes(kind.program), ElementsAre("E1319")) << variable;
    words.flags.env.clear();
  }
}

TEST_F(FrameworkChecksTest, AnInstalledPackageAndAnOptionalOne_AreNotMissing) {
  EXPECT_THAT(codes("try:\n  import jax\nexcept ImportError:\n  jax = None\nif jax: jax.distributed.initialize()\n"),
              ElementsAre());
  write("env/lib/python3.11/site-packages/jax/__init__.py", "");
  EXPECT_THAT(codes("import jax.numpy as jnp\njax.distributed.initialize()\n"), ElementsAre());
}

TEST_F(FrameworkChecksTest, AVariableOfTheAttempt_IsNotReplacedByTheProgram) {
  write("env/lib/python3.11/site-packages/tensorflow/__init__.py", "");
  EXPECT_THAT(codes("import tensorflow\nimport os\nos.environ['TF_CONFIG'] = '{}'\n"), ElementsAre("E1413"));
  EXPECT_THAT(codes("import tensorflow\nimport os\nos.environ.setdefault('TF_CONFIG', '{}')\n"), ElementsAre());
  EXPECT_THAT(codes("import tensorflow\nimport os\nif x:\n  os.environ['TF_CONFIG'] = '{}'\n"), ElementsAre());
}

TEST_F(FrameworkChecksTest, AVariableOfTheAttempt_IsNotReplacedByAFlag_AlsoWithAGuessedFramework) {
  write("env/lib/python3.11/site-packages/jax/__init__.py", "");
  words.flags.env = {"JAX_COORDINATOR_ADDRESS=127.0.0.1:1234"};
  EXPECT_THAT(codes("import jax\njax.distributed.initialize()\n"), ElementsAre("E1319"));
}

}  // namespace
}  // namespace muster
