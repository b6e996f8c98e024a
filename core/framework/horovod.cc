// SPDX-License-Identifier: Apache-2.0
// Variables of Horovod with Gloo (horovod/runner/gloo_run.py, common/gloo/gloo_context.cc, 0.28), and the key-value server by which
// its ranks find each other.
#include <algorithm>

#include "core/framework/world_place.h"

namespace muster {
namespace {

using Value = std::optional<std::string>;
using View = const RankPlace&;

bool in_world_of(View v, const PlannedRank& other) {
  return v.spec.world == World::shared || other.group == v.rank.group;
}

// The ranks of its world that have its local rank, one for each node: those on nodes before its own, and all.
uint64_t peers_across(View v, bool only_before) {
  return static_cast<uint64_t>(std::count_if(v.plan.ranks.begin(), v.plan.ranks.end(), [&](const PlannedRank& other) {
    const bool counts = !only_before || other.node < v.rank.node;
    return in_world_of(v, other) && other.local_rank == v.rank.local_rank && counts;
  }));
}

// Names the node: two nodes on one host are two for Horovod.
Value node_name(View v) { return v.plan.nodes[v.rank.node].host + "-" + std::to_string(v.rank.node); }

Value gloo_interface(View v) { return world_endpoint(v).address == "127.0.0.1" ? Value("lo") : std::nullopt; }

constexpr FrameworkVariable kHorovodVariables[] = {
    {"HOROVOD_RANK", "the rank in its world", [](View v) { return number_text(v.rank.world_rank); }},
    {"HOROVOD_SIZE", "number of ranks of the world", [](View v) { return number_text(v.rank.world_size); }},
    {"HOROVOD_LOCAL_RANK", "the rank on its node", [](View v) { return number_text(v.rank.local_rank); }},
    {"HOROVOD_LOCAL_SIZE", "number of ranks on the node", [](View v) { return number_text(v.rank.local_size); }},
    {"HOROVOD_CROSS_RANK", "the node's number among the nodes that have a rank with this local rank",
     [](View v) { return number_text(peers_across(v, true)); }},
    {"HOROVOD_CROSS_SIZE", "number of those nodes", [](View v) { return number_text(peers_across(v, false)); }},
    {"HOROVOD_HOSTNAME", "name of the node", node_name},
    {"HOROVOD_GLOO_RENDEZVOUS_ADDR", "address of the key-value server",
     [](View v) -> Value { return world_endpoint(v).address; }},
    {"HOROVOD_GLOO_RENDEZVOUS_PORT", "port of the key-value server, new in each attempt",
     [](View v) { return number_text(world_endpoint(v).port); }},
    {"HOROVOD_GLOO_IFACE", "lo, if all ranks are on this machine; on hosts, the interface of the node's address",
     gloo_interface, true},
    {"HOROVOD_CONTROLLER", "gloo", [](View) -> Value { return "gloo"; }, true},
    {"HOROVOD_CPU_OPERATIONS", "gloo", [](View) -> Value { return "gloo"; }, true},
    {"CUDA_VISIBLE_DEVICES", "the GPUs of all ranks on the node, by UUID; hvd.local_rank() is an index into them",
     node_gpus},
};

// GET, PUT and DELETE of /scope/key. Horovod asks again until a key is there, so a GET waits a moment for it. Each rank deletes its
// addresses, /scope/RANK, when all ranks of the scope are connected, so a second hvd.init() does not find those of the first.
constexpr const char* kKeyValueServer = R"(import sys
sys.path.pop(0)  # a file of the user may be named like a module of Python
import http.server, threading
address, port = sys.argv[1], int(sys.argv[2])
values, changed = {}, threading.Condition()
patience = 0.2
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def answer(self, code, body=b""):
        self.send_response(code)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def do_GET(self):
        with changed:
            changed.wait_for(lambda: self.path in values, patience)
            value = values.get(self.path)
        self.answer(404) if value is None else self.answer(200, value)
    def do_PUT(self):
        value = self.rfile.read(int(self.headers["Content-Length"]))
        with changed:
            values[self.path] = value
            changed.notify_all()
        self.answer(200)
    def do_DELETE(self):
        with changed:
            values.pop(self.path, None)
        self.answer(200)
    def log_message(self, *arguments):
        pass
class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 1024
    def server_bind(self):  # without a look-up of the host's name
        self.socket.bind(self.server_address)
        self.server_name, self.server_port = address, port
Server((address, port), Handler).serve_forever()
)";

}  // namespace

std::span<const FrameworkVariable> horovod_variables() { return kHorovodVariables; }

std::optional<ServiceProgram> horovod_server(const RankPlace& view) {
  const Endpoint& here = world_endpoint(view);
  return ServiceProgram{
      "the key-value server of Horovod", kKeyValueServer, {here.address, std::to_string(here.port)}, here};
}

}  // namespace muster
