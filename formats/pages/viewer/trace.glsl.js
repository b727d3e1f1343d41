// The first thing that a ray hits: libvox/render/trace.h, in GLSL.
//
// A browser has no 64-bit integers on a GPU, so that a crossing is not an integer here but a float: that of a plane
// is always computed anew, of the plane's whole distance from the eye, and grows with it. Where the ray is, is decided
// by whole numbers alone: no error adds up, no cell is left out or entered twice, and at the same time the planes of
// x are crossed before those of y and z, as there.
export const traceSource = /* glsl */ `
uniform uint log2_side;
uniform ivec3 clip_low, clip_high;  // voxels; nothing outside of it is seen
uniform uint mode;                  // an index into kModes
uniform uint hidden;                // bit i: material i is not seen
uniform uint coarsest;              // log2 of the side of cells that rays look no further into; 0: none

uvec2 passed[21];  // [i]: of the ray traced last, the node whose parts are cells of 2^i, and its header; [1]: the leaf

const uint kNoAxis = 3u, kSharing = 4u;
const uint kMostSteps = 16384u, kMostStops = 4096u;

// Coordinates are mirrored along axes on which the ray goes down: they count from the cube's other end.
struct Ray {
  ivec3 voxel;    // that it begins in, or a neighbour of it,
  vec3 rest;      // and how far from its corner
  vec3 step;      // from plane to plane, in voxels along the ray
  uint mirrored;  // bit 0, 1, 2: x, y, z
  float spread;   // of a pixel at distance 1; 0: no level of detail
  float widest;   // distance from which on a pixel becomes no wider
  float reach;    // it hits nothing further away
};

struct Crossing {
  float at;   // voxels from where the ray begins
  uint axis;  // of the plane that is crossed; kNoAxis: the ray begins there
};

struct Box {
  ivec3 low, high;
};

struct Hit {
  bool found;
  Crossing face;  // by which the ray enters
  Box box;        // mirrored: the voxel, or the box in a cell
  uint log2;      // of the cell's side
  uint node_log2; // of that of the smallest node around the cell, or of its leaf
  uint material;
};

struct Surface {
  ivec3 voxel;  // the point: a corner,
  vec3 rest;    // and how far from it
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

// When the ray crosses the planes through a corner.
vec3 times(Ray ray, ivec3 corner) {
  return (vec3(corner - ray.voxel) - ray.rest) * ray.step;
}

// A box in a cube in the ray's coordinates, and back again.
Box mirrored(Ray ray, Box box, int side) {
  ivec3 moves = place_of(ray.mirrored) * (side - box.low - box.high);
  return Box(box.low + moves, box.high + moves);
}

// The later of two crossings. Planes that are crossed at the same time are crossed x first.
Crossing later(Crossing now, float plane, uint axis) {
  bool is_later = plane > now.at || plane == now.at && axis > now.axis;
  return Crossing(is_later ? plane : now.at, is_later ? axis : now.axis);
}
Crossing latest(Crossing now, vec3 planes) {
  return later(later(later(now, planes.x, 0u), planes.y, 1u), planes.z, 2u);
}

// The eighth of a cell in which the ray is, 0 or 1 along each axis, by when it crosses the planes in the middle.
ivec3 half_at(Crossing now, vec3 middle) {
  bvec3 tie = equal(middle, vec3(now.at));
  return ivec3(lessThan(middle, vec3(now.at))) | ivec3(tie) * ivec3(lessThanEqual(uvec3(0, 1, 2), uvec3(now.axis)));
}

// Whether rays look no further into a cell: it is that of a node or a leaf and no wider than a pixel.
bool is_small(Ray ray, uint log2, Crossing now) {
  return log2 >= 2u && (log2 <= coarsest || min(now.at, ray.widest) * ray.spread >= float(1 << log2));
}

// The material of the voxel in which a ray hits the box around what a node holds: where the box is empty there, of
// one straight behind the face, if there is one, as hit_material() of libvox/render/trace.h finds it.
uint material_below(Ray ray, uint node, uint log2, ivec3 at, Crossing now) {
  uint face = now.axis < kNoAxis ? 1u << now.axis : 0u, near = ray.mirrored & face, block = 0u;
  uvec2 leaf = uvec2(0);
  bool behind = false;
  for (; log2 > 0u; --log2) {
    uint mask;
    if (log2 > 2u) {
      uint header = word_at(node);
      if (is_homogeneous(header)) return homogeneous_material(header);
      mask = header;
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
    if (log2 > 2u) node = child_at(node, mask, part, log2 - 1u);
    else if (log2 == 2u) block = part;
    else return leaf_material(node, leaf, block << 3u | part);
  }
  return 0u;
}

// The hit at the box around what a node holds, which lies flush with the surfaces in its cell; of inner nodes the
// box of their halves is exact enough, where cells are no wider than a pixel.
Hit box_hit(Ray ray, uint node, uint log2, ivec3 at, Crossing now, float end) {
  uvec3 layers = log2 == 2u ? leaf_layers(leaf_mask(node)) : node_layers(word_at(node));
  int unit = log2 == 2u ? 1 : 1 << log2 - 1u;
  Box box = mirrored(ray, Box(ivec3(highest_bit(layers & -layers)) * unit, ivec3(highest_bit(layers) + 1u) * unit),
                     1 << log2);
  box.low += at;
  box.high += at;
  Hit hit;
  hit.face = latest(now, times(ray, box.low));
  vec3 far = times(ray, box.high);
  hit.found = hit.face.at < min(min(far.x, far.y), min(far.z, end));
  hit.box = box;
  hit.log2 = hit.node_log2 = log2;
  if (hit.found) {
    hit.material = material_below(ray, node, log2, at, hit.face);
    hit.found = (hidden >> hit.material & 1u) == 0u;
  }
  return hit;
}

// The hit in a cell that is full of one material: at a voxel, or where a cell is no wider than a pixel.
Hit solid_hit(Ray ray, uint log2, ivec3 at, Crossing now, uint material) {
  uint node_log2 = log2;
  while (log2 > 0u && (log2 == log2_side || !is_small(ray, log2, now))) {
    --log2;
    at += half_at(now, times(ray, at + (1 << log2))) << int(log2);
  }
  return Hit(true, now, Box(at, at + (1 << log2)), log2, node_log2, material);
}

Hit trace(Ray ray) {
  Hit miss;
  miss.found = false;
  Box seen = mirrored(ray, Box(clip_low, clip_high), 1 << log2_side);
  vec3 leave = times(ray, seen.high);
  float end = min(min(min(leave.x, leave.y), leave.z), ray.reach);
  Crossing now = latest(Crossing(0.0, kNoAxis), times(ray, seen.low));
  if (!(now.at < end)) return miss;

  ivec3 at = ivec3(0);        // the lowest corner of the cell that the ray is in
  uint log2 = log2_side;      // of its side
  uint octant = 0u;           // which part it is of the cell twice as wide
  uint node = 0u, mask = 0u;  // the node around the cell, or the leaf, and what of it is filled
  uvec2 leaf = uvec2(0);
  uint block = 0u, header = 0u, part = 0u;
  bool opens = true;          // the cell holds something, and has not been looked into
  bool passes = false;        // nothing of the cell is seen
  uint steps = 0u;
  // The inner loop holds little, since graphics without branches do all of it for every ray: it ends where the ray
  // stops, and goes on where what is there is not seen.
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
        if (log2 == 0u || is_small(ray, log2, now)) break;
        if (log2 >= 2u) {
          passed[log2] = uvec2(node, mask);
          node = child_at(node, mask, part, log2);
        }
        block = part;
        opens = true;
        continue;
      }

      // On to the next cell: as wide, or the widest that the ray enters there.
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
      octant = 7u;  // whichever part it is, the next cell is not in the node that was opened
    } else if (!full) {
      return miss;
    } else if (log2 == 0u) {
      uint material = leaf_material(node, leaf, block << 3u | part);
      passed[1].x = node;
      if ((hidden >> material & 1u) == 0u) return Hit(true, now, Box(at, at + 1), 0u, 2u, material);
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
