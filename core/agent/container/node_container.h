// SPDX-License-Identifier: Apache-2.0
// NodeContainer: the container of a node's ranks. It finds a program that opens the image, fetches the image if the host does not have
// it, and keeps the container open until close(). If the container ends before that, it is opened again.
//
// Loop thread only. The owner calls close() and waits for closed() before it destroys the object.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/agent/container/container_command.h"
#include "core/port/loop.h"

namespace muster {

struct NodeContainerStart {
  std::string name;                                // unique on the host
  std::string host;                                // the node's name, for sentences
  std::string workdir;                             // absolute
  std::string folder;                              // of the job's output, absolute; ranks see it too. Empty: none yet
  std::map<std::string, std::string> environment;  // of the programs
};

class NodeContainer {
 public:
  // `changed` is called when report(), entry() or closed() has changed.
  NodeContainer(Loop& loop, ContainerHost& host, ContainerTask task, NodeContainerStart start,
                std::function<void()> changed);
  ~NodeContainer();

  void open();
  // Ends the container. Processes in it continue, but lose the files of the image, so end them before.
  void close();
  bool closed() const { return closed_; }

  // Phase done: the container is open.
  const SetupReport& report() const { return report_; }
  // What close() could not remove; empty: nothing.
  const std::string& trouble() const { return trouble_; }
  // Null: it is not open.
  const std::shared_ptr<const ContainerEntry>& entry() const { return opened_.entry; }
  // Of a process in the container that would have `host` outside. Valid once it was open.
  std::map<std::string, std::string> environment(const std::map<std::string, std::string>& host) const;

 private:
  void open_with_next();
  bool needs_scratch() const;
  bool choose();
  std::string no_program() const;
  void look_for_image();
  void probe();
  void fetch();
  void prepare();
  void write_files();
  void keep_open();
  void entered(const std::string& line);
  void ended_early(int code);
  void remove();
  void discard();
  void clean_up(const std::vector<std::string>& argv, const std::string& name, std::function<void()> then);
  void not_removed(const std::vector<std::string>& argv, const std::string& why);
  std::string volumes_name() const { return order_.name + ".volumes"; }
  void is_closed();

  void run(const std::vector<std::string>& argv, std::function<void(int code)> then);
  void fail(const std::string& why);
  void tell(SetupPhase phase, const std::string& doing);
  // The last lines that the program wrote to stderr, or its exit code if there are none.
  std::string output_of(int code) const;

  Loop& loop_;
  ContainerHost& host_;
  const NodeContainerStart start_;
  const std::function<void()> changed_;
  ContainerOrder order_;
  ContainerCommands commands_;
  std::unique_ptr<ContainerRun> running_;
  std::function<void(const std::string&)> on_line_;  // of the running program's stdout
  std::vector<std::string> said_;                    // its last lines of stderr
  OpenedContainer opened_;
  SetupReport report_;
  std::vector<ContainerProgram> left_;  // programs that have not been tried
  std::vector<std::string> absent_;     // programs that are not installed
  std::vector<std::string> reasons_;    // why others cannot be used
  std::string pulling_;                 // the command that fetches the image; empty: it is not running
  std::string trouble_;
  std::optional<TimePoint> opened_at_;  // the last time; nothing: it was never open
  int openings_ = 0;                    // again, in a row, none of which lasted
  TimerId timer_ = 0;
  bool prepared_ = false;  // there may be something to remove
  bool closing_ = false;
  bool closed_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
