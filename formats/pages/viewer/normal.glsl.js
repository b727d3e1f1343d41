// The normal of the surface that the voxels approximate: libvox/render/cells_around.h and smooth_normal.h, in GLSL. A
// mask of 4³ cells is stored in two words, like the mask of a leaf.
export const normalSource = /* glsl */ `
uniform ivec3 cut_low, cut_high;  // the first and last voxels inside a cut, whose faces have no smooth normals

// Returns which eighths of the cube of 2^log2 voxels a side at a voxel are not empty. It starts from the smallest node
// around the voxel that the ray has passed.
uint filled_eighths(Hit hit, ivec3 voxel, uint log2) {
  ivec3 changed = voxel ^ hit.box.low;
  uint bits = uint(changed.x | changed.y | changed.z) | 1u;
  if (bits >> log2_side != 0u) return 0u;
  uint at = max(max(highest_bit(bits) + 1u, hit.node_log2), log2), node = passed[at - 1u].x, header = word_at(node);
  while (at > max(log2, 2u)) {
    if (is_homogeneous(header)) return 255u;
    --at;
    uint part = octant_of(voxel >> at & 1);
    if ((header >> part & 1u) == 0u) return 0u;
    node = child_at(node, header, part, at);
    header = word_at(node);
  }
  if (at > 2u) return header & 255u;
  uvec2 leaf = uvec2(header, word_at(node + 1u));
  return log2 == 2u ? filled_blocks(leaf) : block_mask(leaf, octant_of(voxel >> 1 & 1));
}

// Returns which of the 4³ cells around a corner are not empty, from eight blocks of 2^log2 voxels a side.
uvec2 cells_around(Hit hit, ivec3 corner, uint log2) {
  uvec2 filled = uvec2(0);
  for (uint octant = 0u; octant < 8u; ++octant) {
    uint bits = filled_eighths(hit, (corner >> 1) - 1 + place_of(octant) << log2, log2) << 8u * (octant & 3u);
    filled |= octant < 4u ? uvec2(bits, 0) : uvec2(0, bits);
  }
  return filled;
}

// Returns the direction of the empty cells that can be reached from one of them, cell by cell. Corner cells do not
// count.
ivec3 outward(uvec2 filled, uvec2 first) {
  uvec2 r = first, before, empty = ~filled;
  do {
    before = r;
    r |= (r << 1u & 0xaaaaaaaau | r >> 1u & 0x55555555u | r << 7u & 0x55005500u | r >> 7u & 0xaa00aau) & empty;
    r |= (r << 2u & 0xccccccccu | r >> 2u & 0x33333333u | r << 14u & 0x33330000u | r >> 14u & 0xccccu) & empty;
    uvec2 up = r << 4u & 0xf0f0f0f0u, down = r >> 4u & 0xf0f0f0fu;
    r |= (up | down | uvec2(up.y, down.x)) & empty;
  } while (r != before);
  r &= uvec2(0xf7fbfdfeu, 0x7fbfdfefu);
  const uvec3 odd = uvec3(0xaaaaaaaau, 0xccccccccu, 0xf0f0f0f0u), upper = uvec3(0xff00ff00u, 0xffff0000u, 0);
  uvec3 high = ones(r.x & upper) + ones(r.y & uvec3(upper.xy, ~0u));
  return ivec3(2u * (ones(r.x & odd) + ones(r.y & odd)) + 4u * high) - 3 * int(ones(r.x) + ones(r.y));
}

// Returns the normal according to cells of one size. Going back along the ray by half cells, the first empty one is
// outside.
ivec3 normal_of_cells(Hit hit, Surface at, vec3 slope, uint log2) {
  ivec3 inside = min(at.voxel + ivec3(at.rest), hit.box.high - 1), front = inside + ivec3(at.normal);
  if (clamp(front, cut_low, cut_high) != front) return ivec3(0);
  ivec3 middle = inside >> log2, cell = front >> log2;
  vec3 rest = at.rest, back = slope * 0.5 * float(1 << log2);
  uvec2 filled, first = uvec2(0);
  for (int block = 0; block < 3 && first == uvec2(0); ++block) {
    ivec3 corner = middle + 1 & ~1;
    filled = cells_around(hit, corner, log2 + 1u);
    for (int steps = 0; steps < 8; ++steps) {
      ivec3 place = cell - corner + 2;
      if (((place.x | place.y | place.z) & ~3) != 0) break;
      uint bit = 1u << (octant_of(place & 1) | octant_of(place >> 1) << 3 & 24u);
      first = place.z < 2 ? uvec2(bit, 0) : uvec2(0, bit);
      first &= ~filled;
      if (first != uvec2(0)) break;
      rest -= back;
      cell = at.voxel + ivec3(floor(rest)) >> log2;
    }
    middle = cell;
  }
  return first == uvec2(0) ? ivec3(0) : outward(filled, first);
}
`;
