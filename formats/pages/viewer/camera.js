// A pinhole camera like that of libvox/render/camera.h, in units of a voxel's shortest side; y points up.

// Points and directions of three numbers.

/** @typedef {[number, number, number]} Vec */

/** @param {Vec} a @param {Vec} b @returns {Vec} */
export const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
/** @param {Vec} a @param {Vec} b @returns {Vec} */
export const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
/** @param {Vec} a @param {number} by @returns {Vec} */
export const scaled = (a, by) => [a[0] * by, a[1] * by, a[2] * by];
/** Returns the product axis by axis. @param {Vec} a @param {Vec} b @returns {Vec} */
export const product = (a, b) => [a[0] * b[0], a[1] * b[1], a[2] * b[2]];
/** Returns the quotient axis by axis. @param {Vec} a @param {Vec} b @returns {Vec} */
export const quotient = (a, b) => [a[0] / b[0], a[1] / b[1], a[2] / b[2]];
/** @param {Vec} a @param {Vec} b */
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
/** @param {Vec} a */
export const length = a => Math.hypot(a[0], a[1], a[2]);
/** @param {Vec} a @returns {Vec} */
export const normalized = a => scaled(a, 1 / length(a));
/** @param {Vec} a @param {Vec} b @returns {Vec} */
export const cross = (a, b) => [
  a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0],
];
/** @param {number} at @param {number} low @param {number} high */
export const clamped = (at, low, high) => Math.min(Math.max(at, low), high);

/**
 * Returns a vector turned around an axis of length 1, by an angle in radians.
 * @param {Vec} v @param {Vec} axis @param {number} angle @returns {Vec}
 */
export function turned(v, axis, angle) {
  const cosine = Math.cos(angle), sine = Math.sin(angle);
  return add(add(scaled(v, cosine), scaled(cross(axis, v), sine)), scaled(axis, dot(axis, v) * (1 - cosine)));
}

/** @typedef {{eye: Vec, target: Vec, fov: number}} Pose fov is the angle of the shorter side, in degrees */
/** @typedef {{low: Vec, high: Vec}} Box */
/** @typedef {{eye: Vec, corner: Vec, right: Vec, down: Vec, spread: number}} Camera */
/** @typedef {{width: number, height: number}} Size */

/** @type {Record<string, Vec>} */
export const kViews = {
  iso: [1, 0.8, 1], front: [0, 0, 1], back: [0, 0, -1], left: [-1, 0, 0], right: [1, 0, 0], top: [0, 1, 0],
  bottom: [0, -1, 0],
};

/** Returns the distance between a pose's eye and its target. @param {Pose} pose */
export const farOf = pose => length(sub(pose.target, pose.eye));

/** @param {Vec} to */
export function axesOf(to) {
  const forward = normalized(to);
  let side = cross(forward, [0, 1, 0]);
  if (length(side) < 1e-9) side = [1, 0, 0];  // straight up or down: right is x
  const right = normalized(side);
  return { forward, right, down: cross(forward, right) };
}

/** @param {number} fov @param {Size} size */
function halfSize(fov, size) {
  const pixel = Math.tan(fov * Math.PI / 360) / Math.min(size.width, size.height);
  return { width: pixel * size.width, height: pixel * size.height };
}

/**
 * Returns the camera of a picture of this size in pixels.
 * @param {Pose} pose @param {Size} size @returns {Camera}
 */
export function makeCamera(pose, size) {
  const half = halfSize(pose.fov, size), axes = axesOf(sub(pose.target, pose.eye));
  return {
    eye: pose.eye,
    corner: sub(sub(axes.forward, scaled(axes.right, half.width)), scaled(axes.down, half.height)),
    right: scaled(axes.right, 2 * half.width / size.width),
    down: scaled(axes.down, 2 * half.height / size.height),
    spread: 2 * half.width / size.width,
  };
}

/** Returns the direction to a place of the picture, in pixels. @param {Camera} camera @param {number} x @param {number} y */
export const towards = ({ corner, right, down }, x, y) => add(corner, add(scaled(right, x), scaled(down, y)));

/** @param {Box} box @returns {Vec[]} */
function cornersOf(box) {
  return [0, 1, 2, 3, 4, 5, 6, 7].map(i => [
    i & 1 ? box.high[0] : box.low[0], i & 2 ? box.high[1] : box.low[1], i & 4 ? box.high[2] : box.low[2],
  ]);
}

/**
 * Returns a pose from which the box just fits into the picture, with a little room around it.
 * @param {Box} box @param {Vec} from @param {number} fov @param {Size} size @returns {Pose}
 */
export function framing(box, from, fov, size) {
  const half = halfSize(fov, size), axes = axesOf(scaled(from, -1)), margin = 1.08;
  const middle = scaled(add(box.low, box.high), 0.5);
  // In the picture's axes, an eye e sees a point p if |p − e| <= half · the depth of p.
  const back = Math.max(...[{ axis: axes.right, half: half.width }, { axis: axes.down, half: half.height }].map(
    ({ axis, half: one }) => Math.max(...cornersOf(box).map(corner => {
      const at = sub(corner, middle);
      return Math.abs(dot(at, axis)) * margin / one - dot(at, axes.forward);
    }))));
  return { eye: sub(middle, scaled(axes.forward, Math.max(back, 1))), target: middle, fov };
}

/**
 * Returns the least and the greatest distance from the eye at which parts of the box may be seen.
 * @param {Box} box @param {Vec} eye
 */
export function distances(box, eye) {
  const near = eye.map((at, i) => Math.max(box.low[i] - at, at - box.high[i], 0));
  const far = eye.map((at, i) => Math.max(Math.abs(at - box.low[i]), Math.abs(at - box.high[i])));
  return { near: Math.hypot(...near), far: Math.max(Math.hypot(...far), Math.hypot(...near) + 1) };
}

/** The least angle between a camera's direction and straight up or down, in radians. */
const kPole = 0.002;

/**
 * Returns the direction of a vector turned by angles to the right and down, but never beyond a pole.
 * @param {Vec} to @param {number} right @param {number} down @returns {Vec}
 */
function turnedAside(to, right, down) {
  const axes = axesOf(to), pitch = Math.asin(clamped(axes.forward[1], -1, 1)), limit = Math.PI / 2 - kPole;
  const pitched = turned(axes.forward, axes.right, clamped(pitch - down, -limit, limit) - pitch);
  return turned(pitched, [0, 1, 0], -right);
}

/** Turns the camera around its target. @param {Pose} pose @param {number} right @param {number} down @returns {Pose} */
export function orbited(pose, right, down) {
  const forward = turnedAside(sub(pose.target, pose.eye), -right, -down);
  return { ...pose, eye: sub(pose.target, scaled(forward, farOf(pose))) };
}

/** Turns the camera around its eye. @param {Pose} pose @param {number} right @param {number} down @returns {Pose} */
export function looked(pose, right, down) {
  const forward = turnedAside(sub(pose.target, pose.eye), right, down);
  return { ...pose, target: add(pose.eye, scaled(forward, farOf(pose))) };
}

/**
 * Moves eye and target along the camera's axes: right, up, forward.
 * @param {Pose} pose @param {Vec} by @returns {Pose}
 */
export function moved(pose, by) {
  const axes = axesOf(sub(pose.target, pose.eye));
  const step = add(add(scaled(axes.right, by[0]), scaled(axes.down, -by[1])), scaled(axes.forward, by[2]));
  return { ...pose, eye: add(pose.eye, step), target: add(pose.target, step) };
}

/**
 * Moves the camera nearer to a point, or away from it; the point keeps its place in the picture.
 * @param {Pose} pose @param {Vec} point @param {number} by @param {number} least @returns {Pose}
 */
export function nearer(pose, point, by, least) {
  const share = Math.max(by, least / farOf(pose));
  const to = (/** @type {Vec} */ at) => add(point, scaled(sub(at, point), share));
  return { ...pose, eye: to(pose.eye), target: to(pose.target) };
}

/** Returns a pose between two poses. @param {Pose} a @param {Pose} b @param {number} share @returns {Pose} */
export function between(a, b, share) {
  const mix = (/** @type {Vec} */ from, /** @type {Vec} */ to) => add(scaled(from, 1 - share), scaled(to, share));
  return { eye: mix(a.eye, b.eye), target: mix(a.target, b.target), fov: a.fov + (b.fov - a.fov) * share };
}
