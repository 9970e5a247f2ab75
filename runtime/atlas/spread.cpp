#include "runtime/atlas/spread.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runtime/report/html/text.h"

namespace gpx::atlas {
namespace {

using report::html::escape;

constexpr int kWidth = 640, kHeight = 120, kEdge = 12, kBars = 60;
constexpr std::size_t kMostDots = 100;

std::vector<double> numbers_of(const std::vector<const Cell*>& cells) {
  std::vector<double> numbers;
  for (const Cell* each : cells)
    if (std::isfinite(each->value)) numbers.push_back(each->value);
  std::ranges::sort(numbers);
  return numbers;
}

bool stands_out(const Cell& one) {
  return one.judged && (one.judged->standing == fleet::Standing::above ||
                        one.judged->standing == fleet::Standing::below ||
                        one.judged->standing == fleet::Standing::structure);
}

/// From a value to its place.
class Scale {
 public:
  Scale(double low, double high) : low_(low), span_(high > low ? high - low : 1) {
    if (!(high > low)) low_ -= 0.5;
  }
  double x(double value) const { return kEdge + (value - low_) / span_ * (kWidth - 2 * kEdge); }
  int bar(double value) const {
    return std::clamp(static_cast<int>((value - low_) / span_ * kBars), 0, kBars - 1);
  }

 private:
  double low_, span_;
};

std::string bars(const std::vector<double>& numbers, const Scale& scale) {
  std::vector<int> counts(kBars);
  for (const double value : numbers) ++counts[static_cast<std::size_t>(scale.bar(value))];
  const int most = *std::ranges::max_element(counts);
  const double width = static_cast<double>(kWidth - 2 * kEdge) / kBars;
  std::string out;
  for (int bar = 0; bar < kBars; ++bar) {
    const int count = counts[static_cast<std::size_t>(bar)];
    if (count == 0) continue;
    const double height = std::max(2.0, 70.0 * count / most);
    out += fmt::format(
        "<rect class=\"bar\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\">"
        "<title>{} boards</title></rect>",
        kEdge + width * bar + 0.5, 84 - height, width - 1, height, count);
  }
  return out;
}

std::string dots(const Atlas& atlas, const std::vector<const Cell*>& cells, const Scale& scale) {
  std::string out;
  std::size_t drawn = 0;
  for (const Cell* each : cells) {
    if (!stands_out(*each) || !std::isfinite(each->value) || ++drawn > kMostDots) continue;
    out += fmt::format(
        "<circle class=\"odd\" cx=\"{:.1f}\" cy=\"84\" r=\"5\"><title>{}: {}</title>"
        "</circle>",
        scale.x(each->value), escape(atlas.board(each->board).serial), escape(each->text));
  }
  return out;
}

}  // namespace

Spread spread_of(const std::vector<const Cell*>& cells) {
  const std::vector<double> numbers = numbers_of(cells);
  Spread spread;
  spread.count = numbers.size();
  if (numbers.empty()) return spread;
  spread.low = numbers.front();
  spread.high = numbers.back();
  const std::size_t half = numbers.size() / 2;
  spread.median = numbers.size() % 2 ? numbers[half] : (numbers[half - 1] + numbers[half]) / 2;
  double mean = 0, squares = 0;
  for (const double value : numbers) mean += value / static_cast<double>(numbers.size());
  for (const double value : numbers) squares += (value - mean) * (value - mean);
  if (numbers.size() > 1) spread.sd = std::sqrt(squares / static_cast<double>(numbers.size() - 1));
  return spread;
}

std::string spread_picture(const Atlas& atlas, const std::vector<const Cell*>& cells,
                           const std::string& label) {
  const std::vector<double> numbers = numbers_of(cells);
  if (numbers.empty()) return {};
  const Scale scale(numbers.front(), numbers.back());
  const fleet::FindingName& name = atlas.finding(cells.front()->finding);
  const std::string low = fleet::number_text(name, numbers.front()),
                    high = fleet::number_text(name, numbers.back());
  std::string ends = fmt::format("<text x=\"{}\" y=\"112\">{}</text>", kEdge, escape(low));
  if (numbers.front() < numbers.back())
    ends += fmt::format("<text x=\"{}\" y=\"112\" text-anchor=\"end\">{}</text>", kWidth - kEdge,
                        escape(high));
  return fmt::format(
      "<svg class=\"spread\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}: {} boards from {} "
      "to {}\">{}<line class=\"axis\" x1=\"0\" y1=\"90\" x2=\"{}\" y2=\"90\"/>{}{}</svg>\n",
      kWidth, kHeight, escape(label), numbers.size(), escape(low), escape(high),
      bars(numbers, scale), kWidth, dots(atlas, cells, scale), ends);
}

std::map<std::string, std::size_t> words_of(const std::vector<const Cell*>& cells) {
  std::map<std::string, std::size_t> words;
  for (const Cell* each : cells)
    if (!std::isfinite(each->value)) ++words[each->text];
  return words;
}

}  // namespace gpx::atlas
