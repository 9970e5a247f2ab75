// The picture of the rooms: a box for each, and an arrow to each that it includes and does not
// reach through another. Interface: draw_rooms(). Covered by tests/house/picture_test.cpp.
//
// Layers after Sugiyama, Tagawa and Toda (1981): a room lies above all that it includes; an arrow
// over several layers is a chain of bends; bends and rooms of a layer take the order of the mean
// place of their neighbours, forth and back; then each goes to that mean as far as others allow.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/house/rooms.h"

namespace gpx::house {

using Arrows = std::map<std::size_t, std::set<std::size_t>>;

/// Everything that can be reached from a room. Arrows go to smaller indices, so that all ends.
inline std::set<std::size_t> reached(const Arrows& arrows, std::size_t from) {
  std::set<std::size_t> all;
  const auto found = arrows.find(from);
  if (found == arrows.end()) return all;
  for (const std::size_t to : found->second) {
    all.insert(to);
    all.merge(reached(arrows, to));
  }
  return all;
}

/// Without the arrows that others imply.
inline Arrows reduced(const Arrows& arrows) {
  Arrows fewer;
  for (const auto& [from, targets] : arrows) {
    std::set<std::size_t> implied;
    for (const std::size_t to : targets) implied.merge(reached(arrows, to));
    for (const std::size_t to : targets)
      if (!implied.contains(to)) fewer[from].insert(to);
  }
  return fewer;
}

class RoomPicture {
 public:
  RoomPicture(const std::vector<Room>& rooms, const Arrows& arrows) : rooms_(rooms) {
    place_in_layers(arrows);
    for (const auto& [from, targets] : arrows)
      for (const std::size_t to : targets) add_chain(from, to);
    for (int pass = 0; pass < 24; ++pass) sort_layers(pass % 2 == 0);
    spread();
  }

  std::string svg() const {
    double left = 1e9, right = 0;
    for (const Node& node : nodes_) {
      left = std::min(left, node.x - width(node) / 2);
      right = std::max(right, node.x + width(node) / 2);
    }
    const int wide = whole(right - left) + 2 * kMargin;
    const int high = static_cast<int>(layers_.size()) * kStep - kStep + kBox + 2 * kMargin;
    const std::string size = std::to_string(wide) + " " + std::to_string(high);
    std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + size +
                      "\" width=\"" + std::to_string(wide) + "\" font-family=\"sans-serif\" " +
                      "font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n" +
                      "<defs><marker id=\"end\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" " +
                      "markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\">" +
                      "<path d=\"M0 0L8 4L0 8z\" fill=\"#667\"/></marker></defs>\n";
    for (const auto& chain : chains_) out += arrow(chain, left);
    for (std::size_t i = 0; i < rooms_.size(); ++i) out += box(i, left);
    return out + "</svg>\n";
  }

 private:
  static constexpr int kStep = 62, kBox = 30, kMargin = 12, kGap = 22;

  /// The first are the rooms, the others bends of arrows.
  struct Node {
    std::size_t layer = 0;
    double x = 0;
    std::vector<std::size_t> above = {}, below = {};
  };

  /// A room lies directly above what it includes, and directly below what includes it if that
  /// leaves it lower than needed.
  void place_in_layers(const Arrows& arrows) {
    nodes_.resize(rooms_.size());
    for (const auto& [from, targets] : arrows)
      for (const std::size_t to : targets)
        nodes_[from].layer = std::max(nodes_[from].layer, nodes_[to].layer + 1);
    for (std::size_t room = rooms_.size(); room-- > 0;) {
      std::size_t lowest = rooms_.size();
      for (const auto& [from, targets] : arrows)
        if (targets.contains(room)) lowest = std::min(lowest, nodes_[from].layer);
      if (lowest != rooms_.size()) nodes_[room].layer = lowest - 1;
    }
    for (std::size_t room = 0; room < rooms_.size(); ++room) put(room);
  }

  void put(std::size_t node) {
    if (layers_.size() <= nodes_[node].layer) layers_.resize(nodes_[node].layer + 1);
    layers_[nodes_[node].layer].push_back(node);
  }

  void add_chain(std::size_t from, std::size_t to) {
    std::vector<std::size_t> chain = {from};
    for (std::size_t layer = nodes_[from].layer - 1; layer > nodes_[to].layer; --layer) {
      nodes_.push_back({layer});
      put(nodes_.size() - 1);
      chain.push_back(nodes_.size() - 1);
    }
    chain.push_back(to);
    for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
      nodes_[chain[i]].below.push_back(chain[i + 1]);
      nodes_[chain[i + 1]].above.push_back(chain[i]);
    }
    chains_.push_back(chain);
  }

  bool is_room(const Node& node) const { return &node < &nodes_[rooms_.size()]; }

  double width(const Node& node) const {
    if (!is_room(node)) return 0;
    const auto room = static_cast<std::size_t>(&node - nodes_.data());
    return 16 + 7.4 * static_cast<double>(rooms_[room].path.size());
  }

  void sort_layers(bool upwards) {
    for (auto& layer : layers_)
      for (std::size_t i = 0; i < layer.size(); ++i) nodes_[layer[i]].x = static_cast<double>(i);
    for (std::size_t l = 1; l < layers_.size(); ++l) {
      auto& layer = layers_[upwards ? l : layers_.size() - 1 - l];
      std::map<std::size_t, double> mean;
      for (const std::size_t node : layer)
        mean[node] = mean_of(upwards ? nodes_[node].below : nodes_[node].above, nodes_[node].x);
      std::ranges::stable_sort(layer, {}, [&](std::size_t node) { return mean[node]; });
      for (std::size_t i = 0; i < layer.size(); ++i) nodes_[layer[i]].x = static_cast<double>(i);
    }
  }

  double mean_of(const std::vector<std::size_t>& neighbours, double otherwise) const {
    if (neighbours.empty()) return otherwise;
    double sum = 0;
    for (const std::size_t node : neighbours) sum += nodes_[node].x;
    return sum / static_cast<double>(neighbours.size());
  }

  void spread() {
    for (const auto& layer : layers_) {
      double x = 0;
      for (const std::size_t node : layer) {
        nodes_[node].x = x + width(nodes_[node]) / 2;
        x += width(nodes_[node]) + kGap;
      }
    }
    for (int pass = 0; pass < 60; ++pass)
      for (const auto& layer : layers_) move_layer(layer);
  }

  /// Everything to the mean of its neighbours; then apart again, from either end by halves.
  void move_layer(const std::vector<std::size_t>& layer) {
    std::vector<double> wanted, right, left;
    for (const std::size_t node : layer) {
      auto around = nodes_[node].above;
      around.insert(around.end(), nodes_[node].below.begin(), nodes_[node].below.end());
      wanted.push_back(mean_of(around, nodes_[node].x));
    }
    const auto apart = [&](std::size_t i) {
      return (width(nodes_[layer[i]]) + width(nodes_[layer[i + 1]])) / 2 + kGap;
    };
    right = left = wanted;
    for (std::size_t i = 0; i + 1 < layer.size(); ++i)
      right[i + 1] = std::max(right[i + 1], right[i] + apart(i));
    for (std::size_t i = layer.size(); i-- > 1;)
      left[i - 1] = std::min(left[i - 1], left[i] - apart(i - 1));
    for (std::size_t i = 0; i < layer.size(); ++i) nodes_[layer[i]].x = (left[i] + right[i]) / 2;
  }

  static int whole(double value) { return static_cast<int>(std::lround(value)); }

  int top(const Node& node) const {
    return static_cast<int>(layers_.size() - 1 - node.layer) * kStep + kMargin;
  }

  /// Straight through a layer, curved between two of them.
  std::string arrow(const std::vector<std::size_t>& chain, double left) const {
    const auto at = [&](std::size_t node) { return whole(nodes_[node].x - left) + kMargin; };
    const auto point = [](int x, int y) { return std::to_string(x) + " " + std::to_string(y); };
    std::string path = "M" + point(at(chain[0]), top(nodes_[chain[0]]) + kBox);
    for (std::size_t i = 1; i < chain.size(); ++i) {
      const int y = top(nodes_[chain[i]]), half = y - (kStep - kBox) / 2, x = at(chain[i]);
      path += "C" + point(at(chain[i - 1]), half) + " " + point(x, half) + " " + point(x, y);
      if (i + 1 < chain.size()) path += "V" + std::to_string(y + kBox);
    }
    return "<path d=\"" + path +
           "\" fill=\"none\" stroke=\"#667\" stroke-width=\"1.3\" marker-end=\"url(#end)\"/>\n";
  }

  std::string box(std::size_t room, double left) const {
    const Node& node = nodes_[room];
    const std::string& path = rooms_[room].path;
    const char* fill = path.starts_with("runtime/device") ? "#dcefe2"
                       : path.starts_with("runtime")      ? "#fdebd3"
                       : path.starts_with("codegen")      ? "#dde8f8"
                                                          : "#f3e0ee";
    const int x = whole(node.x - width(node) / 2 - left) + kMargin, wide = whole(width(node));
    return "<rect x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(top(node)) +
           "\" width=\"" + std::to_string(wide) + "\" height=\"" + std::to_string(kBox) +
           "\" rx=\"4\" fill=\"" + fill + "\" stroke=\"#556\"/>\n<text x=\"" +
           std::to_string(x + wide / 2) + "\" y=\"" + std::to_string(top(node) + 20) +
           "\" text-anchor=\"middle\">" + path + "</text>\n";
  }

  const std::vector<Room>& rooms_;
  std::vector<Node> nodes_;
  std::vector<std::vector<std::size_t>> layers_;  ///< Lowest first.
  std::vector<std::vector<std::size_t>> chains_;  ///< The nodes of each arrow, from its user down.
};

inline std::string draw_rooms(const std::vector<Room>& rooms, const Arrows& arrows) {
  return RoomPicture(rooms, reduced(arrows)).svg();
}

}  // namespace gpx::house
