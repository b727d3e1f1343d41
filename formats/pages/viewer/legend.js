// What the colours of a mode mean.
import { makeCamera } from './camera.js';
import { rampEnds } from './renderer.js';
import { kSharing } from './settings.js';

/** @typedef {import('./page.js').Page} Page */

/** @param {number} value */
export const numberText = value => String(Number(value.toPrecision(3)));

/** @param {string} tag @param {string} text @param {string} color */
function piece(tag, text, color = '') {
  const element = document.createElement(tag);
  element.textContent = text;
  if (color) element.style.background = color;
  return element;
}

/** @param {{r: number, g: number, b: number}} color */
export const cssColor = color => `rgb(${color.r} ${color.g} ${color.b})`;

/** @param {[string, string][]} keys names and colours */
function keyed(keys) {
  const list = piece('div', '');
  list.className = 'keys';
  for (const [name, color] of keys) {
    const key = piece('span', '');
    key.append(piece('i', '', color), name);
    list.append(key);
  }
  return list;
}

/** Draws the legend of what is shown. @param {HTMLElement} at @param {Page} page */
export function drawLegend(at, page) {
  const { settings, facts, size } = page, { ramp } = facts;
  at.replaceChildren();
  if (settings.mode === 0) return;
  if (settings.mode === 1) {
    at.append(keyed(['+x', '-x', '+y', '-y', '+z', '-z'].map(name => {
      const codes = ['x', 'y', 'z'].map(axis => name[1] !== axis ? 188 : name[0] === '+' ? 255 : 0);
      return [name, `rgb(${codes.join(' ')})`];
    })));
    return;
  }
  const { low, high } = rampEnds(page.renderer, settings, makeCamera(settings.pose, size).spread);
  if (settings.mode === 2 || settings.mode === kSharing) {
    const bar = piece('div', '', `linear-gradient(to right, ${ramp.map(cssColor).join(', ')})`), ends = piece('div', '');
    bar.className = 'ramp';
    ends.className = 'ends';
    const texts = settings.mode === 2 ? [low, (low + high) / 2, high].map(v => numberText(v * facts.voxel_size)) :
      [0, Math.floor(high / 8), high / 4].map(power => power <= 20 ? String(2 ** power) : '2^' + power);
    ends.append(...texts.map(text => piece('span', text)));
    at.append(bar, ends, piece('div', settings.mode === 2 ? 'Distance, scene units' : 'Uses of a leaf, 4 x 4 x 4 voxels'));
    return;
  }
  /** @type {[string, string][]} */
  const keys = [];
  for (let log2 = 0; log2 <= high; log2 += log2 === 0 ? 2 : 1)
    keys.push([String(2 ** log2), cssColor(ramp[Math.floor(log2 / high * 63 + 0.5)])]);
  at.append(keyed(keys), piece('div', 'Side of what is shown, voxels'));
}
