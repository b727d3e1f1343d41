// The reader's choices of what is shown and how. The page's address keeps them, so that a view can be shared. Their
// names are those of vox-render's options.
import { add, clamped, framing, kViews, product, quotient, scaled, sub } from './camera.js';

/** @typedef {import('./camera.js').Vec} Vec */
/** @typedef {import('./camera.js').Pose} Pose */
/** @typedef {import('./camera.js').Box} Box */
/** @typedef {import('./camera.js').Size} Size */
/** @typedef {import('./scene.js').Facts} Facts */
/**
 * @typedef {{
 *   pose: Pose, mode: number, detail: boolean, coarsest: number, hidden: number, clip: Box, sun: Vec,
 *   shadows: boolean, occlusion: boolean, samples: number, panel: boolean, normals: number, gradient: boolean,
 *   ground: boolean, exposure: number, memory: number,
 * }} Settings clip is in voxels; coarsest is a log2, 0 for none; bit i of hidden: material i; samples: at rest
 */

export const kModes = ['material', 'normal', 'depth', 'level', 'sharing'];
export const kSharing = 4;

/** Returns the modes of a page. Only a page that has the whole scene can count uses. @param {Facts} facts */
export const modesOf = facts => facts.top ? kModes.filter((_, mode) => mode !== kSharing) : kModes;

export const kNormals = ['auto', 'smooth', 'faces'];
/** @type {Vec} */
const kSun = [0.45, 0.8, 0.6];
const kSamples = 64, kMostSamples = 4096, kMinFov = 0.001, kMaxFov = 175;  // degrees; the same limits as vox-render's

/** @param {{x: number, y: number, z: number}} at @returns {Vec} */
export const vec = at => [at.x, at.y, at.z];

/** Returns the box around all voxels. @param {Facts} facts @returns {Box} */
export const filledBox = facts => ({ low: vec(facts.low), high: vec(facts.high) });

// Cameras stand in units of a voxel's shortest side: in voxels, if voxels are cubes. facts.sides holds the sides in these units.

/** @param {Facts} facts @param {Vec} voxel @returns {Vec} */
export const inUnits = (facts, voxel) => product(voxel, vec(facts.sides));
/** @param {Facts} facts @param {Vec} units @returns {Vec} */
export const inVoxels = (facts, units) => quotient(units, vec(facts.sides));

/** Returns the box around all voxels, in units. @param {Facts} facts @returns {Box} */
export const filledUnits = facts => ({ low: inUnits(facts, vec(facts.low)), high: inUnits(facts, vec(facts.high)) });

/** @param {Facts} facts @param {Vec} units @returns {Vec} */
export const toWorld = (facts, units) => add(vec(facts.origin), scaled(units, facts.voxel_size));
/** @param {Facts} facts @param {Vec} world @returns {Vec} */
export const toUnits = (facts, world) => scaled(sub(world, vec(facts.origin)), 1 / facts.voxel_size);

/** @param {Facts} facts @param {string} view @param {number} fov @param {Size} size */
export const viewOf = (facts, view, fov, size) => framing(filledUnits(facts), kViews[view] ?? kViews.iso, fov, size);

/**
 * Returns the ground below a box, as in libvox/render/render.cpp: its middle, from the eye, and its visible radius.
 * @param {Box} box @param {Vec} eye
 */
export function groundOf({ low, high }, eye) {
  const [x, y, z] = sub(high, low), middle = sub(scaled(add(low, high), 0.5), eye);
  return [middle[0], low[1] - eye[1], middle[2], 3 * (Math.hypot(x, z) / 2 + y)];
}

/** @param {string | null} text @returns {Vec | null} */
function point(text) {
  const numbers = (text ?? '').split(',').map(Number);
  return text && numbers.length === 3 && numbers.every(n => Number.isFinite(n) && Math.abs(n) < 1e15) ?
    [numbers[0], numbers[1], numbers[2]] : null;
}

/** @param {string | null} text @param {number} low @param {number} high @param {number} otherwise */
function number(text, low, high, otherwise) {
  const value = Number(text ?? '');
  return text && Number.isFinite(value) ? clamped(value, low, high) : otherwise;
}

/** @param {URLSearchParams} given @param {Facts} facts @returns {Box} */
function clipOf(given, facts) {
  const { low, high } = filledBox(facts);
  for (const [i, name] of ['x', 'y', 'z'].entries()) {
    const ends = (given.get(name) ?? '').split('..');
    if (ends.length !== 2) continue;
    const from = Math.round(number(ends[0], low[i], high[i] - 1, low[i]));
    high[i] = Math.round(number(ends[1], from + 1, high[i], high[i]));
    low[i] = from;
  }
  return { low, high };
}

/** @param {URLSearchParams} given @param {Facts} facts @param {Size} size @returns {Pose} */
function poseOf(given, facts, size) {
  const fov = number(given.get('fov'), kMinFov, kMaxFov, 40);
  const eye = point(given.get('eye')), target = point(given.get('target'));
  const framed = viewOf(facts, given.get('view') ?? 'iso', fov, size);
  if (!eye) return framed;
  const pose = { eye: toUnits(facts, eye), target: target ? toUnits(facts, target) : framed.target, fov };
  const apart = Math.hypot(...pose.eye.map((at, i) => at - pose.target[i]));
  return apart > 1e-6 && pose.eye.every(at => Math.abs(at) < 2 ** 30) ? pose : framed;
}

/**
 * Returns the choices in a text like `eye=1,2,3&shade=depth`. Missing or invalid ones have their defaults.
 * @param {string} text @param {Facts} facts @param {Size} size @returns {Settings}
 */
export function settingsOf(text, facts, size) {
  const given = new URLSearchParams(text), sun = point(given.get('sun'));
  /** @param {string} name */
  const isOn = name => given.get(name) !== 'off';
  return {
    pose: poseOf(given, facts, size),
    mode: Math.max(modesOf(facts).indexOf(given.get('shade') ?? ''), 0),
    detail: isOn('lod'),
    coarsest: Math.round(number(given.get('level'), 0, facts.log2_side, 0)),
    hidden: (given.get('hide') ?? '').split(',').filter(i => /^\d+$/.test(i) && Number(i) < 16)
      .reduce((bits, i) => bits | 1 << Number(i), 0),
    clip: clipOf(given, facts),
    sun: sun && Math.hypot(...sun) > 0 ? sun : kSun,
    shadows: isOn('shadows'),
    occlusion: isOn('ao'),
    samples: Math.round(number(given.get('samples'), 1, kMostSamples, kSamples)),
    panel: isOn('panel'),
    normals: Math.max(kNormals.indexOf(given.get('normals') ?? ''), 0),
    gradient: given.get('sky') !== 'flat',
    ground: given.get('ground') === 'on',
    exposure: number(given.get('exposure'), 0.001, 1000, 1),
    memory: memoryOf(text, facts),
  };
}

/**
 * Returns how much of the GPU's memory chunks may take, in bytes; the text names it in MiB.
 * @param {string} text @param {Facts} facts
 */
export const memoryOf = (text, facts) =>
  number(new URLSearchParams(text).get('memory'), 1, 16384, (facts.page_memory ?? 0) / 2 ** 20) * 2 ** 20;

/** @param {Vec} numbers @param {number} digits */
const pointText = (numbers, digits) => numbers.map(n => String(Number(n.toPrecision(digits)))).join(',');

/** Returns a place with digits for a thousandth of a voxel, also far from the origin. @param {Facts} facts @param {Vec} units */
function placeText(facts, units) {
  const place = toWorld(facts, units), far = Math.max(...place.map(Math.abs), facts.voxel_size);
  return pointText(place, clamped(Math.ceil(Math.log10(far / facts.voxel_size)) + 4, 8, 16));
}

/**
 * Returns the text from which settingsOf() makes the same choices.
 * @param {Settings} settings @param {Facts} facts
 */
export function settingsText(settings, facts) {
  const { pose, clip } = settings, filled = filledBox(facts);
  const hidden = facts.palette.map((_, i) => i).filter(i => settings.hidden >> i & 1);
  /** @type {[string, string | number | false][]} what is as always is not said */
  const parts = [
    ['eye', placeText(facts, pose.eye)], ['target', placeText(facts, pose.target)],
    ['fov', pose.fov !== 40 && Number(pose.fov.toFixed(3))],
    ['shade', settings.mode > 0 && kModes[settings.mode]],
    ['lod', !settings.detail && 'off'],
    ['level', settings.coarsest],
    ['hide', hidden.join(',')],
    ['sun', settings.sun !== kSun && pointText(settings.sun, 3)],
    ['shadows', !settings.shadows && 'off'],
    ['ao', !settings.occlusion && 'off'],
    ['samples', settings.samples !== kSamples && settings.samples],
    ['panel', !settings.panel && 'off'],
    ['normals', settings.normals > 0 && kNormals[settings.normals]],
    ['sky', !settings.gradient && 'flat'],
    ['ground', settings.ground && 'on'],
    ['memory', settings.memory !== (facts.page_memory ?? 0) && settings.memory / 2 ** 20],
    ['exposure', settings.exposure !== 1 && Number(settings.exposure.toPrecision(3))],
  ];
  for (const [i, name] of ['x', 'y', 'z'].entries())
    if (clip.low[i] !== filled.low[i] || clip.high[i] !== filled.high[i])
      parts.push([name, `${clip.low[i]}..${clip.high[i]}`]);
  return parts.filter(([, text]) => text).map(part => part.join('=')).join('&');
}
