// The sections of a report's page, each as HTML. Covered by tests/report/html_test.cpp.
#pragma once

#include <string>
#include <vector>

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

/// One of those figures: what it is of, and the id of its element.
struct EvidenceFigure {
  const Member* member;
  const ProbeEvidence* evidence;
  std::vector<std::string> findings;  ///< Their names.
  Id id;
};
std::vector<EvidenceFigure> evidence_figures(const Group& group, const Id& id);
/// The id of the figure that shows what a finding rests on, of its probes or of the group's
/// samples;
/// "": none does. `id`: of the group's section.
Id evidence_id(const Group& group, const std::vector<EvidenceFigure>& figures,
               const std::string& name, const Id& id);

/// The finding of a name; nullptr: the member has none.
const Finding* find_finding(const Member& member, const std::string& name);
/// "measured", "modelled", "not observed" in the verdict's colours.
std::string verdict_span(const Finding& finding, const DeviceInfo& device);

/// "k20"; "no device" of a run without experiments.
std::string device_of_run(const Run& run);
/// What each run is of and how it came about, a row for each fact that some run has, and how to
/// cite it; "" where no run has an experiment.
std::string about(const std::vector<Run>& runs);
/// The works that the runs cite, in full; "": none.
std::string references(const std::vector<Run>& runs);
/// Every finding of all groups in one table, by the part of the GPU that it is about, with a link
/// to its evidence in the group's section, whose id is `prefix` and its number; empty where there
/// is no finding.
std::string summary(const std::vector<Group>& groups, const std::vector<Run>& runs,
                    const Id& prefix);
/// The memory hierarchies of the runs that are characterizations; empty where none is.
std::string memory_hierarchy(const std::vector<Run>& runs);

/// Findings side by side; expectations and claims of each member.
std::string findings(const Group& group, const Id& id);

/// Findings of points, such as occupancy.blocks[n=1]; without probes and a paper's value.
struct PointFindings {
  std::vector<std::string> names, quantities, points;  ///< "occupancy.blocks", "n=1".
};
/// Those among `names`; none where they are too few for a table.
PointFindings point_findings(const Group& group, const std::vector<std::string>& names);
/// Points by quantity, each of all members. `evidence`: the id of a figure, or "".
std::string point_table(const Group& group, const PointFindings& all, const Id& evidence);
/// Which point has which value: "latency words=32: 1115 clocks; words=33: 155 clocks; 7.2x"; of
/// more than three points the least and the greatest. "": there is no such value.
std::string extremes(const ExperimentResult& result);

std::string expectations(const Member& member);
std::string claims(const Member& member);

/// Of each observed column and curve: points, least and greatest value, widest interval; folded.
std::string statistics(const Member& member);

/// Timelines of warps and of blocks, as SVG; empty where there are none.
std::string timelines(const Member& member);

/// Caches and TLBs as far as findings give them, as SVG; empty where they do not.
std::string structures(const Member& member);

/// The experiment's text, CUDA and timed listings, folded away, and where the numbers are from.
std::string sources(const Group& group);
std::string provenance(const Group& group);

}  // namespace gpx::report::html
