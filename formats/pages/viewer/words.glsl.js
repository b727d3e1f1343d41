// The words of the DAG as rays read them: what libvox/dag/node.h and leaf.h say, in GLSL.
//
// All levels stand one behind the other, the root's first, in layers of a texture of 32-bit words. The 64-bit mask
// of a leaf is two of them.
export const wordsSource = /* glsl */ `
uniform highp usampler2DArray words;
uniform uint level_begin[21];  // [i]: the first word of the nodes of 2^i voxels a side
uniform uint page_shift;       // log2 of the words of a row; a layer has 2^(2 page_shift)
uniform bool has_materials;

uint word_at(uint i) {
  uint row = (1u << page_shift) - 1u;
  return texelFetch(words, ivec3(i & row, i >> page_shift & row, i >> 2u * page_shift), 0).r;
}

uint ones(uint bits) {
  bits -= bits >> 1u & 0x55555555u;
  bits = (bits & 0x33333333u) + (bits >> 2u & 0x33333333u);
  bits = bits + (bits >> 4u) & 0x0f0f0f0fu;
  return bits * 0x01010101u >> 24u;
}

// Below 2^24 a float is exact, and its exponent is the place of the highest bit.
uint highest_bit(uint bits) {
  return (floatBitsToUint(float(bits)) >> 23u) - 127u;
}
uint lowest_bit(uint bits) {
  return highest_bit(bits & -bits);
}

// --- inner nodes ---

bool is_homogeneous(uint header) {
  return (header & 0x100u) != 0u;
}
uint homogeneous_material(uint header) {
  return header >> 9u & 15u;
}
// The node or leaf of 2^log2 voxels a side that is this part of the node, which has it.
uint child_at(uint node, uint mask, uint part, uint log2) {
  return level_begin[log2] + word_at(node + 1u + ones(mask & (1u << part) - 1u));
}

// The leaf that a voxel is in, which holds something.
uint leaf_at(ivec3 voxel, uint log2_side) {
  uint node = level_begin[log2_side];
  for (uint log2 = log2_side; log2 > 2u; --log2) {
    ivec3 bits = voxel >> int(log2 - 1u) & 1;
    node = child_at(node, word_at(node) & 0xffu, uint(bits.x | bits.y << 1 | bits.z << 2), log2 - 1u);
  }
  return node;
}

// --- leaves ---

uvec2 leaf_mask(uint leaf) {
  return uvec2(word_at(leaf), word_at(leaf + 1u));
}
// A bit for each byte of a word that is not 0.
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
// The layers, of four along an axis, in which a leaf has voxels: z1 y1 x1 z0 y0 x0 are the bits of a voxel's place.
uvec3 leaf_layers(uvec2 mask) {
  uint all = mask.x | mask.y;
  uint x = all | all >> 16u, y = all | all >> 8u, low = mask.x | mask.x >> 16u, high = mask.y | mask.y >> 16u;
  low |= low >> 8u;
  high |= high >> 8u;
  return uvec3((x & 0x55u) != 0u, (y & 0x33u) != 0u, (low & 0x0fu) != 0u) |
         uvec3((x & 0xaau) != 0u, (y & 0xccu) != 0u, (low & 0xf0u) != 0u) << 1u |
         uvec3((x & 0x5500u) != 0u, (y & 0x330000u) != 0u, (high & 0x0fu) != 0u) << 2u |
         uvec3((x & 0xaa00u) != 0u, (y & 0xcc0000u) != 0u, (high & 0xf0u) != 0u) << 3u;
}
// The halves of an inner node that hold something along each axis.
uvec3 node_layers(uint mask) {
  return uvec3((mask & 0x55u) != 0u, (mask & 0x33u) != 0u, (mask & 0x0fu) != 0u) |
         uvec3((mask & 0xaau) != 0u, (mask & 0xccu) != 0u, (mask & 0xf0u) != 0u) << 1u;
}
`;
