// SPDX-License-Identifier: Apache-2.0
#include "launcher/view/plan_view.h"

#include "core/base/text.h"
#include "core/client/view/status_lines.h"
#include "core/framework/framework.h"
#include "core/job/variable_names.h"
#include "launcher/view/short_command.h"

namespace muster {
namespace {

using Environment = std::map<std::string, std::string>;

// The agent of each node has its own socket.
constexpr const char* kSocket = "<the agent's socket>";
constexpr const char* kProgram = "<muster's program on the node>";
constexpr const char* kNew = "<new in each attempt>";
constexpr size_t most_shown_values = 8;  // of a variable that differs between ranks

void lay_over(Environment& environment, const std::map<std::string, EnvValue>& values) {
  for (const auto& [name, value] : values) environment[name] = value.secret ? "***" : value.literal;
}

// "10.0.0.1:0" → "10.0.0.1:<new port>", also in lists and in JSON.
std::string with_new_ports(const std::string& value) {
  std::string text;
  for (size_t at = 0; at < value.size(); ++at) {
    const bool port = value.compare(at, 2, ":0") == 0;
    const bool ends = at + 2 >= value.size() || value[at + 2] == ',' || value[at + 2] == '"';
    text += port && ends ? ":<new port>" : std::string(1, value[at]);
    if (port && ends) ++at;
  }
  return text;
}

// Replaces values that are only known when an attempt starts.
std::string known_or_not(const std::string& name, const std::string& value) {
  if (value.empty() && name.ends_with("ID")) return "<the job's id>";
  if (value.empty() && name.ends_with("_ADDR")) return "<chosen for the job>";
  if (value == "0" && name.ends_with("_PORT")) return kNew;
  if (name == kNoProxyVariable) return "<only if a proxy is set: " + value + ">";
  return with_new_ports(value);
}

// The first attempt, with what is known before it starts.
AttemptPlace place_of(const JobSpec& spec, const Plan& plan, const NodePlaces& places) {
  AttemptPlace place{.job_name = spec.name};
  place.endpoints.assign(spec.groups.size(), {"127.0.0.1", 0});
  for (const PlannedNode& node : plan.nodes) {
    PortsByOwner ports;
    for (const auto& [owner, count] : node_ports(framework_info(spec.framework), spec, plan, node.node))
      ports[owner].resize(count);
    place.ports.push_back(ports);
  }
  for (const std::string& each : places.addresses) place.addresses.push_back(each);
  for (const std::string& each : places.loopbacks) place.loopbacks.push_back(each);
  return place;
}

Environment environment_of(const JobSpec& spec, const Plan& plan, const PlannedRank& rank, const AttemptPlace& place) {
  const RankPlace view{spec, plan, rank, place, kNew};
  RankVariables variables = framework_variables(view);
  Environment environment = std::move(variables.over);
  environment.merge(variables.gaps);
  for (const auto& [name, text] : framework_files(view)) environment[name] = kNew;
  for (auto& [name, value] : environment) value = known_or_not(name, value);
  lay_over(environment, spec.env);
  lay_over(environment, spec.groups[rank.group].env);
  const HostSpec* host = host_of(spec, plan, rank);
  if (host == nullptr) return environment;
  for (const auto& [name, value] : host_variables(*host)) environment[name] = value;
  return environment;
}

// 0,1,2,5 → "0-2,5".
std::string ranges(const std::vector<uint32_t>& numbers) {
  std::string text;
  for (size_t i = 0; i < numbers.size();) {
    size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(numbers[i]);
    if (last > i) text += "-" + std::to_string(numbers[last]);
    i = last + 1;
  }
  return text;
}

std::string devices(const PlannedRank& rank) {
  std::vector<std::string> names;
  for (const Gpu& gpu : rank.gpus) names.push_back("gpu " + std::to_string(gpu.index));
  return or_dash(join(names, ", "));
}

std::string with_label(const HostSpec* host, const std::string& name) {
  return host == nullptr || host->label.empty() ? or_dash(name) : name + " (" + host->label + ")";
}

constexpr size_t kLongestCommand = 1000;  // of a row, in bytes

std::string ranks_table(const JobSpec& spec, const Plan& plan, const Style& style) {
  std::vector<Row> rows{{{"RANK"}, {"NODE"}, {"HOST"}, {"LOCAL"}, {"DEVICES"}, {"CPUS"}, {"COMMAND"}}};
  for (const PlannedRank& rank : plan.ranks) {
    const std::string host = rank.node < plan.nodes.size() ? plan.nodes[rank.node].host : "";
    rows.push_back({{rank_name(spec, rank)},
                    {std::to_string(rank.node)},
                    {with_label(host_of(spec, plan, rank), host)},
                    {std::to_string(rank.local_rank)},
                    {devices(rank)},
                    {bound_cpus(rank).empty() ? "any" : ranges(bound_cpus(rank))},
                    {escaped(short_command(spec.groups[rank.group].command, kLongestCommand))}});
  }
  return table(rows, style, 2);
}

// The commands that prepare each host, and the program that runs for the ranks.
std::string setup_lines(const JobSpec& spec, const Plan& plan) {
  std::string text;
  for (const std::vector<std::string>& command : spec.setup) text += "setup   " + escaped(join(command, " ")) + "\n";
  if (!spec.python.venv.empty()) text += "python  " + escaped(spec.python.venv) + "/bin/python\n";
  const std::string service = shown_service(spec, plan);
  if (!service.empty()) text += "service " + escaped(service) + ", on the first node of each world\n";
  return text.empty() ? "" : text + "\n";
}

struct Variable {
  std::vector<std::string> values;  // by rank; "" where it is unset
  bool shared = true;
};

std::map<std::string, Variable> by_name(const std::vector<Environment>& environments) {
  std::map<std::string, Variable> variables;
  for (size_t i = 0; i < environments.size(); ++i) {
    for (const auto& [name, value] : environments[i]) {
      Variable& variable = variables[name];
      variable.values.resize(environments.size());
      variable.values[i] = value;
    }
  }
  for (auto& [name, variable] : variables) {
    for (const std::string& value : variable.values) variable.shared = variable.shared && value == variable.values[0];
  }
  return variables;
}

std::string values_text(const Variable& variable) {
  if (variable.shared) return escaped(variable.values[0]);
  std::vector<std::string> shown;
  for (const std::string& value : variable.values) shown.push_back(or_dash(escaped(value)));
  const bool cut_short = shown.size() > most_shown_values;
  if (cut_short) shown.resize(most_shown_values);
  return join(shown, " | ") + (cut_short ? " | …" : "");
}

std::string environment_table(const std::vector<Environment>& environments, const Style& style) {
  std::vector<Row> rows;
  for (const auto& [name, variable] : by_name(environments)) rows.push_back({{name}, {values_text(variable)}});
  return table(rows, style, 2);
}

}  // namespace

NodePlaces places_here(const Plan& plan, const std::string& loopback) {
  return {std::vector<std::string>(plan.nodes.size(), "127.0.0.1"),
          std::vector<std::string>(plan.nodes.size(), loopback)};
}

NodePlaces places_on(const std::vector<JobHost>& hosts, const Plan& plan) {
  std::map<std::string, const JobHost*> by_name;
  for (const JobHost& host : hosts) by_name[host.name] = &host;
  NodePlaces places;
  for (const PlannedNode& node : plan.nodes) {
    places.addresses.push_back(by_name.at(node.host)->address);
    places.loopbacks.push_back(by_name.at(node.host)->loopback);
  }
  return places;
}

std::vector<Environment> shown_environments(const JobSpec& spec, const Plan& plan, const NodePlaces& places) {
  std::vector<Environment> environments;
  const AttemptPlace place = place_of(spec, plan, places);
  for (const PlannedRank& rank : plan.ranks) {
    Environment environment = environment_of(spec, plan, rank, place);
    environment["MUSTER_INDEX"] = std::to_string(environments.size());
    environment["MUSTER_PROGRAM"] = kProgram;
    environment["MUSTER_SOCKET"] = kSocket;
    environments.push_back(std::move(environment));
  }
  return environments;
}

std::string plan_view(const JobSpec& spec, const Plan& plan, const std::vector<Environment>& environments,
                      const Style& style) {
  std::string text = paint(style, Colour::bold, spec.name) + "  " + count_of(plan.nodes.size(), "node") + " · " +
                     count_of(plan.ranks.size(), "rank") + " · " +
                     framework_in_words(std::string(to_string(spec.framework))) + " · " +
                     std::string(to_string(spec.backend)) + " · in " + spec.workdir + "\n\n";
  const std::string whose = spec.backend == BackendKind::local ? "your shell" : "its host";
  text += setup_lines(spec, plan);
  text += ranks_table(spec, plan, style) + "\nenvironment, in addition to that of " + whose + " (a | b: by rank)\n";
  return text + environment_table(environments, style);
}

}  // namespace muster
