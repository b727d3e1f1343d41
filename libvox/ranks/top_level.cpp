#include "libvox/ranks/top_level.h"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_sort.h>

#include "libvox/ranks/spread_node.h"

namespace vox::ranks {
namespace {

// The header of the node above these.
uint32_t header_above(const TopNode* begin, const TopNode* end) {
  uint32_t header = 0;
  bool alike = end - begin == 8 && begin->material >= 0;
  for (const TopNode* child = begin; child < end; ++child) {
    header |= 1u << (child->code & 7);
    alike = alike && child->material == begin->material;
  }
  return alike ? dag::homogeneous_header(static_cast<uint32_t>(begin->material)) : header;
}

}  // namespace

void sort_by_code(std::vector<TopNode>& nodes) {
  tbb::parallel_sort(nodes.begin(), nodes.end(),
                     [](const TopNode& a, const TopNode& b) { return a.code < b.code; });
}

TopLevel parents_of(const std::vector<TopNode>& children) {
  std::vector<size_t> starts;  // of the children of each parent
  TopLevel level;
  level.offsets = {0};
  for (size_t i = 0; i <= children.size(); ++i) {
    if (i > 0 && i < children.size() && children[i].code >> 3 == children[i - 1].code >> 3) continue;
    if (i > 0) level.offsets.push_back(level.offsets.back() + 2 + static_cast<uint32_t>(i - starts.back()));
    if (i < children.size()) starts.push_back(i);
  }
  level.nodes.resize(starts.size());
  level.words.resize(level.offsets.back());
  starts.push_back(children.size());
  tbb::parallel_for(size_t{0}, level.nodes.size(), [&](size_t i) {
    const TopNode *begin = &children[starts[i]], *end = children.data() + starts[i + 1];
    const uint32_t header = header_above(begin, end);
    write_spread_node(&level.words[level.offsets[i]], header, [&](uint32_t c) { return begin[c].id; });
    level.nodes[i] = {.code = begin->code >> 3,
                      .digest = dag::node_digest(header, [&](uint32_t c) { return begin[c].digest; }),
                      .material = dag::is_homogeneous(header) ? begin->material : -1};
  });
  return level;
}

}  // namespace vox::ranks
