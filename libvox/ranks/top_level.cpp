#include "libvox/ranks/top_level.h"

#include <oneapi/tbb/parallel_for.h>

#include "libvox/ranks/spread_node.h"

namespace vox::ranks {

TopLevel parents_of(const std::vector<TopNode>& children) {
  dag::NodesAbove above = dag::nodes_above(children);
  TopLevel level;
  level.offsets = {0};
  for (const uint32_t header : above.headers)
    level.offsets.push_back(level.offsets.back() + spread_words(header));
  level.words.resize(level.offsets.back());
  tbb::parallel_for(size_t{0}, above.nodes.size(), [&](size_t i) {
    const TopNode* first = children.data() + above.starts[i];
    write_spread_node(&level.words[level.offsets[i]], above.headers[i],
                      [first](uint32_t c) { return first[c].id; });
  });
  level.nodes = std::move(above.nodes);
  return level;
}

}  // namespace vox::ranks
