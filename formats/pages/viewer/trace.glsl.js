// Finds the first thing that a ray hits: libvox/render/trace.h, in GLSL.
//
// A browser has no 64-bit integers on a GPU, so a crossing is a float here, not an integer. It is always computed anew
// from the plane's whole distance to the eye, and increases with that distance. The ray's place is decided only by
// whole numbers: no error accumulates, and no cell is skipped or entered twice. As in trace.h, if planes of several
// axes are crossed at the same time, x comes first, then y, then z.

// The words of the DAG as rays read them: libvox/dag/node.h and node.h, in GLSL.
//
// The words of all levels follow one another, beginning with the root's, in layers of a texture of 32-bit words. The
// 64-bit mask of a leaf takes two words.
//
// In a page that loads chunks (STREAMED), the texture begins with a table of the places of nodes in it, and the chunks
// that are there lie behind it as docs/formats.md describes them, with pointers that stream.js has made places. A node
// whose chunk may be absent is marked by kClosed. Its own words say what it looks like from afar.

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
#ifdef STREAMED
uniform uint root;
const uint kClosed = 0x80000000u;
uint wanted = 0u;         // the place in the table of a node that should not be closed, or 0,
float wanted_at = 0.0;    // its distance,
float wanted_from = 0.0;  // and that of the surface where the ray begins that looks for it
uint used = 0u;           // the place in the table of the last node that was found by it
uint word_at(uint i) {
  return texelFetch(words, texel(i & ~kClosed), 0).r;
}
#else
const uint root = 0u;
uint word_at(uint i) {
  return texelFetch(words, texel(i), 0).r;
}
#endif

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
#ifdef STREAMED
uint named_by(uint pointer) {
  uint child = word_at(pointer);
  if ((child & kClosed) == 0u) return child;
  uint entry = word_at(child + 4u), place = word_at(entry);
  if (place == 0u) return child;
  used = entry;
  return place;
}
uint child_at(uint node, uint mask, uint part, uint log2) {
  return named_by(node + 4u + ones(mask & (1u << part) - 1u));
}
bool is_closed(uint node) {
  return (node & kClosed) != 0u;
}
void want(uint node, float at) {
  if (wanted != 0u) return;
  wanted = word_at(node + 4u);
  wanted_at = wanted_from + at;
}
const uint kLeafHead = 3u;  // the mask and a color
#else
uint child_at(uint node, uint mask, uint part, uint log2) {
  return level_begin[log2] + word_at(node + 1u + ones(mask & (1u << part) - 1u));
}
const uint kLeafHead = 2u;
#endif

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
// Returns the number of a leaf's voxels before a bit.
uint rank_of(uvec2 mask, uint bit) {
  uint below = (1u << (bit & 31u)) - 1u;
  return bit < 32u ? ones(mask.x & below) : ones(mask.x) + ones(mask.y & below);
}
uint leaf_material(uint leaf, uvec2 mask, uint bit) {
  if (!has_materials) return 0u;
  uint rank = rank_of(mask, bit);
  return word_at(leaf + kLeafHead + rank / 8u) >> rank % 8u * 4u & 15u;
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

#ifdef COLORED
// --- colors, which libvox/attributes packs: the heads of groups, their blocks, and a table lie behind the leaves ---

// Returns \`count\` bits, counted from a word's first one.
uint bits_at(uint word, uint bit, uint count) {
  word += bit / 32u;
  bit %= 32u;
  uint bits = word_at(word) >> bit;
  if (bit + count > 32u) bits |= word_at(word + 1u) << 32u - bit;
  return bits & (1u << count) - 1u;
}
// Returns a value by its number, where the heads of groups and their blocks begin at these words.
uint packed_value(uint heads, uint blocks, uint value_bits, uint number) {
  uint group = heads + number / 768u * 8u, block = number % 768u / 64u, rank = number % 64u;
  uint code = word_at(group + 2u + block / 2u) >> block % 2u * 16u & 0xffffu, width = code & 15u;
  uint byte = word_at(group) + (code >> 4u), word = blocks + byte / 4u, bit = byte % 4u * 8u;
  if (width < 15u) {
    if (width > 0u) rank = bits_at(word, bit + rank * width, width);
    else rank = 0u;
    bit += 64u * width;
  }
  return bits_at(word, bit + rank * value_bits, value_bits);
}
#ifdef STREAMED
uniform uint color_entries[7];  // where the table has the places of chunks of colors, for each level
uniform uint color_levels;
uint color_used = 0u;           // the place in the table of the last chunk that was read

// Returns the number of voxels below a node or leaf of 2^log2 voxels a side. It may be closed.
uint voxels_of(uint node, uint log2) {
  return log2 > 2u ? word_at(node + 3u) : ones(word_at(node)) + ones(word_at(node + 1u));
}
// Returns the packed color with this number, or a mean if the page has not loaded it. From level 1 on, it is a mean.
uint color_of(uint number, uint level, float at) {
  for (level = min(level, color_levels - 1u); level < color_levels; ++level) {
    uint i = number >> 6u * level, place = word_at(color_used = color_entries[level] + i / 49152u);
    if (place != 0u) return packed_value(place + 4u, place + 4u + word_at(place + 2u) * 8u, 24u, i % 49152u);
    if (wanted != 0u) continue;
    wanted = color_used;
    wanted_at = at;
  }
  return 0u;
}
#else
uniform uint heads, blocks, table, value_bits;  // the first words of these parts; table is 0 if there is none
uniform uint numbers;  // the first of a number for each word of inner nodes, as in libvox/dag/walk.h

uint voxels_before(uint node, uint mask, uint part) {
  return word_at(numbers + node + 1u + ones(mask & (1u << part) - 1u));
}
// Returns the packed color of the voxel with this number.
uint color_of(uint number) {
  uint value = packed_value(heads, blocks, value_bits, number);
  return table == 0u ? value : word_at(table + value);
}
#endif
#endif
`;

export const traceSource = /* glsl */ `
uniform uint log2_side;
uniform ivec3 clip_low, clip_high;  // in voxels; everything outside is invisible
uniform uint mode;                  // an index into kModes
uniform uint hidden;                // if bit i is set, material i is invisible
uniform uint coarsest;              // log2 of the side of the smallest cells that rays open; 0: none

uvec2 passed[21];  // for the last ray, [i]: the node whose parts are cells of 2^i, and its header; [1]: the leaf

const uint kNoAxis = 3u, kSharing = 4u;
const uint kMostSteps = 16384u, kMostStops = 4096u;

// Coordinates are mirrored along the axes on which the ray goes down: they count from the cube's other end.
struct Ray {
  ivec3 voxel;    // the voxel of the origin, or a neighbor of it,
  vec3 rest;      // and the origin's offset from its corner
  vec3 step;      // distance between planes, in voxels along the ray
  uint mirrored;  // bit 0, 1, 2: x, y, z
  float spread;   // width of a pixel at distance 1; 0: no level of detail
  float widest;   // distance beyond which the pixel gets no wider
  float reach;    // nothing further away is hit
};

struct Crossing {
  float at;   // distance from the ray's origin, in voxels
  uint axis;  // axis of the crossed plane; kNoAxis: the ray begins there
};

struct Box {
  ivec3 low, high;
};

struct Hit {
  bool found;
  Crossing face;  // the crossing by which the ray enters
  Box box;        // mirrored: the voxel, or the box in a cell
  uint log2;      // log2 of the cell's side
  uint node_log2; // the same for the smallest node, or leaf, around the cell
  uint material;
#ifdef STREAMED
  uint node;      // that node; 0: it has one material
#endif
};

struct Surface {
  ivec3 voxel;  // the place: a corner,
  vec3 rest;    // and the offset from it
  vec3 normal;
  float distance;
};

Ray ray_from(ivec3 voxel, vec3 rest, vec3 direction) {
  Ray ray;
  ivec3 down = ivec3(lessThan(direction, vec3(0)));
  ray.voxel = voxel + down * ((1 << log2_side) - 2 * voxel);
  ray.rest = rest * vec3(1 - 2 * down);
  ray.step = 1.0 / max(abs(direction), vec3(1e-25));
  ray.mirrored = octant_of(down);
  ray.spread = 0.0;
  ray.widest = ray.reach = 1e30;
  return ray;
}

// Returns when the ray crosses the planes through a corner.
vec3 times(Ray ray, ivec3 corner) {
  return (vec3(corner - ray.voxel) - ray.rest) * ray.step;
}

// Converts a box in a cube to the ray's coordinates, and back.
Box mirrored(Ray ray, Box box, int side) {
  ivec3 moves = place_of(ray.mirrored) * (side - box.low - box.high);
  return Box(box.low + moves, box.high + moves);
}

// Returns the later of two crossings. Planes that are crossed at the same time are crossed x first.
Crossing later(Crossing now, float plane, uint axis) {
  bool is_later = plane > now.at || plane == now.at && axis > now.axis;
  return Crossing(is_later ? plane : now.at, is_later ? axis : now.axis);
}
Crossing latest(Crossing now, vec3 planes) {
  return later(later(later(now, planes.x, 0u), planes.y, 1u), planes.z, 2u);
}

// Returns the eighth of a cell that the ray is in, 0 or 1 along each axis, from the crossings of the planes in its
// middle.
ivec3 half_at(Crossing now, vec3 middle) {
  bvec3 tie = equal(middle, vec3(now.at));
  return ivec3(lessThan(middle, vec3(now.at))) | ivec3(tie) * ivec3(lessThanEqual(uvec3(0, 1, 2), uvec3(now.axis)));
}

// True if a ray does not open a cell: it is the cell of a node or a leaf, and no wider than a pixel.
bool is_small(Ray ray, uint log2, Crossing now) {
  return log2 >= 2u && (log2 <= coarsest || min(now.at, ray.widest) * ray.spread >= float(1 << log2));
}

#ifndef STREAMED
// Returns the material of the voxel in which a ray hits the box around a node's contents, or, in a page with colors, its
// number among the node's voxels. If the box is empty there, it is that of a voxel straight behind the face, if there
// is one, as in hit_voxel() of libvox/render/trace.h.
uint voxel_below(Ray ray, uint node, uint log2, ivec3 at, Crossing now) {
  uint face = now.axis < kNoAxis ? 1u << now.axis : 0u, near = ray.mirrored & face, block = 0u, number = 0u;
  uvec2 leaf = uvec2(0);
  bool behind = false;
  for (; log2 > 0u; --log2) {
    uint mask;
    if (log2 > 2u) {
      mask = word_at(node);
#ifndef COLORED
      if (is_homogeneous(mask)) return homogeneous_material(mask);
#endif
    } else if (log2 == 2u) {
      leaf = leaf_mask(node);
      mask = filled_blocks(leaf);
    } else {
      mask = block_mask(leaf, block);
    }
    int half_side = 1 << log2 - 1u;
    ivec3 bits = half_at(now, times(ray, at + half_side));
    at += bits * half_side;
    uint part = octant_of(bits) ^ ray.mirrored;
    if (behind) part = part & ~face | near;
    if ((mask >> part & 1u) == 0u) {
      behind = true;
      part ^= face;
      if ((mask >> part & 1u) == 0u) part = lowest_bit(mask);
    }
#ifdef COLORED
    if (log2 > 2u) number += voxels_before(node, mask, part);
    if (log2 == 1u) return number + rank_of(leaf, block << 3u | part);
#else
    if (log2 == 1u) return leaf_material(node, leaf, block << 3u | part);
#endif
    if (log2 > 2u) node = child_at(node, mask, part, log2 - 1u);
    else block = part;
  }
  return 0u;
}
#endif
#ifdef COLORED
// Returns the packed color of the voxel that a ray hit. The hit's box is not mirrored.
#ifdef STREAMED
// Here a node has the mean color of some of its voxels.
uint hit_color(Ray ray, Hit hit) {
  uint node = root, first = 0u, log2 = log2_side;
  while (log2 > max(hit.log2, 2u)) {
    uint part = octant_of(hit.box.low >> int(--log2) & 1), pointer = node + 4u;
    for (uint left = word_at(node) & (1u << part) - 1u; left != 0u; left &= left - 1u)
      first += voxels_of(word_at(pointer++), log2);
    node = named_by(pointer);
  }
  if (hit.log2 > 0u) {
    uint count = voxels_of(node, log2);
    return color_of(first + count / 2u, (highest_bit(count) + 2u) / 6u, hit.face.at);
  }
  uint bit = octant_of(hit.box.low >> 1 & 1) << 3u | octant_of(hit.box.low & 1);
  return color_of(first + rank_of(leaf_mask(node), bit), 0u, hit.face.at);
}
#else
uint hit_color(Ray ray, Hit hit) {
  uint node = root, first = 0u, log2 = log2_side;
  ivec3 at = ivec3(0);
  while (log2 > max(hit.log2, 2u)) {
    uint part = octant_of(hit.box.low >> int(--log2) & 1), mask = word_at(node);
    first += voxels_before(node, mask, part);
    node = child_at(node, mask, part, log2);
    at += place_of(part ^ ray.mirrored) << int(log2);
  }
  if (hit.log2 > 0u) return color_of(first + voxel_below(ray, node, log2, at, hit.face));
  uint bit = octant_of(hit.box.low >> 1 & 1) << 3u | octant_of(hit.box.low & 1);
  return color_of(first + rank_of(leaf_mask(node), bit));
}
#endif
#endif

// Returns the hit on the box around a node's contents, which touches the surfaces in its cell. For inner nodes the box
// of their filled halves is exact enough, because the cells are no wider than a pixel.
#ifdef STREAMED
// Here the box is that around the voxels, which the node's words hold as render::PackedBox.
bool is_of_one(uint node, uint log2) {
  return log2 > 2u && is_homogeneous(word_at(node));
}
Box box_of(uint node, uint log2) {
  uvec3 layers = leaf_layers(leaf_mask(node));
  Box box = Box(ivec3(highest_bit(layers & -layers)), ivec3(highest_bit(layers) + 1u));
  if (log2 == 2u) return box;
  int side = 1 << log2, unit = int(max(log2, 10u) - 10u);
  uint low = word_at(node + 1u), high = word_at(node + 2u);
  if (is_homogeneous(word_at(node))) return Box(ivec3(0), ivec3(side));
  return Box((ivec3(low, low >> 10u, low >> 20u) & 1023) << unit, ((ivec3(high, high >> 10u, high >> 20u) & 1023) + 1) << unit);
}
// True if a ray must open a small node because some of its materials are invisible.
bool is_half_hidden(uint node, uint log2) {
  if (hidden == 0u) return false;
  uint all = word_at(node) >> 16u;
  return log2 == 2u || !is_closed(node) && (all & hidden) != 0u && (all & ~hidden) != 0u;
}
#else
Box box_of(uint node, uint log2) {
  uvec3 layers = log2 == 2u ? leaf_layers(leaf_mask(node)) : node_layers(word_at(node));
  int unit = log2 == 2u ? 1 : 1 << log2 - 1u;
  return Box(ivec3(highest_bit(layers & -layers)) * unit, ivec3(highest_bit(layers) + 1u) * unit);
}
#endif
Hit box_hit(Ray ray, uint node, uint log2, ivec3 at, Crossing now, float end) {
  Box box = mirrored(ray, box_of(node, log2), 1 << log2);
  box.low += at;
  box.high += at;
  Hit hit;
  hit.face = latest(now, times(ray, box.low));
  vec3 far = times(ray, box.high);
  hit.found = hit.face.at < min(min(far.x, far.y), min(far.z, end));
  hit.box = box;
  hit.log2 = hit.node_log2 = log2;
#ifdef STREAMED
  uint all = log2 == 2u ? 1u : word_at(node) >> 16u;
  hit.material = log2 == 2u ? 0u : lowest_bit(all);
  hit.node = is_of_one(node, log2) ? 0u : node;
  hit.found = hit.found && (log2 == 2u || (all & ~hidden) != 0u);
  float wide = ray.widest < 1e30 ? ray.widest : now.at;
  if (hit.found && is_closed(node) && log2 > coarsest && wide * ray.spread < float(1 << log2)) want(node, hit.face.at);
#else
  if (hit.found) {
#ifdef COLORED
    hit.material = 0u;
#else
    hit.material = voxel_below(ray, node, log2, at, hit.face);
#endif
    hit.found = (hidden >> hit.material & 1u) == 0u;
  }
#endif
  return hit;
}

Hit hit_on(Crossing now, Box box, uint log2, uint node_log2, uint material, uint node) {
#ifdef STREAMED
  return Hit(true, now, box, log2, node_log2, material, node);
#else
  return Hit(true, now, box, log2, node_log2, material);
#endif
}

// Returns the hit in a cell filled with one material: at a voxel, or at a cell that is no wider than a pixel.
Hit solid_hit(Ray ray, uint log2, ivec3 at, Crossing now, uint material) {
  uint node_log2 = log2;
  while (log2 > 0u && (log2 == log2_side || !is_small(ray, log2, now))) {
    --log2;
    at += half_at(now, times(ray, at + (1 << log2))) << int(log2);
  }
  return hit_on(now, Box(at, at + (1 << log2)), log2, node_log2, material, 0u);
}

Hit trace(Ray ray) {
  Hit miss;
  miss.found = false;
  Box seen = mirrored(ray, Box(clip_low, clip_high), 1 << log2_side);
  vec3 leave = times(ray, seen.high);
  float end = min(min(min(leave.x, leave.y), leave.z), ray.reach);
  Crossing now = latest(Crossing(0.0, kNoAxis), times(ray, seen.low));
  if (!(now.at < end)) return miss;

  ivec3 at = ivec3(0);        // the lowest corner of the current cell
  uint log2 = log2_side;      // log2 of its side
  uint octant = 0u;           // its place in the cell twice as wide
  uint node = root, mask = 0u;  // the node or leaf around the cell, and its filled parts
  uvec2 leaf = uvec2(0);
  uint block = 0u, header = 0u, part = 0u;
  bool opens = true;          // the cell is not empty and has not been opened
  bool passes = false;        // everything in the cell is invisible
  uint steps = 0u;
  // The inner loop is kept short, because GPUs without branches execute all of it for every ray. It ends where the ray
  // stops, and is entered again if the cell there is invisible.
  for (uint stops = 0u; stops < kMostStops; ++stops) {
    bool solid = false, full = false;
    for (; steps < kMostSteps; ++steps) {
      if (opens) {
        opens = false;
        if (log2 == 1u) {
          mask = block_mask(leaf, block);
        } else {
          header = word_at(node);
          mask = header;
          if (log2 == 2u) {
            leaf = uvec2(header, word_at(node + 1u));
            mask = filled_blocks(leaf);
          } else if (is_homogeneous(header) && mode != kSharing) {
            solid = true;
            break;
          }
        }
        --log2;
        ivec3 bits = half_at(now, times(ray, at + (1 << log2)));
        at += bits << int(log2);
        octant = octant_of(bits);
      }
      part = octant ^ ray.mirrored;
      full = !passes && (mask >> part & 1u) != 0u;
      if (full) {
#ifdef STREAMED
        if (log2 == 0u) break;
        if (log2 >= 2u) {
          uint child = child_at(node, mask, part, log2);
          if (is_closed(child) || is_small(ray, log2, now) && !is_half_hidden(child, log2)) break;
          passed[log2] = uvec2(node, mask);
          node = child;
        }
#else
        if (log2 == 0u || is_small(ray, log2, now)) break;
        if (log2 >= 2u) {
          passed[log2] = uvec2(node, mask);
          node = child_at(node, mask, part, log2);
        }
#endif
        block = part;
        opens = true;
        continue;
      }

      // Goes on to the next cell: one of the same width, or the widest that the ray enters there.
      passes = false;
      vec3 out_at = times(ray, at + (1 << log2));
      now = Crossing(min(out_at.x, out_at.y), out_at.x <= out_at.y ? 0u : 1u);
      if (out_at.z < now.at) now = Crossing(out_at.z, 2u);
      if (!(now.at < end)) return miss;
      ivec3 to = at + (ivec3(equal(uvec3(now.axis), uvec3(0, 1, 2))) << int(log2)), changed = at ^ to;
      at = to;
      if ((octant >> now.axis & 1u) == 0u) {
        octant |= 1u << now.axis;
        continue;
      }
      log2 = highest_bit(uint(changed.x | changed.y | changed.z));
      if (log2 >= log2_side) return miss;
      at = at >> int(log2) << int(log2);
      octant = octant_of(at >> int(log2) & 1);
      if (log2 == 1u) {  // from a block to the leaf
        mask = filled_blocks(leaf);
      } else {
        node = passed[log2].x;
        mask = passed[log2].y;
      }
    }
    passes = true;
    if (solid) {
      uint filling = homogeneous_material(header);
      passed[log2 - 1u].x = node;
      if ((hidden >> filling & 1u) == 0u) return solid_hit(ray, log2, at, now, filling);
      octant = 7u;  // the next cell is never in the opened node, whichever part this is
    } else if (!full) {
      return miss;
    } else if (log2 == 0u) {
      uint material = leaf_material(node, leaf, block << 3u | part);
      passed[1].x = node;
      if ((hidden >> material & 1u) == 0u) return hit_on(now, Box(at, at + 1), 0u, 2u, material, node);
    } else {
      passed[log2] = uvec2(node, mask);
      passed[log2 - 1u].x = child_at(node, mask, part, log2);
      Hit hit = box_hit(ray, passed[log2 - 1u].x, log2, at, now, end);
      if (hit.found) return hit;
    }
  }
  return miss;
}
`;
