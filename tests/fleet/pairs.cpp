// gpx_fleet_rates: how often gpx fleet compare is wrong, of pairs of made boards.
//
//   gpx_fleet_rates [PAIRS] [RUNS] [SEED] [PEERS] [MISFIT]     (1000 3 1 1 0)
//
// MISFIT: percent by which the scatter of each kind is off.
#include <fmt/format.h>

#include <cstdlib>

#include "made_boards.h"

using namespace gpx::test;

int main(int count, char** words) {
  const auto number = [&](int at, int usual) { return count > at ? std::atoi(words[at]) : usual; };
  const int pairs = number(1, 1000), runs = number(2, 3), seed = number(3, 1), peers = number(4, 1);
  const int misfit = number(5, 0);
  const BoardModel model(GPX_SOURCE_DIR);
  fmt::print("{} pairs of each kind, {} runs a board, {} peers, seed {}, misfit {} %\n", pairs,
             runs, peers, seed, misfit);
  const std::pair<Plant, const char*> plants[] = {
      {Plant::nothing, "equal boards"},      {Plant::finding, "3 % in one latency or rate"},
      {Plant::sm_clock, "SM clock, 3 %"},    {Plant::memory_clock, "memory clock, 3 %"},
      {Plant::walks, "page walks, 3 %"},     {Plant::sms, "8 SMs fewer"},
      {Plant::power_cap, "power cap, 10 %"}, {Plant::tenant, "another tenant, 8 to 10 %"}};
  for (const auto& [plant, name] : plants) {
    const int of = plant == Plant::nothing || plant == Plant::finding ? pairs : (pairs + 9) / 10;
    const PairRates rates =
        pair_rates(model, plant, of, runs, peers, static_cast<unsigned>(seed), misfit / 100.0);
    if (plant == Plant::nothing)
      fmt::print("{}: {} of {} have an alarm\n", name, rates.alarms, rates.pairs);
    else
      fmt::print("{}: found in {} of {}, with its cause in {}\n", name, rates.found, rates.pairs,
                 rates.cause);
    for (const auto& [kind, each] : rates.by_kind)
      fmt::print("  {}: {} of {}\n", kind, each.second, each.first);
    std::fflush(stdout);
  }
}
