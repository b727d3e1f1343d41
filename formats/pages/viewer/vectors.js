// Points and directions of three numbers.

/** @typedef {[number, number, number]} Vec */

/** @param {Vec} a @param {Vec} b @returns {Vec} */
export const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
/** @param {Vec} a @param {Vec} b @returns {Vec} */
export const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
/** @param {Vec} a @param {number} by @returns {Vec} */
export const scaled = (a, by) => [a[0] * by, a[1] * by, a[2] * by];
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
