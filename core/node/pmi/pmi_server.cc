// SPDX-License-Identifier: Apache-2.0
#include "core/node/pmi/pmi_server.h"

#include <algorithm>
#include <charconv>

#include "core/base/text.h"
#include "core/node/pmi/pmi_mapping.h"

namespace muster {
namespace {

constexpr const char* kMapping = "PMI_process_mapping";

int number_of(const std::string& text, int otherwise) {
  int number = otherwise;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : otherwise;
}

// Errors of PMI-1 are one word, because blanks separate pairs.
std::string as_word(std::string text) {
  std::replace(text.begin(), text.end(), ' ', '_');
  return text;
}

PmiMessage result(const std::string& command) { return PmiMessage(command).add("rc", "0"); }

PmiMessage refusal(const std::string& command, const std::string& why) {
  return PmiMessage(command).add("rc", "-1").add("msg", as_word(why));
}

// The response to a PMI-2 request. The client finds the thread that waits by `thrid`.
PmiMessage response(const PmiMessage& asked, const std::string& code) {
  PmiMessage answer(asked.command() + "-response");
  if (asked.has("thrid")) answer.add("thrid", asked.get("thrid"));
  return answer.add("rc", code);
}

// A request of PMI-1 that muster refuses → the command of its answer. Empty: another request.
std::string refused_line(const std::string& command) {
  if (command == "publish_name") return "publish_result";
  if (command == "unpublish_name") return "unpublish_result";
  if (command == "lookup_name") return "lookup_result";
  if (command == "create_kvs") return "newkvs";
  if (command == "destroy_kvs") return "kvs_destroyed";
  if (command == "getbyidx") return "getbyidx_results";
  return "";
}

// The function of MPI that leads to a request which muster refuses; for others, the request.
std::string call_of(const std::string& command) {
  if (command == "publish_name" || command == "name-publish") return "MPI_Publish_name";
  if (command == "unpublish_name" || command == "name-unpublish") return "MPI_Unpublish_name";
  if (command == "lookup_name" || command == "name-lookup") return "MPI_Lookup_name";
  return command == "spawn" ? "MPI_Comm_spawn" : command;
}

}  // namespace

PmiServer::PmiServer(PmiWorld world)
    : world_(std::move(world)),
      alone_(world_.ranks.size() == world_.nodes.size()),
      clients_(world_.ranks.size()) {
  for (uint32_t local = 0; local < clients_.size(); ++local) clients_[local].local = local;
  if (const std::string mapping = pmi_process_mapping(world_.nodes); !mapping.empty()) store_.preset(kMapping, mapping);
}

PmiActions PmiServer::received(uint32_t local, std::string_view bytes) {
  PmiActions actions;
  Client& client = clients_.at(local);
  if (client.faulty) return actions;
  client.input += bytes;
  while (!client.faulty && take_message(client, actions)) {
  }
  return actions;
}

// Handles the first message of the input. False: it is not complete.
bool PmiServer::take_message(Client& client, PmiActions& actions) {
  if (client.version != 2) {
    const size_t end = client.input.find('\n');
    if (std::min(end, client.input.size()) > kPmiLongest) return fault(client, "a line is too long", actions), false;
    if (end == std::string::npos) return false;
    const std::string line = client.input.substr(0, end);
    client.input.erase(0, end + 1);
    handle_line(client, line, actions);
    return true;
  }
  if (client.input.size() < kPmiLengthSize) return false;
  const std::string digits = client.input.substr(0, kPmiLengthSize);
  const size_t first = digits.find_first_not_of(' ');
  const int length = first == std::string::npos ? -1 : number_of(digits.substr(first), -1);
  if (length < 0 || static_cast<size_t>(length) > kPmiLongest)
    return fault(client, "`" + escaped(digits) + "` is not the length of a message", actions), false;
  const auto size = static_cast<size_t>(length);
  if (client.input.size() - kPmiLengthSize < size) return false;
  const auto message = PmiMessage::of_fields(std::string_view(client.input).substr(kPmiLengthSize, size));
  client.input.erase(0, kPmiLengthSize + size);
  if (!message) return fault(client, "a message is not NAME=VALUE;…", actions), false;
  handle_fields(client, *message, actions);
  return true;
}

void PmiServer::fault(Client& client, const std::string& why, PmiActions& actions) {
  client.faulty = true;
  client.input.clear();
  actions.faults.push_back({client.local, why});
}

void PmiServer::init(Client& client, const PmiMessage& asked, PmiActions& actions) {
  const int version = number_of(asked.get("pmi_version"), 0);
  const bool known = version == 1 || version == 2;
  PmiMessage answer("response_to_init");
  answer.add("rc", known ? "0" : "-1")
      .add("pmi_version", version == 2 ? "2" : "1")
      .add("pmi_subversion", version == 2 ? "0" : "1");
  actions.writes.push_back({client.local, answer.as_line()});
  if (known) client.version = version;
}

void PmiServer::handle_line(Client& client, const std::string& line, PmiActions& actions) {
  if (client.spawning) {
    client.spawning = line != "endcmd";
    if (client.spawning) return;
    const std::string why = "MPI_Comm_spawn is not available under muster";
    actions.refusals.push_back({client.local, "MPI_Comm_spawn"});
    actions.writes.push_back({client.local, refusal("spawn_result", why).add("status", "failed").as_line()});
    return;
  }
  if (line == "mcmd=spawn") {
    client.spawning = true;
    return;
  }
  const auto asked = PmiMessage::of_line(line);
  if (!asked || asked->command().empty())
    return fault(client, "`" + escaped(line.substr(0, 80)) + "` is not PMI", actions);
  if (asked->command() == "init") return init(client, *asked, actions);
  if (client.version == 0) return fault(client, "`" + escaped(line.substr(0, 80)) + "` before cmd=init", actions);
  if (asked->command() == "barrier_in") return enter_barrier(client, "", actions);
  if (asked->command() == "abort") return abort(client, *asked, actions);
  actions.writes.push_back({client.local, answer_of_line(client, *asked, actions).as_line()});
}

PmiMessage PmiServer::answer_of_line(Client& client, const PmiMessage& asked, PmiActions& actions) {
  const std::string command = asked.command();
  if (command == "get_maxes")
    return result("maxes")
        .add("kvsname_max", std::to_string(kPmiNameMost))
        .add("keylen_max", std::to_string(kPmiKeyMost))
        .add("vallen_max", std::to_string(kPmiValueMost));
  if (command == "get_appnum") return result("appnum").add("appnum", std::to_string(app_of(client)));
  if (command == "get_my_kvsname") return result("my_kvsname").add("kvsname", world_.name);
  if (command == "get_universe_size") return result("universe_size").add("size", std::to_string(world_.size()));
  if (command == "finalize") {
    client.finalized = true;
    return result("finalize_ack");
  }
  if (const std::string answer = refused_line(command); !answer.empty()) {
    actions.refusals.push_back({client.local, call_of(command)});
    return refusal(answer, command + " is not available under muster").add("info", "failed");
  }
  const bool ours = asked.get("kvsname") == world_.name;
  if (command == "put") {
    const Status status =
        ours ? store_.put(asked.get("key"), asked.get("value")) : Status(Code::not_found, "there is no such kvsname");
    return status.ok() ? result("put_result").add("msg", "success") : refusal("put_result", status.message());
  }
  if (command == "get") {
    const auto value = ours ? store_.get(asked.get("key")) : std::nullopt;
    return value ? result("get_result").add("msg", "success").add("value", *value)
                 : refusal("get_result", "there is no such key");
  }
  return refusal(command + "_result", "unknown command");
}

void PmiServer::handle_fields(Client& client, const PmiMessage& asked, PmiActions& actions) {
  const std::string command = asked.command();
  if (command == "kvs-fence") return enter_barrier(client, asked.get("thrid"), actions);
  if (command == "abort") return abort(client, asked, actions);
  if (command.empty()) return fault(client, "a message without cmd", actions);
  PmiMessage answer = response(asked, "0");
  if (command == "fullinit") {
    answer.add("pmi-version", "2").add("pmi-subversion", "0");
    answer.add("rank", std::to_string(world_.ranks[client.local])).add("size", std::to_string(world_.size()));
    answer.add("appnum", std::to_string(app_of(client))).add("debugged", "FALSE").add("pmiverbose", "0");
  } else if (command == "job-getid") {
    answer.add("jobid", world_.name);
  } else if (command == "info-getjobattr" || command == "kvs-get") {
    answer_attribute(asked, answer);
  } else if (command == "info-getnodeattr") {
    if (!get_node_attribute(client, asked, answer)) return;
  } else if (command == "info-putnodeattr") {
    put_node_attribute(asked, answer, actions);
  } else if (command == "kvs-put") {
    const Status status = store_.put(asked.get("key"), asked.get("value"));
    if (!status.ok()) answer = response(asked, "1").add("errmsg", status.message());
  } else if (command == "finalize") {
    client.finalized = true;
  } else {
    actions.refusals.push_back({client.local, call_of(command)});
    answer = response(asked, "1").add("errmsg", command + " is not available under muster");
  }
  actions.writes.push_back({client.local, answer.as_fields()});
}

// Attributes of the job are values of the store that nobody has put, and the size of the universe.
void PmiServer::answer_attribute(const PmiMessage& asked, PmiMessage& answer) const {
  const std::string key = asked.get("key");
  const bool of_job = asked.command() == "info-getjobattr";
  auto value = of_job && key != kMapping ? std::nullopt : store_.get(key);
  if (of_job && key == "universeSize") value = std::to_string(world_.size());
  if (!value) {
    answer = response(asked, of_job ? "0" : "1").add("found", "FALSE");
    return;
  }
  answer.add("found", "TRUE").add("value", *value);
}

// False: the answer is sent when another rank of the node has put the attribute.
bool PmiServer::get_node_attribute(Client& client, const PmiMessage& asked, PmiMessage& answer) {
  const auto value = attributes_.get(asked.get("key"));
  if (value) return answer.add("found", "TRUE").add("value", *value), true;
  if (asked.get("wait") == "TRUE" && waiting_.size() < most_waiting) {
    waiting_.push_back({client.local, asked.get("key"), asked.get("thrid")});
    return false;
  }
  return answer.add("found", "FALSE"), true;
}

void PmiServer::put_node_attribute(const PmiMessage& asked, PmiMessage& answer, PmiActions& actions) {
  const std::string key = asked.get("key");
  const Status status = attributes_.put(key, asked.get("value"));
  if (!status.ok()) {
    answer = response(asked, "1").add("errmsg", status.message());
    return;
  }
  std::erase_if(waiting_, [&](const Waiting& each) {
    if (each.key != key) return false;
    PmiMessage told("info-getnodeattr-response");
    if (!each.thread.empty()) told.add("thrid", each.thread);
    told.add("rc", "0").add("found", "TRUE").add("value", asked.get("value"));
    actions.writes.push_back({each.local, told.as_fields()});
    return true;
  });
}

void PmiServer::enter_barrier(Client& client, const std::string& thread, PmiActions& actions) {
  if (client.in_barrier) return fault(client, "a second barrier before the first has ended", actions);
  client.in_barrier = true;
  client.thread = thread;
  if (++in_barrier_ < clients_.size()) return;
  if (alone_) return leave_barrier(actions);
  actions.exchange = store_.take_new();
}

void PmiServer::leave_barrier(PmiActions& actions) {
  if (alone_) static_cast<void>(store_.take_new());
  in_barrier_ = 0;
  for (Client& client : clients_) {
    client.in_barrier = false;
    PmiMessage fence("kvs-fence-response");
    if (!client.thread.empty()) fence.add("thrid", client.thread);
    fence.add("rc", "0");
    const std::string bytes = client.version == 2 ? fence.as_fields() : result("barrier_out").as_line();
    actions.writes.push_back({client.local, bytes});
  }
}

PmiActions PmiServer::exchanged(const std::vector<std::string>& of_nodes) {
  PmiActions actions;
  if (in_barrier_ < clients_.size()) return actions;
  for (const std::string& bytes : of_nodes) {
    const Status status = store_.merge(bytes);
    if (status.ok()) continue;
    for (Client& client : clients_) fault(client, status.message(), actions);
    return actions;
  }
  leave_barrier(actions);
  return actions;
}

void PmiServer::abort(const Client& client, const PmiMessage& asked, PmiActions& actions) const {
  PmiAbort abort;
  abort.rank = world_.ranks[client.local];
  abort.exit_code = number_of(asked.get("exitcode"), 1);
  abort.message = asked.has("message") ? asked.get("message") : asked.get("msg");
  actions.abort = std::move(abort);
}

uint32_t PmiServer::app_of(const Client& client) const {
  return client.local < world_.apps.size() ? world_.apps[client.local] : 0;
}

}  // namespace muster
