// SPDX-License-Identifier: Apache-2.0
#include "launcher/torchrun/settings.h"

#include <limits>

#include "core/base/random.h"
#include "core/base/text.h"
#include "core/job/job_spec.h"
#include "launcher/torchrun/endpoint.h"
#include "launcher/torchrun/python_text.h"

namespace muster {
namespace {

constexpr int64_t kMostRanks = 65536;
constexpr int64_t kMostTimeoutSeconds = 365LL * 24 * 3600;
constexpr const char* kShutdownVariable = "TORCH_ELASTIC_SHUTDOWN_TIMEOUT";

Status wrong_setting(const std::string& sentence) { return {Code::invalid_argument, sentence}; }

std::string quoted(const std::string& text) { return "`" + escaped(text) + "`"; }

// 1:MAX without an address runs on this host alone, because no other host could join.
Status check_nodes(const TorchrunFlags& flags, TorchrunSettings& settings) {
  const auto nodes = nodes_of(flags.nnodes);
  if (!nodes.ok()) return nodes.status();
  if (flags.node_rank < 0) return wrong_setting("--node-rank counts from 0, not " + std::to_string(flags.node_rank));
  if (nodes->most == 1) return {};
  const bool alone = flags.standalone || !address_typed(flags);
  if (nodes->least == 1 && alone) {
    settings.remarks.push_back("--nnodes " + escaped(flags.nnodes) +
                               ": runs on this host only, because no address is given for others");
    return {};
  }
  if (flags.standalone) {
    return wrong_setting("--standalone uses only this machine, so --nnodes " + escaped(flags.nnodes) +
                         " cannot be reached");
  }
  auto meeting = meeting_of(flags, *nodes);
  if (meeting.ok()) settings.meeting = std::move(*meeting);
  return meeting.status();
}

Result<uint32_t> ranks_of(const std::string& text, const TorchrunFacts& facts) {
  if (const auto number = python_int(text)) {
    if (*number >= 1 && *number <= kMostRanks) return static_cast<uint32_t>(*number);
    return wrong_setting("--nproc-per-node wants 1 to 65,536 ranks, not " + quoted(text));
  }
  if (text == "cpu") return facts.cpus;
  if (text == "auto" || text == "gpu") {
    const uint32_t gpus = facts.gpus();
    if (gpus > 0) return gpus;
    if (text == "auto") return facts.cpus;
    return wrong_setting(
        "--nproc-per-node gpu: no GPU is visible on this machine; `muster doctor` shows why, `auto` uses CPUs instead");
  }
  if (text == "xpu") return wrong_setting("--nproc-per-node xpu: muster cannot count XPUs; type their number");
  const auto near = nearest(text, {"auto", "cpu", "gpu", "xpu"});
  return wrong_setting("--nproc-per-node wants a number, auto, cpu or gpu, not " + quoted(text) +
                       (near ? "; did you mean `" + *near + "`?" : ""));
}

Result<std::set<uint32_t>> shown_of(const std::string& text) {
  std::set<uint32_t> shown;
  if (text.empty()) return shown;
  for (const std::string& part : split(text, ',')) {
    const auto rank = python_int(part);
    if (!rank) return wrong_setting("--local-ranks-filter wants local ranks such as 0,1,2, not " + quoted(text));
    // A rank that does not exist selects nothing.
    shown.insert(*rank >= 0 && *rank < kMostRanks ? static_cast<uint32_t>(*rank)
                                                  : std::numeric_limits<uint32_t>::max());
  }
  return shown;
}

Result<Duration> shutdown_of(const TorchrunFlags& flags, const TorchrunFacts& facts) {
  const std::string name = flags.shutdown_timeout ? "--shutdown-timeout" : kShutdownVariable;
  std::optional<int64_t> seconds = flags.shutdown_timeout;
  if (!seconds) {
    const auto found = facts.environment.find(kShutdownVariable);
    seconds = found == facts.environment.end() ? 30 : python_int(found->second);
  }
  if (seconds && *seconds >= 0 && *seconds <= kMostTimeoutSeconds) return Duration(std::chrono::seconds(*seconds));
  return wrong_setting(name + " wants a number of seconds from 0 to one year");
}

// Like torch, warns about names that are not signals or cannot be handled, and continues.
void take_signals(const std::string& text, TorchrunSettings& settings) {
  for (const std::string& part : split(text, ',')) {
    const size_t begin = part.find_first_not_of(' ');
    const std::string name =
        begin == std::string::npos ? "" : part.substr(begin, part.find_last_not_of(' ') + 1 - begin);
    const auto number = name.starts_with("SIG") ? signal_number(name) : std::nullopt;
    if (number && name != "SIGKILL" && name != "SIGSTOP") {
      settings.signals.push_back(*number);
    } else {
      settings.remarks.push_back("muster: --signals-to-handle: " + quoted(name) +
                                 " is not a signal that can be handled");
    }
  }
}

std::string random_uuid(uint64_t seed) {
  Random random(seed);
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx";
  for (char& c : text) {
    if (c == 'x') c = digits[random.next() % 16];
    if (c == 'y') c = digits[8 + random.next() % 4];
  }
  return text;
}

// A new run id where torchrun creates its own rendezvous.
std::string run_id_of(const TorchrunFlags& flags, const TorchrunFacts& facts, const TorchrunSettings& settings) {
  if (settings.meeting) return settings.meeting->run;
  const bool unnamed = flags.rdzv_backend == "static" && flags.rdzv_endpoint.empty() && !flags.master_port;
  return flags.standalone || unnamed ? random_uuid(facts.seed) : flags.rdzv_id;
}

Status check_addresses(const TorchrunFlags& flags) {
  if (const Status conf = check_rendezvous_conf(flags.rdzv_conf); !conf.ok()) return conf;
  if (flags.standalone) return {};
  if (const Status endpoint = check_endpoint(flags.rdzv_endpoint); !endpoint.ok()) return endpoint;
  const bool port = !flags.master_port || (*flags.master_port >= 0 && *flags.master_port <= 65535);
  return port ? Status()
              : wrong_setting("--master-port wants a port from 0 to 65535, not " + std::to_string(*flags.master_port));
}

// torch 2.15's registry (torch.distributed.elastic.rendezvous.registry).
Status check_backend(const TorchrunFlags& flags) {
  for (const char* known : {"static", "c10d", "etcd", "etcd-v2"}) {
    if (flags.standalone || flags.rdzv_backend == known) return {};
  }
  return wrong_setting("unknown --rdzv-backend `" + escaped(flags.rdzv_backend) +
                       "`; use static and c10d, which need no service, or none on one host");
}

Status check_rest(const TorchrunFlags& flags) {
  if (const Status backend = check_backend(flags); !backend.ok()) return backend;
  if (flags.no_python && flags.module && !flags.run_path) {
    return wrong_setting("--no-python and --module cannot be combined: a module needs an interpreter");
  }
  if (flags.max_restarts < 0 || flags.max_restarts > std::numeric_limits<uint32_t>::max()) {
    return wrong_setting("--max-restarts wants 0 or more, not " + std::to_string(flags.max_restarts));
  }
  // `default` is torch's own class, which implements --log-dir, --redirects and --tee.
  if (flags.logs_specs && *flags.logs_specs != "default") {
    return wrong_setting(
        "--logs-specs " + escaped(*flags.logs_specs) +
        " is not supported: it names a Python class that chooses the log files, but muster stores the output itself; "
        "use --log-dir, --redirects and --tee for copies");
  }
  return {};
}

// torchrun fails there when it starts the ranks.
Status check_virtual(const TorchrunFlags& flags, const TorchrunFacts& facts, uint32_t ranks) {
  const auto found = facts.environment.find("CUDA_VISIBLE_DEVICES");
  if (!flags.virtual_local_rank || found == facts.environment.end()) return {};
  const size_t entries = split(found->second, ',').size();
  if (ranks <= entries) return {};
  return wrong_setting("--virtual-local-rank gives each rank one GPU of CUDA_VISIBLE_DEVICES=" + quoted(found->second) +
                       ", but there are " + count_of(ranks, "rank"));
}

std::string template_of(const TorchrunFlags& flags, const TorchrunFacts& facts) {
  if (!flags.log_line_prefix_template.empty()) return flags.log_line_prefix_template;
  const auto found = facts.environment.find("TORCHELASTIC_LOG_LINE_PREFIX_TEMPLATE");
  const bool given = found != facts.environment.end() && !found->second.empty();
  return given ? found->second : "[${role_name}${local_rank}]:";
}

}  // namespace

Result<TorchrunSettings> settle_torchrun(const TorchrunFlags& flags, const TorchrunFacts& facts) {
  TorchrunSettings settings;
  for (const Status& checked : {check_rest(flags), check_addresses(flags), check_nodes(flags, settings)}) {
    if (!checked.ok()) return checked;
  }
  const auto ranks = ranks_of(flags.nproc_per_node, facts);
  const auto redirects = StreamPick::parse("--redirects", flags.redirects);
  const auto tee = StreamPick::parse("--tee", flags.tee);
  const auto shown = shown_of(flags.local_ranks_filter);
  const auto shutdown = shutdown_of(flags, facts);
  for (const Status& read : {ranks.status(), redirects.status(), tee.status(), shown.status(), shutdown.status()}) {
    if (!read.ok()) return read;
  }
  if (const Status enough = check_virtual(flags, facts, *ranks); !enough.ok()) return enough;
  settings.ranks = *ranks;
  settings.restarts = static_cast<uint32_t>(flags.max_restarts);
  settings.role = flags.role;
  settings.run_id = run_id_of(flags, facts, settings);
  settings.shutdown = *shutdown;
  settings.redirects = *redirects;
  settings.tee = *tee;
  settings.shown = *shown;
  settings.prefix_template = template_of(flags, facts);
  take_signals(flags.signals_to_handle, settings);
  return settings;
}

}  // namespace muster
