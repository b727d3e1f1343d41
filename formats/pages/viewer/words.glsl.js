// The words of the DAG as rays read them: libvox/dag/node.h and leaf.h, in GLSL.
//
// The words of all levels follow one another, beginning with the root's, in layers of a texture of 32-bit words. The
// 64-bit mask of a leaf takes two words.
export const wordsSource = /* glsl */ `
uniform highp usampler2DArray words;
uniform uint level_begin[21];  // [i]: the first word of the nodes of 2^i voxels a side
uniform uint page_shift;       // log2 of the words of a row; a layer has 2^(2 page_shift)
uniform bool has_materials;

// Returns the place of the i-th item in the layers of a texture.
ivec3 texel(uint i) {
  uint row = (1u << page_shift) - 1u;
  return ivec3(i & row, i >> page_shift & row, i >> 2u * page_shift);
}
uint word_at(uint i) {
  return texelFetch(words, texel(i), 0).r;
}

uvec3 ones(uvec3 bits) {
  bits -= bits >> 1u & 0x55555555u;
  bits = (bits & 0x33333333u) + (bits >> 2u & 0x33333333u);
  bits = bits + (bits >> 4u) & 0x0f0f0f0fu;
  return bits * 0x01010101u >> 24u;
}
uint ones(uint bits) {
  return ones(uvec3(bits)).x;
}
uvec3 some(uvec3 bits) {
  return uvec3(notEqual(bits, uvec3(0)));
}

// A float is exact below 2^24, and its exponent gives the place of the highest bit.
uvec3 highest_bit(uvec3 bits) {
  return (floatBitsToUint(vec3(bits)) >> 23u) - 127u;
}
uint highest_bit(uint bits) {
  return highest_bit(uvec3(bits)).x;
}
uint lowest_bit(uint bits) {
  return highest_bit(bits & -bits);
}

// Returns the index of an eighth of a cube, given as 0 or 1 along each axis.
uint octant_of(ivec3 place) {
  return uint(place.x | place.y << 1 | place.z << 2);
}
ivec3 place_of(uint octant) {
  return ivec3(octant, octant >> 1u, octant >> 2u) & 1;
}

// --- inner nodes ---

bool is_homogeneous(uint header) {
  return (header & 0x100u) != 0u;
}
uint homogeneous_material(uint header) {
  return header >> 9u & 15u;
}
// Returns the node or leaf of 2^log2 voxels a side that is this part of the node. The node must have it.
uint child_at(uint node, uint mask, uint part, uint log2) {
  return level_begin[log2] + word_at(node + 1u + ones(mask & (1u << part) - 1u));
}

// --- leaves ---

uvec2 leaf_mask(uint leaf) {
  return uvec2(word_at(leaf), word_at(leaf + 1u));
}
// Returns a bit for each byte of a word that is not 0.
uint filled_bytes(uint bits) {
  bits |= bits >> 4u;
  bits |= bits >> 2u;
  bits |= bits >> 1u;
  return (bits & 0x01010101u) * 0x01020408u >> 24u & 15u;
}
uint filled_blocks(uvec2 mask) {
  return filled_bytes(mask.x) | filled_bytes(mask.y) << 4u;
}
uint block_mask(uvec2 mask, uint block) {
  return (block < 4u ? mask.x : mask.y) >> 8u * (block & 3u) & 0xffu;
}
uint leaf_material(uint leaf, uvec2 mask, uint bit) {
  if (!has_materials) return 0u;
  uint below = (1u << (bit & 31u)) - 1u;
  uint rank = bit < 32u ? ones(mask.x & below) : ones(mask.x) + ones(mask.y & below);
  return word_at(leaf + 2u + rank / 8u) >> rank % 8u * 4u & 15u;
}
// Returns the layers, of four along each axis, in which a leaf has voxels. The bits of a voxel's place are z1 y1 x1 z0
// y0 x0.
uvec3 leaf_layers(uvec2 mask) {
  uint all = mask.x | mask.y;
  uvec3 low = uvec3(all, all, mask.x), high = uvec3(all >> 8u, all >> 16u, mask.y);
  const uvec3 even = uvec3(0x550055, 0x3333, 0x0f0f0f0f), odd = uvec3(0xaa00aa, 0xcccc, 0xf0f0f0f0u);
  return some(low & even) | some(low & odd) << 1u | some(high & even) << 2u | some(high & odd) << 3u;
}
// Returns the halves of an inner node along each axis that are not empty.
uvec3 node_layers(uint mask) {
  return some(mask & uvec3(0x55, 0x33, 0x0f)) | some(mask & uvec3(0xaa, 0xcc, 0xf0)) << 1u;
}
`;
