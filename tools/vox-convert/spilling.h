// The part of vox-convert that makes scenes larger than their device.
#pragma once

#include <string>

#include "libvox/measure/results.h"
#include "libvox/rounds/build_rounds.h"

namespace vox {

// Reads --spill: a folder, or `host` for the host's memory. Throws UsageError if there is no such folder.
rounds::SpillOptions parse_spill(const std::string& text);

// Sets the group `spill`.
void set_spill(measure::ResultGroup& results, const rounds::RoundsFigures& figures);

// "3 rounds of 1,024,000 nodes, 23.44 MiB; spilled in 0.10 s, merged in 0.42 s, ordered in 0.21 s"
std::string spill_line(const rounds::RoundsFigures& figures);

}  // namespace vox
