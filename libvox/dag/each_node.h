// Loops over the nodes of one level, on all cores.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "libvox/dag/frozen_dag.h"

namespace vox::dag {

using NodeNumbers = tbb::blocked_range<uint64_t>;

inline NodeNumbers node_numbers(const DagLevel& level) {
  return {0, level.places.nodes(), 1024};
}

// Calls body(number, its words) for each node in the range, in order.
template <class Body>
void for_each_in(const DagLevel& level, const NodeNumbers& range, Body body) {
  for (uint64_t number = range.begin(); number < range.end(); ++number) body(number, level.node(number));
}

// Calls body(number, its words) for each node of the level, in parallel.
template <class Body>
void parallel_for_each(const DagLevel& level, const Body& body) {
  tbb::parallel_for(node_numbers(level), [&](const NodeNumbers& range) { for_each_in(level, range, body); });
}

}  // namespace vox::dag
