// SPDX-License-Identifier: Apache-2.0
#include "training.h"

#include <cstdio>
#include <numeric>
#include <stdexcept>

#include "checkpoint.h"

namespace fm {
namespace {

// The same file in all attempts of a job; another job starts anew.
std::string default_checkpoint(const muster::Context& job) {
  return ".checkpoints/" + std::string(job.place().job_id) + ".fm";
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

Training::Training(const Options& options, muster::Context& job, muster::Communicator& world, Network& network)
    : options_(options),
      job_(job),
      world_(world),
      network_(network),
      train_(read_dataset(options.data, "train")),
      test_(read_dataset(options.data, "t10k")),
      schedule_(train_.size(), options.batch, options.epochs, options.seed),
      checkpoint_(options.checkpoint.empty() ? default_checkpoint(job) : options.checkpoint) {
  begin();
}

// Rank 0 reads the checkpoint, because other nodes may not have the file. It shares the step through the store and the weights
// by broadcast.
void Training::begin() {
  if (speaks()) {
    const auto found = load_checkpoint(checkpoint_, options_.batch, options_.seed);
    first_step_ = found ? found->step : 0;
    network_.set_state(found ? found->state : first_state(options_.seed));
    job_.set("first step", std::to_string(first_step_));
    if (found) std::printf("resuming after step %ju from %s\n", uintmax_t{first_step_}, checkpoint_.c_str());
    if (!options_.losses.empty()) losses_.open(options_.losses, found ? std::ios::app : std::ios::trunc);
    losses_.precision(9);  // enough digits to show a difference in the last bit
    if (!losses_)
      throw std::runtime_error("cannot write the file of --losses, " + options_.losses + "; choose another file");
  } else {
    first_step_ = std::stoull(job_.wait("first step"));
  }
  world_.broadcast(network_.state(), kState);
  world_.synchronize();
}

void Training::all_reduce(std::size_t from, std::size_t count) {
  world_.all_reduce(network_.shares() + from, network_.shares() + from, count);
  world_.synchronize();
}

Training::Tallies Training::take_tallies() const {
  const std::vector<std::int32_t> counts = network_.copy_counts();
  return {counts[kLoss - kParameters] / double{kOne}, 100.0 * counts[kRight - kParameters] / kOne,
          counts[kStopVotes - kParameters] > 0};
}

// One all_reduce sums gradients, loss and votes to stop. Ranks learn of a stop at different times but must leave after the same
// step.
Training::Tallies Training::learn(std::uint64_t step) {
  const auto [images, count] = schedule_.batch(step);
  const auto [from, to] = slice(count, world_.rank(), world_.size());
  network_.learn({train_, images + from, to - from}, count, job_.should_stop());
  all_reduce(0, kShares);
  network_.update(schedule_.rate(step, options_.rate), 0.9F);
  const Tallies tallies = take_tallies();
  tell_step(step, tallies, count);
  return tallies;
}

void Training::tell_step(std::uint64_t step, const Tallies& tallies, std::size_t images) {
  epoch_loss_ += tallies.loss * static_cast<double>(images);
  epoch_images_ += images;
  job_.progress(step + 1, schedule_.steps(), {{"loss", tallies.loss}, {"accuracy", tallies.accuracy}});
  if (!speaks()) return;
  if (losses_.is_open()) losses_ << step + 1 << ' ' << tallies.loss << '\n';
  if ((step + 1) % 100 == 0)
    std::printf("step %ju/%ju  loss %.4f\n", uintmax_t{step + 1}, uintmax_t{schedule_.steps()}, tallies.loss);
}

double Training::accuracy() {
  std::vector<std::uint32_t> all(test_.size());
  std::iota(all.begin(), all.end(), 0U);
  const auto [from, to] = slice(all.size(), world_.rank(), world_.size());
  network_.judge({test_, all.data() + from, to - from}, all.size());
  all_reduce(kLoss, kShares - kLoss);
  return take_tallies().accuracy;
}

void Training::tell_epoch(std::uint64_t step) {
  const double seconds = seconds_since(epoch_began_);
  const double right = accuracy();
  if (speaks()) {
    std::printf("epoch %ju  step %ju  loss %.3f  accuracy %.1f %%  %.0f images/s\n",
                uintmax_t{schedule_.epoch(step) + 1}, uintmax_t{step + 1},
                epoch_loss_ / static_cast<double>(epoch_images_), right, static_cast<double>(epoch_images_) / seconds);
  }
  epoch_loss_ = 0;
  epoch_images_ = 0;
  epoch_began_ = std::chrono::steady_clock::now();
}

void Training::save(std::uint64_t steps_done) {
  if (speaks()) save_checkpoint(checkpoint_, {steps_done, options_.batch, options_.seed, network_.copy_state()});
}

void Training::run() {
  epoch_began_ = std::chrono::steady_clock::now();
  for (std::uint64_t step = first_step_; step < schedule_.steps(); ++step) {
    const bool stop = learn(step).stop, epoch_ends = schedule_.ends_epoch(step);
    if (stop || epoch_ends) save(step + 1);
    if (stop && step + 1 < schedule_.steps()) {
      const std::string reason = job_.stop_reason();  // empty if so far only another rank has been told
      if (speaks())
        std::printf("stopping after step %ju%s%s\n", uintmax_t{step + 1}, reason.empty() ? "" : ": ", reason.c_str());
      return;
    }
    if (epoch_ends) tell_epoch(step);
  }
  const double right = accuracy();
  if (speaks()) std::printf("accuracy %.1f %%\n", right);
}

}  // namespace fm
