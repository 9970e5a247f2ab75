// CoRunner: what another process on the device did to measurements, as far as it was seen.
// Filled by runtime/quiet.h. Covered by tests/runtime/quiet_test.cpp.
#pragma once

#include <string>

namespace gpx {

/// At which a quiet control is taken for a disturbed one.
constexpr double kControlErrorRate = 1e-6;
/// Of controls, that a device disturbs by itself: an H100 alone did so with 0.1 %.
constexpr double kOwnDisturbed = 0.005;
/// Of controls, that may stand still.
constexpr double kMostStandstills = 0.02;

struct CoRunner {
  unsigned controls = 0;     ///< Control measurements, short kernels whose time repeats when alone.
  unsigned disturbed = 0;    ///< Those that took longer or stood still.
  unsigned expected = 0;     ///< So many of them do by chance at most, with an error rate of 1e-6.
  unsigned again = 0;        ///< Batches of launches that were run again for that.
  unsigned given_up = 0;     ///< Batches that found no quiet time.
  unsigned standstills = 0;  ///< Controls, and runs of one job, that stood still for a time.
  unsigned cold = 0;  ///< Launches that count once alone, and were not made in so much disturbance.
  unsigned voided = 0;  ///< Times that a control was faster than the reference: it is taken anew.
  unsigned processes = 0;  ///< Other ones that compute on the device, as the driver lists them.
  double longest_us = 0;   ///< The longest standstill of a control.
  double slowdown = 1;     ///< Of the slowest control, times the reference.

  /// What was added since `before`, of the same device.
  CoRunner since(const CoRunner& before) const;
  /// A process is seen where more controls are disturbed than by chance and by the device itself.
  bool seen() const {
    return disturbed + standstills > expected + kOwnDisturbed * controls || given_up + cold > 0;
  }
  /// More than measuring again can mend. Another process that computes evicts lines of L2 between
  /// two controls without delaying either: on an H100 beside one, reaches were wrong while no
  /// control was disturbed. Where time is sliced, two runs of a job may stand still alike, beside
  /// quiet controls; where one job in 50 or fewer does, hardly any two do.
  bool doubtful() const {
    return processes > 0 || cold > 0 ||
           standstills > expected + kMostStandstills * (controls + again);
  }
  bool operator==(const CoRunner&) const = default;
};

/// The most of `count` controls that are late by chance: more are so at a rate below 1e-6.
unsigned late_by_chance(unsigned count);

/// visit(key, member) for each field.
template <typename Seen, typename Visit>
void for_each_count(Seen& seen, Visit&& visit) {
  visit("controls", seen.controls);
  visit("disturbed", seen.disturbed);
  visit("expected", seen.expected);
  visit("again", seen.again);
  visit("given_up", seen.given_up);
  visit("standstills", seen.standstills);
  visit("cold", seen.cold);
  visit("voided", seen.voided);
  visit("processes", seen.processes);
  visit("longest_us", seen.longest_us);
  visit("slowdown", seen.slowdown);
}

/// "another process used the device: 7 of 40 control measurements were disturbed (…)"; "": nothing
/// was seen.
std::string to_string(const CoRunner& seen);

}  // namespace gpx
