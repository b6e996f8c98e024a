// SPDX-License-Identifier: Apache-2.0
// The training run: all ranks make the same steps, each with its slice of the same batch.
#pragma once

#include <chrono>
#include <fstream>
#include <muster/muster.hpp>
#include <string>

#include "network.h"
#include "options.h"
#include "schedule.h"

namespace fm {

class Training {
 public:
  // Reads the data; starts from the checkpoint if there is one, otherwise from the seed. Collective, like run().
  Training(const Options& options, muster::Context& job, muster::Communicator& world, Network& network);

  // Trains until the last step or until the job stops.
  void run();

 private:
  struct Tallies {
    double loss = 0, accuracy = 0;  // means; accuracy in percent
    bool stop = false;
  };

  void begin();
  Tallies learn(std::uint64_t step);
  double accuracy();
  Tallies take_tallies() const;
  void all_reduce(std::size_t from, std::size_t count);
  void tell_step(std::uint64_t step, const Tallies& tallies, std::size_t images);
  void tell_epoch(std::uint64_t step);
  void save(std::uint64_t steps_done);
  bool speaks() const { return world_.rank() == 0; }

  const Options& options_;
  muster::Context& job_;
  muster::Communicator& world_;
  Network& network_;
  Dataset train_, test_;
  Schedule schedule_;
  std::string checkpoint_;
  std::uint64_t first_step_ = 0;
  std::ofstream losses_;

  double epoch_loss_ = 0;  // since the last tell_epoch()
  std::size_t epoch_images_ = 0;
  std::chrono::steady_clock::time_point epoch_began_;
};

}  // namespace fm
