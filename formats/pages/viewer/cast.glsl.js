// What a pixel shows, as libvox/render/shade.h has it: the sums of its samples in linear light, which are whole
// numbers, so that every browser can add them up.
export const cornersSource = /* glsl */ `#version 300 es
// One triangle around the whole picture.
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
uniform uint samples;             // how many these are
uniform uint mode;                // an index into kModes
uniform ivec3 eye;                // the voxel,
uniform vec3 eye_rest;            // and how far from its corner
uniform vec3 corner, right, down; // from the eye to the upper left corner, from pixel to pixel
uniform float spread;             // of a pixel at distance 1; 0: no level of detail
uniform vec2 place;               // of the sample in its pixel
uniform float height;             // of the picture, in pixels
uniform vec3 colors[16];          // of materials, linear
uniform vec3 ramp[64];            // of what is measured
uniform float ramp_low, ramp_high;
uniform vec3 sky;
uniform vec3 to_sun;
uniform bool shadows;
uniform float open_reach;         // voxels that ambient occlusion looks; 0: none
uniform highp usampler2DArray uses;  // how often a leaf is used, as a code at its first word; pages as of words
uniform bool picks;               // the first two pixels tell of what is at the place
out uvec4 sums;

const float kSun = 0.75, kAmbient = 0.45, kWhite = 65535.0;

vec3 measured(float value) {
  float at = (value - ramp_low) / (ramp_high - ramp_low) * 63.0 + 0.5;
  return ramp[int(clamp(at, 0.0, 63.0))];
}

float uses_of(uint leaf) {
  uint i = leaf - level_begin[2], row = (1u << page_shift) - 1u;
  return float(texelFetch(uses, ivec3(i & row, i >> page_shift & row, i >> 2u * page_shift), 0).r);
}

// An even spread of random numbers over pixels; that over samples is by Roberts' R2 sequence.
vec2 random(uvec2 pixel) {
  uint bits = pixel.x * 0x9e3779b9u ^ pixel.y * 0x85ebca6bu;
  bits = (bits ^ bits >> 16u) * 0x7feb352du;
  bits = (bits ^ bits >> 15u) * 0x846ca68bu;
  bits ^= bits >> 16u;
  return fract(vec2(bits & 0xffffu, bits >> 16u) / 65536.0 + place);
}

// The cosine to the normal is the share of directions, as light counts.
vec3 direction_around(vec3 normal, vec2 at) {
  float radius = sqrt(at.x), angle = 6.2831853 * at.y;
  vec3 side = normal.yzx;
  return side * (radius * cos(angle)) + cross(normal, side) * (radius * sin(angle)) + normal * sqrt(1.0 - at.x);
}

struct Surface {
  ivec3 voxel;  // the point: a corner,
  vec3 rest;    // and how far from it
  vec3 normal;
  float distance;
};

Surface surface_at(Ray ray, Hit hit, vec3 direction, Box box) {
  Surface at;
  vec3 size = vec3(box.high - box.low);
  vec3 out_of = -sign(direction) * vec3(equal(uvec3(hit.face.axis), uvec3(0, 1, 2)));
  at.voxel = box.low;
  at.rest = clamp(eye_rest + direction * hit.face.at - vec3(box.low - eye), vec3(0), size);
  at.rest = mix(at.rest, step(vec3(0), out_of) * size, abs(out_of));  // exactly in the face
  at.normal = out_of;
  at.distance = hit.face.at;
  return at;
}

// Rays from a surface are nowhere wider than the pixel is there.
Ray ray_on(Surface from, vec3 direction) {
  Ray ray = ray_from(from.voxel, from.rest, direction);
  ray.spread = spread;
  ray.widest = from.distance;
  return ray;
}

float light_at(Surface at) {
  float light = kAmbient;
  if (at.normal == vec3(0)) return light;  // the eye is in matter
  if (open_reach > 0.0) {
    Ray ray = ray_on(at, direction_around(at.normal, random(uvec2(gl_FragCoord.xy))));
    ray.reach = open_reach;
    if (trace(ray).found) light = 0.0;
  }
  float facing = dot(at.normal, to_sun);
  if (facing <= 0.0) return light;
  if (shadows && trace(ray_on(at, to_sun)).found) return light;
  return light + kSun * facing;
}

void main() {
  vec2 at = picks ? place : vec2(gl_FragCoord.x - 0.5, height - gl_FragCoord.y - 0.5) + place;
  vec3 direction = normalize(corner + right * at.x + down * at.y);
  Ray ray = ray_from(eye, eye_rest, direction);
  ray.spread = spread;
  Hit hit = trace(ray);
  Box box = mirrored(ray, hit.box, 1 << log2_side);
  if (picks) {
    sums = uvec4(floatBitsToUint(hit.found ? hit.face.at : -1.0), hit.material, hit.face.axis, hit.log2);
    if (gl_FragCoord.x < 1.0) sums = uvec4(uvec3(box.low), uint(hit.found));
    return;
  }
  vec3 light = sky;
  if (hit.found) {
    if (mode == 0u) light = colors[hit.material] * light_at(surface_at(ray, hit, direction, box));
    else if (mode == 1u) light = surface_at(ray, hit, direction, box).normal * 0.5 + 0.5;
    else if (mode == 4u) light = measured(uses_of(leaf_at(box.low, log2_side)));
    else light = measured(mode == 2u ? hit.face.at : float(hit.log2));
  }
  sums = uvec4(light * kWhite + 0.5, 1u);
  if (samples > 0u) sums += texelFetch(before, ivec2(gl_FragCoord.xy), 0);
}
`;

// The mean of the samples, as large as the window is: pictures of fewer pixels are made wider smoothly.
export const showSource = /* glsl */ `
uniform highp usampler2D sums;
uniform vec2 size;    // of the window
uniform vec2 pixels;  // of the picture
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
  light = clamp(light, 0.0, 1.0);
  color = vec4(mix(12.92 * light, 1.055 * pow(light, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, light)), 1.0);
}
`;
