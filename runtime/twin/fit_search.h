// FitSearch: values of a group's fields with which the least error remains.
//
// The error is the mean of |residual| over the points. A search begins at the combination of the
// fields' tries that is best, and at the draft's values where they are better. Gauss-Newton steps
// move all fields at once: residuals are taken to be linear in the fields, and points far off weigh
// less (iteratively reweighted least squares, for the mean of |residual|). Then one field after
// another moves, last by its grain. A value differs from the draft's only where the error of the
// points that depend on it would grow by more than kSlack. Covered by tests/twin/fit_test.cpp.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/twin/fit_table.h"
#include "runtime/twin/fit_trial.h"

namespace gpx::twin {

/// Growth of a mean error that points do not tell from the least.
inline constexpr double kSlack = 0.005;

class FitSearch {
 public:
  using Values = std::vector<std::string>;  ///< One of each field, as a draft has it; "": absent.
  /// Residuals of drafts with these values; nullopt: that is no device. They do not depend on which
  /// drafts are asked for at once.
  using Run =
      std::function<std::vector<std::optional<Residuals>>(const std::vector<Values>& drafts)>;

  /// `fields` with bounds and tries of this draft. `begin` are its values.
  FitSearch(std::vector<FitField> fields, Values begin, Run run, const std::atomic<bool>* stop);

  /// Runs the first draft; its error, infinite where it is no device.
  double first();
  /// Searches from there.
  void search();

  const Values& values() const { return values_; }
  double error() const { return error_; }
  std::size_t points() const { return points_; }
  std::size_t runs() const { return known_.size(); }
  bool stopped() const { return stop_ && stop_->load(); }

  /// As far as a field can move to one side (-1, 1) until the error of the points that depend on it
  /// grows by kSlack. `matters` becomes true where the error changes at all.
  double end_of(std::size_t field, double side, bool& matters);
  /// Runs at once what end_of() asks for first, on both sides of these fields.
  void look_beside(const std::vector<std::size_t>& fields);

 private:
  struct Tried {
    double error;
    Residuals off;
  };
  const Tried& tried(const Values& values);
  /// Runs at once those that are not known.
  void try_all(const std::vector<Values>& all);
  /// The values with a field moved to a side by so much; to the other side where it cannot.
  std::optional<Values> beside(std::size_t field, double by) const;
  bool take(const Values& values);
  std::optional<Values> best_start();
  void combine(std::size_t field, Values values, std::vector<Values>& all) const;
  void try_from(const Values& start);
  void leave_out(const Values& begin);
  /// By how much the mean error of the points that depend on what differs is above the least.
  double growth(const Tried& there);
  void descend_all();
  bool newton(double part);
  std::vector<double> steps_of(double part, std::vector<std::size_t>& moving);
  bool walk(std::size_t field, double step);
  void descend(double part);
  std::optional<std::string> moved(std::size_t field, double by) const;

  std::vector<FitField> fields_;
  Values values_;
  Run run_;
  const std::atomic<bool>* stop_;
  std::map<Values, Tried> known_;
  double error_;
  std::size_t points_ = 0;
};

/// The x that minimizes |A x + b| in the rows' weights, kept short by `damping`.
std::vector<double> least_squares(const std::vector<std::vector<double>>& columns,
                                  const std::vector<double>& b, const std::vector<double>& weights,
                                  double damping);

}  // namespace gpx::twin
