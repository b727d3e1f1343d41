#include "libvox/dag/top_nodes.h"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_sort.h>

#include "libvox/dag/node.h"

namespace vox::dag {
namespace {

// Returns the header of the parent of these nodes.
uint32_t header_above(const TopNode* begin, const TopNode* end) {
  uint32_t header = 0;
  bool alike = end - begin == 8 && begin->material >= 0;
  for (const TopNode* child = begin; child < end; ++child) {
    header |= 1u << (child->code & 7);
    alike = alike && child->material == begin->material;
  }
  return alike ? homogeneous_header(static_cast<uint32_t>(begin->material)) : header;
}

}  // namespace

void sort_by_code(std::vector<TopNode>& nodes) {
  tbb::parallel_sort(nodes.begin(), nodes.end(),
                     [](const TopNode& a, const TopNode& b) { return a.code < b.code; });
}

NodesAbove nodes_above(const std::vector<TopNode>& children) {
  NodesAbove above;
  for (size_t i = 0; i < children.size(); ++i)
    if (i == 0 || children[i].code >> 3 != children[i - 1].code >> 3) above.starts.push_back(i);
  above.nodes.resize(above.starts.size());
  above.headers.resize(above.starts.size());
  above.starts.push_back(children.size());
  tbb::parallel_for(size_t{0}, above.nodes.size(), [&](size_t i) {
    const TopNode *begin = children.data() + above.starts[i], *end = children.data() + above.starts[i + 1];
    const uint32_t header = header_above(begin, end);
    above.headers[i] = header;
    above.nodes[i] = {.code = begin->code >> 3,
                      .digest = node_digest(header, [&](uint32_t c) { return begin[c].digest; }),
                      .material = is_homogeneous(header) ? begin->material : -1};
  });
  return above;
}

}  // namespace vox::dag
