// The legend that explains the colours of a mode.
import { makeCamera } from './camera.js';
import { make } from './elements.js';
import { rampEnds } from './renderer.js';
import { kSharing } from './settings.js';

/** @typedef {import('./page.js').Page} Page */

/** @param {number} value @param {number} digits */
export const numberText = (value, digits = 3) => String(Number(value.toPrecision(digits)));

/** @param {{r: number, g: number, b: number}} color */
const cssColor = color => `rgb(${color.r} ${color.g} ${color.b})`;

/** @param {'i' | 'div'} tag @param {{r: number, g: number, b: number}[]} colors */
export function colored(tag, ...colors) {
  const element = make(tag, {}), all = colors.map(cssColor);
  element.style.background = all.length > 1 ? `linear-gradient(to right, ${all.join(', ')})` : all[0];
  return element;
}

/** @param {[string, {r: number, g: number, b: number}][]} keys names and colours */
const keyed = keys =>
  make('div', { className: 'keys' }, ...keys.map(([name, color]) => make('span', {}, colored('i', color), name)));

/** Draws the legend for the current mode. @param {HTMLElement} at @param {Page} page */
export function drawLegend(at, page) {
  const { settings, facts, size } = page, { ramp } = facts;
  at.replaceChildren();
  if (settings.mode === 0) return;
  if (settings.mode === 1) {
    at.append(keyed(['+x', '-x', '+y', '-y', '+z', '-z'].map(name => {
      const [r, g, b] = ['x', 'y', 'z'].map(axis => name[1] !== axis ? 188 : name[0] === '+' ? 255 : 0);
      return [name, { r, g, b }];
    })));
    return;
  }
  const { low, high } = rampEnds(page.renderer, settings, makeCamera(settings.pose, size).spread);
  if (settings.mode === 2 || settings.mode === kSharing) {
    const bar = colored('div', ...ramp);
    bar.className = 'ramp';
    const texts = settings.mode === 2 ? [low, (low + high) / 2, high].map(v => numberText(v * facts.voxel_size)) :
      [0, Math.floor(high / 8), high / 4].map(power => power <= 20 ? String(2 ** power) : '2^' + power);
    at.append(bar, make('div', { className: 'ends' }, ...texts.map(text => make('span', {}, text))),
      settings.mode === 2 ? 'Distance, scene units' : 'Uses of a leaf, 4 x 4 x 4 voxels');
    return;
  }
  /** @type {[string, {r: number, g: number, b: number}][]} */
  const keys = [];
  for (let log2 = 0; log2 <= high; log2 += log2 === 0 ? 2 : 1)
    keys.push([String(2 ** log2), ramp[Math.floor(log2 / high * 63 + 0.5)]]);
  at.append(keyed(keys), 'Side of what is shown, voxels');
}
