// SPDX-License-Identifier: Apache-2.0
// Variables for XGBoost (python-package/xgboost/collective.py, 3.2), by the names that dmlc's launchers gave them. XGBoost reads no
// variables: programs pass them to xgboost.collective.CommunicatorContext. With `store: program`, rank 0 runs the tracker.
#include <algorithm>

#include "core/framework/world_place.h"

namespace muster {
namespace {

using Value = std::optional<std::string>;
using View = const RankPlace&;

// The tracker numbers the ranks by the text of DMLC_TASK_ID, so all of them have the same number of digits.
std::string padded(uint32_t rank, uint32_t world_size) {
  std::string text = std::to_string(rank);
  const size_t digits = std::to_string(world_size - 1).size();
  return std::string(digits - std::min(digits, text.size()), '0') + text;
}

constexpr FrameworkVariable kXgboostVariables[] = {
    {"DMLC_TRACKER_URI", "address of the tracker", [](View v) -> Value { return world_endpoint(v).address; }},
    {"DMLC_TRACKER_PORT", "port of the tracker, new in each attempt; XGBoost wants it as an int",
     [](View v) { return number_text(world_endpoint(v).port); }},
    {"DMLC_TASK_ID", "the rank in its world, with leading zeros: the tracker numbers the ranks by it",
     [](View v) -> Value { return padded(v.rank.world_rank, v.rank.world_size); }},
    {"DMLC_NUM_WORKER", "number of ranks of the world", [](View v) { return number_text(v.rank.world_size); }},
    {"DMLC_NUM_ATTEMPT", "number of restarts so far", [](View v) { return number_text(v.place.restarts); }},
    {"DMLC_ROLE", "worker", [](View) -> Value { return "worker"; }},
    {"MASTER_ADDR", "as DMLC_TRACKER_URI, for programs of Kubeflow",
     [](View v) -> Value { return world_endpoint(v).address; }},
    {"MASTER_PORT", "as DMLC_TRACKER_PORT", [](View v) { return number_text(world_endpoint(v).port); }},
    {"RANK", "the rank in its world", [](View v) { return number_text(v.rank.world_rank); }},
    {"WORLD_SIZE", "number of ranks of the world", [](View v) { return number_text(v.rank.world_size); }},
};

// Runs the tracker of the ranks' own XGBoost. It loads only the library: an import of the package takes 20 times as long. The
// ranks notice a tracker that has failed, so the program waits for its end then.
constexpr const char* kTracker = R"(import sys
own = sys.path.pop(0)  # a file of the user may be named like a module of Python
import ctypes, importlib.util, json, os, signal
sys.path.insert(0, own)
address, port, ranks = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
package = importlib.util.find_spec("xgboost")
if package is None or package.origin is None:
    sys.exit(f"{sys.executable} has no package xgboost: install it there, or begin the command with the Python that "
             "has it. If rank 0 starts the tracker itself: --set store=program")
path = os.path.join(os.path.dirname(package.origin), "lib", "libxgboost.so")
if os.path.exists(path):
    library = ctypes.CDLL(path)
else:
    from xgboost.core import _LIB as library
if not hasattr(library, "XGTrackerCreate"):
    sys.exit(f"the tracker needs xgboost 2.1 or newer, and {sys.executable} has an older one")
library.XGBGetLastError.restype = ctypes.c_char_p
def call(function, *arguments):
    if function(*arguments) != 0:
        sys.exit(library.XGBGetLastError().decode(errors="replace").split("Stack trace")[0].replace("\n", " ").strip())
by_task = 1
tracker = ctypes.c_void_p()
call(library.XGTrackerCreate, json.dumps({"dmlc_communicator": "rabit", "host": address, "port": port,
     "n_workers": ranks, "sortby": by_task, "timeout": 0}).encode(), ctypes.byref(tracker))
call(library.XGTrackerRun, tracker, b"{}")
if library.XGTrackerWaitFor(tracker, b'{"timeout": 0}') != 0:
    print(library.XGBGetLastError().decode(errors="replace"), file=sys.stderr, flush=True)
    signal.pause()
)";

}  // namespace

std::span<const FrameworkVariable> xgboost_variables() { return kXgboostVariables; }

std::optional<ServiceProgram> xgboost_tracker(const RankPlace& view) {
  if (view.spec.store == StoreHost::program) return std::nullopt;
  const Endpoint& here = world_endpoint(view);
  return ServiceProgram{"the tracker of XGBoost",
                        kTracker,
                        {here.address, std::to_string(here.port), std::to_string(view.rank.world_size)},
                        here};
}

}  // namespace muster
