// The sections of a report's page, each as HTML. Covered by tests/report/html_test.cpp.
#pragma once

#include <string>

#include "runtime/report/heat_map.h"
#include "runtime/report/overlay.h"

namespace gpx::report::html {

/// What an element's id begins with, so that ids of one page differ: "e1-f2".
using Id = std::string;

/// Several runs in one experiment's section are told apart; what is virtual is always said.
std::string badge(const Member& member);
std::string badges(const Group& group);

/// A figure with its data (drawn by report.js), its marks as a list.
std::string figure(const OverlaidFigure& figure, const Group& group, const Id& id);
std::string heat_map(const HeatMap& map, const Member& member, const Id& id);

/// What probes show that the findings rest on, each with the findings' names; empty where no
/// analysis made probes that can be drawn.
std::string evidence(const Group& group, const Id& id);

/// Findings side by side; expectations and claims of each member.
std::string findings(const Group& group);
std::string expectations(const Member& member);
std::string claims(const Member& member);

/// Timelines of warps and of blocks, as SVG; empty where there are none.
std::string timelines(const Member& member);

/// Caches and TLBs as far as findings give them, as SVG; empty where they do not.
std::string structures(const Member& member);

/// The experiment's text, CUDA and timed listings, folded away, and where the numbers are from.
std::string sources(const Group& group);
std::string provenance(const Group& group);

}  // namespace gpx::report::html
