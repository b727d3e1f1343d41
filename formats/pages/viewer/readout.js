// The foot of the page: a scale bar, and the voxel under the cursor.
import { farOf, makeCamera } from './camera.js';
import { numberText } from './legend.js';
import { find } from './elements.js';
import { toWorld } from './settings.js';

/** @typedef {import('./page.js').Page} Page */

const kBar = 110;  // greatest width of the scale bar, in pixels

/** Draws a scale bar of 1, 2 or 5 times a power of ten scene units, as at the target's distance. @param {Page} page */
export function drawScale(page) {
  const { settings, facts, size } = page, { pose } = settings;
  const pixel = makeCamera(pose, size).spread * farOf(pose) * facts.voxel_size / page.density();
  const most = pixel * kBar, power = 10 ** Math.floor(Math.log10(most));
  const bar = [5, 2, 1].map(n => n * power).find(n => n <= most) ?? power;
  const element = find('scale');
  /** @type {HTMLElement} */ (element.children[0]).style.width = bar / pixel + 'px';
  element.children[1].textContent = numberText(bar) + (bar === 1 ? ' unit' : ' units');
}

/** Describes the hit at a place of the window. @param {Page} page @param {{x: number, y: number} | null} at */
export function drawReadout(page, at) {
  const pick = at && page.pick(at), element = find('readout');
  if (!pick) {
    element.textContent = '';
    return;
  }
  const world = toWorld(page.facts, pick.point).map(part => numberText(part, 5)).join(', ');
  const name = page.facts.palette[pick.material]?.name ?? '';
  element.textContent = `voxel ${pick.voxel.join(', ')} \u00b7 at ${world}` +
    (page.facts.palette.length > 1 ? ` \u00b7 ${name}` : '');
}
