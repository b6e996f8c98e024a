// Two nodes and five restarts under faults from a seed: links, agents, ranks, controllers, disks. Once the faults stop the job ends, what must hold has
// held, and the same seed tells the same story.

#include "test/sim/world_test.h"

namespace muster::sim {
namespace {

constexpr uint64_t kSeeds = 300;
constexpr Duration kFaults = minutes(2);

class Story {
 public:
  explicit Story(uint64_t seed, bool keep_trace = false) : random_(seed), world_(options_of(seed, keep_trace)) {
    world_.network.set_longest_delay(milliseconds(1 + random_.below(100)));
    world_.processes.script([this](const Launch&) { return any_program(); });
    JobSpec spec = job_spec("story", 2, 2, 5);
    spec.framework = Framework::torch;
    spec.restarts.first_backoff = seconds(random_.below(3));
    EXPECT_TRUE(world_.submit(spec, "key").ok());
  }

  void unfold() {
    const TimePoint calm = world_.loop.now() + kFaults;
    while (world_.loop.now() < calm) {
      world_.loop.run_for(milliseconds(random_.below(8000)));
      fault();
    }
    heal();
    ended_ = world_.run_until_done("story", minutes(10));
    world_.loop.run_for(minutes(1));
  }

  bool ended() const { return ended_; }
  World& world() { return world_; }

 private:
  static WorldOptions options_of(uint64_t seed, bool keep_trace) {
    WorldOptions options;
    options.seed = seed;
    options.keep_trace = keep_trace;
    return options;
  }

  Program any_program() {
    Program program{seconds(5 + random_.below(20)), {}};
    if (random_.below(12) == 0) program.exit = exited_with(1);
    program.ignores_term = random_.below(4) == 0;
    program.dies_slowly = milliseconds(random_.below(3000));
    program.daemons = static_cast<uint32_t>(random_.below(2));
    return program;
  }

  void fault() {
    switch (random_.below(9)) {
      case 0: return kill_a_rank();
      case 1: return kill_an_agent();
      case 2: return for_an_agent([this](int64_t agent) { world_.network.cut(agent); });
      case 3: return for_an_agent([this](int64_t agent) { world_.network.keep_apart(agent, random_.below(2) == 0); });
      case 4: return lose_controller();
      case 5: return world_.crash_at_line(1 + random_.below(4), static_cast<World::Moment>(random_.below(2)));
      case 6:
        return world_.store.fail_with(random_.below(2) == 0 ? Status() : Status(Code::resource_exhausted, "full"));
      case 7:
        return world_.refuse_places(random_.below(2) == 0 ? Status() : Status(Code::resource_exhausted, "no more"));
      default: return ensure_controller();
    }
  }

  void kill_a_rank() {
    const auto& alive = world_.processes.alive();
    if (alive.empty()) return;
    auto victim = alive.begin();
    std::advance(victim, random_.below(alive.size()));
    if (!victim->second.daemon) world_.processes.end(victim->first, killed_by(SIGSEGV));
  }

  void kill_an_agent() {
    for_an_agent([this](int64_t agent) { world_.agents.crash(agent, "was killed by SIGKILL"); });
  }

  template <typename Do>
  void for_an_agent(Do what) {
    const std::map<int64_t, NodeRef> all = world_.agents.all();
    if (all.empty()) return;
    auto chosen = all.begin();
    std::advance(chosen, random_.below(all.size()));
    what(chosen->first);
  }

  void lose_controller() {
    if (!world_.has_controller()) return ensure_controller();
    if (random_.below(2) == 0) return world_.crash_controller();
    world_.lose_controller_host();
  }

  void ensure_controller() {
    world_.loop.run_for(milliseconds(1));
    if (!world_.has_controller()) world_.start_controller();
  }

  void heal() {
    world_.store.fail_with(Status());
    world_.refuse_places(Status());
    world_.crash_at_line(0, World::Moment::before_acting);
    for (const auto& [agent, node] : world_.agents.all()) world_.network.keep_apart(agent, false);
    ensure_controller();
  }

  Random random_;
  World world_;
  bool ended_ = false;
};

void expect_a_sound_story(Story& story) {
  World& world = story.world();
  const JobView view = world.view("story");
  EXPECT_TRUE(story.ended()) << view.state << ": " << view.sentence;
  EXPECT_THAT(world.breaches(), testing::IsEmpty());
  EXPECT_TRUE(world.processes.alive().empty());
  EXPECT_TRUE(world.agents.all().empty());
  EXPECT_TRUE(world.leases.held().empty());
  EXPECT_LE(view.restarts, 5u);
  EXPECT_EQ(view, world.view_from_journal(view.id));
}

TEST(RandomFaults, AJobEndsOnceFaultsStopAndWhatMustHoldHasHeld) {
  std::map<std::string, int> ends;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Story story(seed);
    story.unfold();
    expect_a_sound_story(story);
    ++ends[story.world().view("story").state];
    Story again(seed);
    again.unfold();
    EXPECT_EQ(story.world().hash(), again.world().hash()) << "the same seed told another story";
    if (testing::Test::HasFailure()) break;
  }
  for (const auto& [state, count] : ends) RecordProperty(state, count);
  // A world in which everything fails, or nothing, would prove little.
  EXPECT_GT(ends["succeeded"], 0);
  EXPECT_GT(ends["failed"], 0);
}

}  // namespace
}  // namespace muster::sim
