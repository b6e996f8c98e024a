// SPDX-License-Identifier: Apache-2.0
#include "core/framework/framework.h"

#include <algorithm>
#include <cctype>
#include <functional>

#include "core/base/text.h"
#include "core/job/python_command.h"
#include "core/job/template_text.h"

namespace muster {
namespace {

constexpr std::string_view kNothing = "nothing";
constexpr std::string_view kStore =
    "the torch store, served by the agent of the world's first node, empty in each attempt (key `store`)";
constexpr std::string_view kPmixAndStore =
    "a PMIx server on each node, which adds the variables PMIX_… and, unless you set them, the folders of shared "
    "memory "
    "(OMPI_MCA_btl_vader_backing_directory, …) and OMPI_MCA_mpi_yield_when_idle; and the torch store of framework "
    "torch";

FrameworkInfo on_torch(Framework framework, std::string_view summary, std::span<const FrameworkVariable> own,
                       std::string_view arguments = kNothing) {
  FrameworkInfo info{framework, summary, kStore, arguments, {}, true};
  info.variables = {plain_variables(), torch_variables(), thread_variables(), own};
  info.slow_import = true;
  return info;
}

FrameworkInfo mlx() {
  return {.framework = Framework::mlx,
          .summary = "programs that call mlx.core.distributed.init()",
          .service = "nothing; each rank opens its leased port (ring), or rank 0 opens NCCL_PORT (nccl)",
          .arguments = kNothing,
          .variables = {plain_variables(), mlx_variables()},
          .rank_ports = 1,
          .files = mlx_files()};
}

FrameworkInfo xgboost() {
  return {.framework = Framework::xgboost,
          .summary = "XGBoost programs that pass the variables DMLC_… to xgboost.collective.CommunicatorContext",
          .service =
              "the tracker of the ranks' own XGBoost, on the world's first node; with `store: program` rank 0 runs it",
          .arguments = kNothing,
          .variables = {plain_variables(), thread_variables(), xgboost_variables()},
          .slow_import = true,
          .program = xgboost_tracker};
}

// Its import is slow, but it reads PADDLE_TRAINER_ID, so ranks cannot be forked after it.
FrameworkInfo paddle() {
  return {.framework = Framework::paddle,
          .summary = "PaddlePaddle programs that call paddle.distributed.init_parallel_env()",
          .service = "nothing; rank 0 opens a store at PADDLE_MASTER, and each rank its leased port",
          .arguments = kNothing,
          .variables = {plain_variables(), thread_variables(), paddle_variables()},
          .rank_ports = 1};
}

FrameworkInfo horovod() {
  return {.framework = Framework::horovod,
          .summary = "Horovod programs, over Gloo",
          .service = "Horovod's key-value server (HTTP), on the world's first node, empty in each attempt",
          .arguments = kNothing,
          .variables = {plain_variables(), thread_variables(), horovod_variables()},
          .slow_import = true,
          .program = horovod_server};
}

// In the order of the enum.
const std::vector<FrameworkInfo>& frameworks() {
  static const std::vector<FrameworkInfo> all = {
      {Framework::plain,
       "programs without a framework, or that use muster's own variables",
       kNothing,
       kNothing,
       {plain_variables()}},
      on_torch(Framework::torch, "torch.distributed with env://, and all programs that run under torchrun", {}),
      on_torch(Framework::lightning, "PyTorch Lightning and Fabric", lightning_variables()),
      on_torch(Framework::accelerate, "Hugging Face Accelerate, and Transformers' Trainer", {}),
      on_torch(Framework::deepspeed, "DeepSpeed", deepspeed_variables(),
               "--local_rank=N after the script, as DeepSpeed's launcher adds it (not with torch.local_rank: env)"),
      {.framework = Framework::jax,
       .summary = "JAX programs that call jax.distributed.initialize() without arguments, and libraries on JAX",
       .service =
           "nothing; rank 0 opens JAX's coordination service at JAX_COORDINATOR_ADDRESS, whose TCP port is leased",
       .arguments = kNothing,
       .variables = {plain_variables(), jax_variables()},
       .slow_import = true},
      {.framework = Framework::tensorflow,
       .summary = "TensorFlow programs that read TF_CONFIG; groups are task types: chief, worker, ps, evaluator",
       .service = "nothing; each rank opens the server of its task at a TCP port that is leased for it",
       .arguments = kNothing,
       .variables = {plain_variables(), tensorflow_variables()},
       .rank_ports = 1,
       .slow_import = true},
      {Framework::mpi,
       "MPI programs, mpi4py, and all programs that run under mpirun: also the variables of torch",
       kPmixAndStore,
       kNothing,
       {plain_variables(), torch_variables(), mpi_variables()},
       true},
      mlx(),
      xgboost(),
      paddle(),
      horovod(),
      {.framework = Framework::custom,
       .summary = "variables of your own: the templates in `custom` of the job file",
       .service =
           "the command `service` of the job file, on the world's first node; muster leases ${master_port} there and "
           "${port} on each rank's node for the service or the ranks to open",
       .arguments = kNothing,
       .variables = {plain_variables()},
       .program = custom_service},
      {Framework::any,
       "programs whose framework muster does not know: the variables of plain and of torch, without OMP_NUM_THREADS",
       kStore,
       kNothing,
       {torch_variables(), plain_variables()},  // so each rank sees its own GPUs only
       true},
  };
  return all;
}

bool goes_on(const std::string& word, size_t at) {
  return at < word.size() && (std::isalnum(static_cast<unsigned char>(word[at])) != 0 || word[at] == '_');
}

// Replaces local_rank as torchrun does it with Python's string.Template.safe_substitute.
std::string with_local_rank(const std::string& word, const std::string& local_rank) {
  constexpr std::string_view kBraced = "${local_rank}";
  constexpr std::string_view kBare = "$local_rank";
  std::string filled;
  for (size_t at = 0; at < word.size();) {
    const std::string_view rest = std::string_view(word).substr(at);
    const bool bare = rest.starts_with(kBare) && !goes_on(word, at + kBare.size());
    if (rest.starts_with("$$")) {
      filled += "$";
      at += 2;
    } else if (bare || rest.starts_with(kBraced)) {
      filled += local_rank;
      at += bare ? kBare.size() : kBraced.size();
    } else {
      filled += word[at++];
    }
  }
  return filled;
}

bool wants_argument(const JobSpec& spec) {
  if (spec.torch.local_rank == LocalRankForm::automatic) return spec.framework == Framework::deepspeed;
  return spec.torch.local_rank == LocalRankForm::argument && framework_info(spec.framework).meets_in_store;
}

std::optional<std::vector<std::string>> endpoints_of(const RankPlace& view,
                                                     const std::function<bool(const PlannedRank&)>& counts) {
  std::map<uint32_t, std::string> by_rank;
  for (const PlannedRank& rank : view.plan.ranks) {
    if (!counts(rank)) continue;
    const auto port = leased_port(view.place, rank.node, rank_port_owner(rank.local_rank), 1);
    if (!port || rank.node >= view.place.addresses.size()) return std::nullopt;
    by_rank[rank.world_rank] = host_port(view.place.addresses[rank.node], *port);
  }
  std::vector<std::string> endpoints;
  for (const auto& [rank, endpoint] : by_rank) endpoints.push_back(endpoint);
  return endpoints;
}

}  // namespace

const FrameworkInfo& framework_info(Framework framework) { return frameworks().at(static_cast<size_t>(framework)); }

const std::vector<Framework>& all_frameworks() {
  static const std::vector<Framework> all = [] {
    std::vector<Framework> list;
    for (const FrameworkInfo& info : frameworks()) list.push_back(info.framework);
    return list;
  }();
  return all;
}

RankVariables framework_variables(const RankPlace& view) {
  RankVariables variables;
  for (const auto& table : framework_info(view.spec.framework).variables) {
    for (const FrameworkVariable& each : table) {
      std::optional<std::string> value = each.value(view);
      if (value) (each.fills_gap ? variables.gaps : variables.over)[std::string(each.name)] = std::move(*value);
    }
  }
  for (const auto& [name, text] : view.spec.custom)
    variables.over[name] = fill_template(text, [&](std::string_view word) { return template_value(view, word); });
  return variables;
}

std::set<std::string> place_variables(const JobSpec& spec) {
  std::set<std::string> names;
  for (const auto& table : framework_info(spec.framework).variables) {
    for (const FrameworkVariable& each : table) names.emplace(each.name);
  }
  for (const FrameworkVariable& each : framework_info(spec.framework).files) names.emplace(each.name);
  for (const auto& [name, text] : spec.custom) names.insert(name);
  return names;
}

std::vector<std::string> framework_command(const RankPlace& view) {
  std::vector<std::string> command = view.spec.groups[view.rank.group].command;
  const std::string local_rank = std::to_string(view.rank.local_rank);
  if (view.spec.torch.macros) {
    for (std::string& word : command) word = with_local_rank(word, local_rank);
  }
  if (wants_argument(view.spec))
    command.insert(command.begin() + static_cast<ptrdiff_t>(first_argument(command)), "--local_rank=" + local_rank);
  return command;
}

std::string without_macros(const std::string& text) {
  std::string doubled;
  for (const char each : text) doubled += each == '$' ? "$$" : std::string(1, each);
  return doubled;
}

PortCounts node_ports(const FrameworkInfo& info, const JobSpec& spec, const Plan& plan, NodeIndex node) {
  PortCounts counts = info.service_ports;
  uint32_t of_rank = info.rank_ports;
  for (const auto& [name, text] : spec.custom) of_rank = std::max(of_rank, ports_of_template(text));
  for (const uint32_t index : of_rank > 0 ? plan.nodes[node].ranks : std::vector<uint32_t>())
    counts[rank_port_owner(plan.ranks[index].local_rank)] = of_rank;
  return counts;
}

std::optional<std::vector<std::string>> group_endpoints(const RankPlace& view, uint32_t group) {
  return endpoints_of(view, [group](const PlannedRank& rank) { return rank.group == group; });
}

std::optional<std::vector<std::string>> world_endpoints(const RankPlace& view) {
  return endpoints_of(view, [&view](const PlannedRank& rank) {
    return view.spec.world == World::shared || rank.group == view.rank.group;
  });
}

std::optional<uint16_t> leased_port(const AttemptPlace& place, NodeIndex node, const std::string& owner,
                                    uint32_t number) {
  if (node >= place.ports.size()) return std::nullopt;
  const auto found = place.ports[node].find(owner);
  if (found == place.ports[node].end() || number == 0 || number > found->second.size()) return std::nullopt;
  return found->second[number - 1];
}

std::map<std::string, std::string> framework_files(const RankPlace& view) {
  std::map<std::string, std::string> files;
  for (const FrameworkVariable& each : framework_info(view.spec.framework).files) {
    if (const auto text = each.value(view)) files[std::string(each.name)] = *text;
  }
  return files;
}

std::optional<ServiceProgram> service_program(const RankPlace& view) {
  const auto program = framework_info(view.spec.framework).program;
  return program == nullptr ? std::nullopt : program(view);
}

std::string shown_service(const JobSpec& spec, const Plan& plan) {
  if (!spec.service.empty()) return join(spec.service, " ");
  if (plan.ranks.empty()) return "";
  AttemptPlace place;
  place.endpoints.assign(spec.groups.size(), Endpoint());
  const auto program = service_program({spec, plan, plan.ranks.front(), place, ""});
  return program ? program->name : "";
}

// An MPI program that also uses torch sets MASTER_ADDR and MASTER_PORT itself, as under mpirun, and rank 0 opens the store there.
bool hosts_store(const JobSpec& spec) {
  return spec.framework != Framework::mpi && framework_info(spec.framework).meets_in_store &&
         spec.store != StoreHost::program;
}

}  // namespace muster
