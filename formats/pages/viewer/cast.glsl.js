// Computes pixels as libvox/render/shade.h does. The sums of a pixel's samples in linear light are whole numbers, so
// that every browser can add them up.

export const cornersSource = /* glsl */ `#version 300 es
// One triangle that covers the whole picture.
void main() {
  gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0);
}
`;

export const precisionSource = /* glsl */ `#version 300 es
precision highp float;
precision highp int;
`;

export const castSource = /* glsl */ `
uniform highp usampler2D before;  // the sums of earlier samples
uniform uint samples;             // the number of earlier samples
uniform ivec3 eye;                // the voxel that the eye is in,
uniform vec3 eye_rest;            // and the offset from its corner
uniform vec3 corner, right, down; // from the eye to the upper left corner, from pixel to pixel
uniform float spread;             // width of a pixel at distance 1; 0: no level of detail
uniform vec2 place;               // the sample's place in its pixel
uniform float height;             // height of the picture, in pixels
uniform vec3 colors[16];          // linear colors of the materials
uniform vec3 ramp[64];            // colors of measured values
uniform vec2 ramp_ends;           // the values at the ramp's ends
uniform vec3 sky[3];              // at the horizon, straight up, straight down
uniform vec4 ground;              // the scene's middle on the ground, from the eye, and the visible radius; 0: no
                                  // ground
uniform vec2 smoothness;          // the weight of smooth normals: at the eye, and the increase per voxel of distance
uniform vec3 to_sun;
uniform vec3 sides, per_unit;     // the sides of a voxel, whose shortest one is 1; voxels in a unit of 1
uniform bool shadows;
uniform float open_reach;         // voxels that ambient occlusion looks; 0: none
uniform int open_rays;            // rays of ambient occlusion in each sample
uniform highp usampler2DArray uses;  // how often a leaf is used, as a code at its first word; pages as of words
uniform bool picks;               // the first two pixels tell of what is at the place
#ifdef STREAMED
layout(location = 0) out uvec4 sums;
layout(location = 1) out uvec4 notes;  // the chunk that a pixel lacks, its distance, and two that the pixel uses
#else
out uvec4 sums;
#endif

const float kSun = 0.6, kAmbient = 0.36, kWhite = 65535.0;

vec3 measured(float value) {
  float at = (value - ramp_ends.x) / (ramp_ends.y - ramp_ends.x) * 63.0 + 0.5;
  return ramp[int(clamp(at, 0.0, 63.0))];
}

// An even spread of random numbers over pixels; that over samples is by Roberts' R2 sequence, and the rays of a sample
// lie in slices of equal weight.
vec2 random(uvec2 pixel, int ray) {
  uint bits = pixel.x * 0x9e3779b9u ^ pixel.y * 0x85ebca6bu;
  bits = (bits ^ bits >> 16u) * 0x7feb352du;
  bits = (bits ^ bits >> 15u) * 0x846ca68bu;
  bits ^= bits >> 16u;
  return fract(vec2(bits & 0xffffu, bits >> 16u) / 65536.0 + place + vec2(float(ray) / float(open_rays), 0));
}

// Returns the vector with a length of 1; 0 stays 0.
vec3 unit(vec3 v) {
  return v * inversesqrt(max(dot(v, v), 1e-30));
}

// Returns a direction around the normal, weighted by the cosine: towards a random point of the unit sphere above it.
vec3 direction_around(vec3 normal, vec2 at) {
  float z = 2.0 * at.x - 1.0, radius = sqrt(1.0 - z * z), angle = 6.2831853 * at.y;
  return unit(normal + vec3(radius * cos(angle), radius * sin(angle), z));
}

vec3 sky_towards(vec3 direction) {
  return mix(sky[0], direction.y < 0.0 ? sky[2] : sky[1], abs(direction.y));
}

// Gives the surface a smooth normal with this weight. If the cells give no estimate, cells twice as wide are tried.
// Rays from the surface start above the steps between its faces.
void smoothen(inout Surface at, Hit hit, vec3 direction, float share) {
  vec3 by = abs(direction), slope = direction / max(max(by.x, by.y), by.z);
  uint log2 = max(hit.log2, 1u) - 1u, last = min(log2 + 1u, log2_side - 1u);
  ivec3 estimate = ivec3(0);
  for (uint wide = log2; wide <= last && estimate == ivec3(0); ++wide)
    estimate = normal_of_cells(hit, at, slope, wide);
  if (estimate == ivec3(0)) return;
  vec3 estimated = unit(vec3(estimate) * per_unit);
  if (dot(slope, estimated) > 0.3) estimated = -estimated;  // at a thin edge, the estimate is the normal of the back
  at.normal = unit(mix(at.normal, estimated, share));
  at.rest += share * 1.5 * float(1 << log2) * at.normal;
}

Surface surface_at(Hit hit, vec3 direction) {
  Surface at;
  vec3 size = vec3(hit.box.high - hit.box.low);
  vec3 out_of = -sign(direction) * vec3(equal(uvec3(hit.face.axis), uvec3(0, 1, 2)));
  at.voxel = hit.box.low;
  at.rest = clamp(eye_rest + direction * hit.face.at - vec3(at.voxel - eye), vec3(0), size);
  at.rest = mix(at.rest, step(vec3(0), out_of) * size, abs(out_of));  // exactly on the face
  at.normal = out_of;
  at.distance = hit.face.at;
  float share = smoothness.x + smoothness.y * at.distance;
  if (share > 0.0 && hit.face.axis < kNoAxis) smoothen(at, hit, direction, min(share, 1.0));
  return at;
}

// Returns the place where a ray meets the ground; \`share\` is the strength of a shadow there.
Surface ground_at(vec3 direction, out float share) {
  Surface at;
  at.distance = ground.y / direction.y;
  vec3 to = direction * at.distance, from = to - ground.xyz;
  share = max(ground.y, direction.y) < 0.0 ? max(1.0 - dot(from.xz, from.xz) / (ground.w * ground.w), 0.0) : 0.0;
  share *= share;
  at.normal = vec3(0, share > 0.0, 0);
  at.voxel = eye + ivec3(floor(to));
  at.rest = fract(to) + eye_rest;
  return at;
}

// Returns a ray from a surface, whose width is at most that of the pixel there.
Ray ray_on(Surface from, vec3 direction) {
  Ray ray = ray_from(from.voxel, from.rest, direction);
  ray.spread = spread;
  ray.widest = from.distance;
  return ray;
}

vec3 light_of(uint code) {
  vec3 value = vec3(code & 255u, code >> 8u & 255u, code >> 16u & 255u) / 255.0;
  return mix(value / 12.92, pow((value + 0.055) / 1.055, vec3(2.4)), step(0.04045, value));
}

#ifdef COLORED
vec3 color_at(Hit hit) {
  return light_of(hit.material);
}
#elif defined(STREAMED)
// Returns the color of what a ray hit as Shader::color_at() of libvox/render/shade.h does: that of a voxel, or the mean
// of several if a pixel shows several.
vec3 color_at(Hit hit) {
  if (hit.node == 0u || !has_materials) return colors[hit.material];
  if (hit.log2 > 0u) return light_of(word_at(hit.node + (hit.log2 == 2u ? 2u : 3u)));
  if (hit.face.at * spread < 2.0) return colors[hit.material];
  uvec2 mask = leaf_mask(hit.node);
  uint block = octant_of(hit.box.low >> 1 & 1), filled = block_mask(mask, block);
  vec3 sum = vec3(0);
  float count = float(ones(filled));
  for (; filled != 0u; filled &= filled - 1u)
    sum += colors[leaf_material(hit.node, mask, block << 3u | lowest_bit(filled))];
  return sum / count;
}
#else
vec3 color_at(Hit hit) {
  return colors[hit.material];
}
#endif

void main() {
  vec2 at = picks ? place : vec2(gl_FragCoord.x - 0.5, height - gl_FragCoord.y - 0.5) + place;
  vec3 direction = normalize(corner + right * at.x + down * at.y);
  Ray ray = ray_from(eye, eye_rest, direction);
  ray.spread = spread;
  Ray next = ray;
  Hit hit;
  Surface surface;
  float ambient = kAmbient, sun = 0.0, shown = 1.0;
#ifdef STREAMED
  uint seen = 0u;
#endif
  // The ray from the eye is followed by those of ambient occlusion, and that to the sun. One call traces them all,
  // because compilers put a copy of trace() in place of each call.
  for (int i = 0, open = 0, last = 0; i <= last; ++i) {
    Hit met = trace(next);
    if (i == 0) {
      hit = met;
      hit.box = mirrored(ray, hit.box, 1 << log2_side);
#ifdef STREAMED
      seen = used;
      wanted_from = hit.found ? hit.face.at : 0.0;
#endif
      if (picks || mode > 1u) break;
      if (hit.found) surface = surface_at(hit, direction);
      else surface = ground_at(direction, shown);
      if (mode == 1u || surface.normal == vec3(0)) break;  // without a normal, the eye is inside of matter
      sun = kSun * max(dot(surface.normal, to_sun), 0.0);
      open = open_reach > 0.0 ? open_rays : 0;
      last = open + int(shadows && sun > 0.0);
    } else if (met.found) {
      if (i <= open) ambient -= kAmbient / float(open);
      else sun = 0.0;
    }
    vec3 to = i < open ? direction_around(surface.normal, random(uvec2(gl_FragCoord.xy), i)) : to_sun;
    next = ray_on(surface, unit(to * per_unit));
    if (i < open) next.reach = open_reach;
  }
#ifdef COLORED
  if (hit.found && (picks || mode == 0u)) hit.material = hit_color(ray, hit);
#elif defined(STREAMED)
  if (picks && hit.found && hit.log2 == 2u && hit.node != 0u) {
    uvec2 mask = leaf_mask(hit.node);
    hit.material = leaf_material(hit.node, mask, mask.x != 0u ? lowest_bit(mask.x) : 32u + lowest_bit(mask.y));
  }
#endif
  if (picks) {
    sums = uvec4(floatBitsToUint(hit.found ? hit.face.at : -1.0), hit.material, hit.face.axis, hit.log2);
    if (gl_FragCoord.x < 1.0) sums = uvec4(uvec3(hit.box.low), uint(hit.found));
    return;
  }
  vec3 light = sky_towards(unit(direction * sides));
  if (mode == 0u) {
    float lit = max(ambient, 0.0) + sun;
    if (hit.found) light = color_at(hit) * lit;
    else light *= 1.0 - shown * (1.0 - lit / (kAmbient + kSun * max(to_sun.y, 0.0)));
  } else if (hit.found) {
    if (mode == 1u) light = surface.normal * 0.5 + 0.5;
    else if (mode == kSharing) light = measured(float(texelFetch(uses, texel(passed[1].x - level_begin[2]), 0).r));
    else light = measured(mode == 2u ? hit.face.at * length(direction * sides) : float(hit.log2));
  }
#ifdef STREAMED
#ifdef COLORED
  // Every other pixel tells of its colors, not of shadows.
  if (color_used > 0u && (uint(gl_FragCoord.x) + uint(gl_FragCoord.y) + samples & 1u) == 0u) used = color_used;
#endif
  notes = uvec4(wanted, floatBitsToUint(wanted_at), seen, used);
#endif
  sums = uvec4(light * kWhite + 0.5, 1u);
  if (samples > 0u) sums += texelFetch(before, ivec2(gl_FragCoord.xy), 0);
}
`;

// Shows the mean of the samples at the size of the window. Smaller pictures are enlarged smoothly.
export const showSource = /* glsl */ `
uniform highp usampler2D sums;
uniform vec2 size;    // size of the window
uniform vec2 pixels;  // size of the picture
uniform float exposure;
out vec4 color;

vec3 light_at(ivec2 at) {
  uvec4 sum = texelFetch(sums, clamp(at, ivec2(0), ivec2(pixels) - 1), 0);
  return vec3(sum.rgb) / (65535.0 * float(max(sum.a, 1u)));
}

void main() {
  vec2 at = gl_FragCoord.xy / size * pixels - 0.5;
  ivec2 low = ivec2(floor(at));
  vec2 share = at - vec2(low);
  vec3 light = mix(mix(light_at(low), light_at(low + ivec2(1, 0)), share.x),
                   mix(light_at(low + ivec2(0, 1)), light_at(low + 1), share.x), share.y);
  light = clamp(light * exposure, 0.0, 1.0);
  color = vec4(mix(12.92 * light, 1.055 * pow(light, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, light)), 1.0);
}
`;

// The normal of the surface that the voxels approximate: libvox/render/smooth_normal.h and smooth_normal.h, in GLSL. A
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
#ifdef STREAMED
    if (is_closed(node)) {
      want(node, 0.0);
      return 255u;
    }
#endif
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
