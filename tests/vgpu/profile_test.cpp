// A profile: what a warp waits for, from events told by hand.
#include "runtime/device/vgpu/listeners/profile.h"

#include <doctest/doctest.h>

using namespace gpx::vgpu;
using timing::AccessKind;
using timing::Lookup;
using timing::Stall;

namespace {

double of(const Profile& profile, Went where) {
  return profile.total()[static_cast<std::size_t>(where)];
}

/// A load that is issued at `at`, served by the levels in `lookups`, and waited for until `end`.
struct Load {
  timing::Clk at, end;
  std::vector<std::pair<const char*, Lookup>> lookups;
};

void tell(Profile& profile, const Load& load) {
  profile.at_line(0, 3, 7);
  profile.issues(load.at, 0, 3, "memory", "ld.global.f32");
  profile.access_begins(0);
  for (const auto& [level, outcome] : load.lookups) profile.looks_up(load.at, 0, level, outcome);
  profile.access_ends(load.at, load.end, 0, 3, AccessKind::load);
  profile.stalls(load.at + 1, load.end, 0, 3, Stall::scoreboard);
  profile.at_line(0, 3, 8);
  profile.issues(load.end, 0, 3, "alu", "add.f32");
}

const std::vector<std::pair<const char*, Lookup>> kHit = {{"l1", Lookup::hit}},
                                                  kL2 = {{"l1", Lookup::miss}, {"l2", Lookup::hit}},
                                                  kDram = {{"l1", Lookup::miss},
                                                           {"l2", Lookup::miss}};

}  // namespace

TEST_CASE("a wait for a register is of the level that served the access") {
  Profile profile;
  profile.launch_starts(0, 1);
  tell(profile, {100, 132, kHit});
  tell(profile, {200, 471, kL2});
  tell(profile, {600, 1200, kDram});
  CHECK(of(profile, Went::l1) == 31);
  CHECK(of(profile, Went::l2) == 270);
  CHECK(of(profile, Went::dram) == 599);
  CHECK(of(profile, Went::issue) == 6);
  CHECK(of(profile, Went::arithmetic) == 0);
  CHECK(profile.counts().l1_hits == 1);
  CHECK(profile.counts().l2_misses == 1);
}

TEST_CASE("what an access takes beyond the shortest one is the queue before what serves it") {
  Profile profile;
  profile.launch_starts(0, 1);
  tell(profile, {100, 701, kDram});
  tell(profile, {1000, 2202, kDram});  // twice as long, and a wait of 1201 clocks
  CHECK(of(profile, Went::dram) == doctest::Approx(600 + 1201.0 * 601 / 1202));
  CHECK(of(profile, Went::dram_queue) == doctest::Approx(1201.0 * 601 / 1202));
}

TEST_CASE("bank conflicts have their part of the queue of shared memory") {
  Profile profile;
  profile.launch_starts(0, 1);
  const auto access = [&](timing::Clk at, timing::Clk end, unsigned passes) {
    profile.at_line(0, 0, 4);
    profile.issues(at, 0, 0, "memory", "ld.shared.f32");
    profile.replays(at, 0, "shared", passes);
    profile.access_ends(at, end, 0, 0, AccessKind::shared);
    profile.stalls(at + 1, end, 0, 0, Stall::scoreboard);
    profile.at_line(0, 0, 5);
    profile.issues(end, 0, 0, "alu", "add.f32");
  };
  access(0, 23, 0);
  CHECK(of(profile, Went::conflicts) == 0);
  access(100, 185, 31);  // 62 clocks longer; 31 of 33 passes so far are further ones
  CHECK(of(profile, Went::conflicts) == doctest::Approx(84.0 * 62 / 85 * 31 / 33));
  CHECK(profile.counts().shared_passes == 31);
  CHECK(profile.counts().shared_accesses == 2);
}

TEST_CASE("a wait is of the line that the warp issues next, and other waits have their reasons") {
  Profile profile;
  profile.launch_starts(0, 1);
  profile.stalls(0, 10, 0, 0, Stall::fetch);
  profile.stalls(10, 14, 0, 0, Stall::scoreboard);  // no access ends: arithmetic
  profile.at_line(0, 0, 2);
  profile.issues(14, 0, 0, "memory", "st.global.f32");
  profile.stalls(15, 40, 0, 0, Stall::branch);  // the store has found no room
  profile.at_line(0, 0, 3);
  profile.issues(40, 0, 0, "alu", "bar.sync");
  profile.stalls(41, 60, 0, 0, Stall::barrier);
  profile.warp_ends(60, 0, 0);
  REQUIRE(profile.lines().size() == 4);
  const auto at = [&](std::size_t line, Went where) {
    return profile.lines()[line][static_cast<std::size_t>(where)];
  };
  CHECK(at(2, Went::fetch) == 10);
  CHECK(at(2, Went::arithmetic) == 4);
  CHECK(at(3, Went::stores) == 25);
  CHECK(at(3, Went::barrier) == 19);
}

TEST_CASE("of several launches the last one counts") {
  Profile profile;
  profile.launch_starts(0, 1);
  tell(profile, {100, 132, kHit});
  profile.launch_starts(1000, 1);
  CHECK(profile.counts().instructions == 0);
  profile.block_starts(1000, 0, 4);
  profile.block_ends(1500, 0, 4);
  profile.launch_ends(1600);
  CHECK(profile.clocks() == 600);
  CHECK(profile.resident() == 500);
}
