// SPDX-License-Identifier: Apache-2.0
// Measures gRPC alone for streams and messages, as the baseline for scripts/bench agents.
//   muster_stream_rate serve                                   echoes; prints "port N"
//   muster_stream_rate streams PORT COUNT CONNECTIONS ROUNDS UP DOWN
// The second opens COUNT streams at once. Each sends and receives ROUNDS messages in turn, of UP and DOWN bytes. This is repeated
// for each line on standard input. It prints "began NANOS" and "done NANOS".
#include <grpcpp/client_context.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <string>
#include <vector>

#include "core/wire/settings.h"
#include "proto/agent.grpc.pb.h"

namespace muster {
namespace {

using Stream = grpc::ServerAsyncReaderWriter<wire::ToAgent, wire::FromAgent>;

void tell(const std::string& what) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  std::cout << what << " " << std::chrono::duration_cast<std::chrono::nanoseconds>(now).count() << std::endl;
}

// The object is its own tag: only one operation is in progress at a time.
class Served {
 public:
  Served(wire::AgentLink::AsyncService& service, grpc::ServerCompletionQueue& queue)
      : service_(service),
        queue_(queue) {
    service_.RequestConnect(&context_, &stream_, &queue_, &queue_, this);
  }

  void complete(bool ok) {
    if (next_ == Next::come) new Served(service_, queue_);
    if (next_ == Next::end) return delete this;
    if (!ok) return end();
    next_ == Next::heard ? answer() : read();
  }

 private:
  enum class Next { come, heard, said, end };

  void read() {
    next_ = Next::heard;
    stream_.Read(&in_, this);
  }
  void answer() {
    next_ = Next::said;
    out_.mutable_desired()->set_snapshot(std::string(in_.report().beat(), 'd'));
    stream_.Write(out_, this);
  }
  void end() {
    next_ = Next::end;
    stream_.Finish(grpc::Status::OK, this);
  }

  wire::AgentLink::AsyncService& service_;
  grpc::ServerCompletionQueue& queue_;
  grpc::ServerContext context_;
  Stream stream_{&context_};
  wire::FromAgent in_;
  wire::ToAgent out_;
  Next next_ = Next::come;
};

int serve() {
  wire::AgentLink::AsyncService service;
  grpc::ServerBuilder builder;
  int port = 0;
  apply_tcp_server_settings(builder);
  builder.AddListeningPort("127.0.0.1:0", server_credentials(std::nullopt), &port);
  builder.RegisterService(&service);
  const auto queue = builder.AddCompletionQueue();
  const auto server = builder.BuildAndStart();
  new Served(service, *queue);
  std::cout << "port " << port << std::endl;
  void* tag = nullptr;
  bool ok = false;
  while (queue->Next(&tag, &ok)) static_cast<Served*>(tag)->complete(ok);
  return 0;
}

class Caller {
 public:
  Caller(const std::shared_ptr<grpc::Channel>& channel, grpc::CompletionQueue& queue, size_t up, size_t down)
      : stub_(wire::AgentLink::NewStub(channel)) {
    out_.mutable_report()->set_trouble(std::string(up, 'u'));
    out_.mutable_report()->set_beat(down);
    stream_ = stub_->PrepareAsyncConnect(&context_, &queue);
  }

  // True: all rounds are done.
  bool complete(bool ok) {
    if (!ok) return tell("lost"), false;
    if (!writing_ && left_ > 0 && --left_ == 0) return true;
    writing_ ? read() : write();
    return false;
  }
  void begin(uint32_t rounds, bool first) {
    left_ = rounds + (first ? 1 : 0);  // the start of the call counts as one received message
    first ? stream_->StartCall(this) : write();
  }

 private:
  void read() {
    writing_ = false;
    stream_->Read(&in_, this);
  }
  void write() {
    writing_ = true;
    stream_->Write(out_, this);
  }

  const std::unique_ptr<wire::AgentLink::Stub> stub_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientAsyncReaderWriter<wire::FromAgent, wire::ToAgent>> stream_;
  wire::FromAgent out_;
  wire::ToAgent in_;
  uint32_t left_ = 0;
  bool writing_ = false;
};

struct Choice {
  uint16_t port;
  uint32_t count, connections, rounds, up, down;
};

int streams(const Choice& choice) {
  grpc::CompletionQueue queue;
  std::vector<std::shared_ptr<grpc::Channel>> channels;
  for (uint32_t i = 0; i < choice.connections; ++i)
    channels.push_back(tcp_channel({"127.0.0.1", choice.port, std::nullopt}));
  std::deque<Caller> callers;
  for (uint32_t i = 0; i < choice.count; ++i)
    callers.emplace_back(channels[i % channels.size()], queue, choice.up, choice.down);
  char line[64];
  bool first = true;
  do {
    tell("began");
    for (Caller& caller : callers) caller.begin(choice.rounds, first);
    first = false;
    void* tag = nullptr;
    bool ok = false;
    for (uint32_t done = 0; done < choice.count && queue.Next(&tag, &ok);)
      done += static_cast<Caller*>(tag)->complete(ok) ? 1 : 0;
    tell("done");
  } while (read(STDIN_FILENO, line, sizeof line) > 0);
  _exit(0);  // ends all streams at once
}

uint32_t number(const char* word) { return static_cast<uint32_t>(std::strtoul(word, nullptr, 10)); }

}  // namespace
}  // namespace muster

int main(int count, char** words) {
  using muster::number;
  const std::string part = count > 1 ? words[1] : "";
  if (part == "serve" && count == 2) return muster::serve();
  if (part != "streams" || count != 8) return 2;
  return muster::streams({static_cast<uint16_t>(number(words[2])), number(words[3]), number(words[4]), number(words[5]),
                          number(words[6]), number(words[7])});
}
