// The options: the reader's choices besides the pose.
import { farOf, makeCamera } from './camera.js';
import { click, find, make, on } from './elements.js';
import { rampEnds } from './renderer.js';
import { filledBox, kNormals, kSharing, modesOf, toWorld } from './settings.js';

// The legend that explains the colors of a mode.

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

/** @param {[string, {r: number, g: number, b: number}][]} keys names and colors */
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
      settings.mode === 2 ? 'Distance, ' + (facts.unit || 'scene units') : 'Uses of a leaf, 4 x 4 x 4 voxels');
    return;
  }
  /** @type {[string, {r: number, g: number, b: number}][]} */
  const keys = [];
  for (let log2 = 0; log2 <= high; log2 += log2 === 0 ? 2 : 1)
    keys.push([String(2 ** log2), ramp[Math.floor(log2 / high * 63 + 0.5)]]);
  at.append(keyed(keys), 'Side of what is shown, voxels');
}

// The foot of the page: a scale bar, and the voxel under the cursor.

const kBar = 110;  // greatest width of the scale bar, in pixels

/** Draws a scale bar of 1, 2 or 5 times a power of ten scene units, as at the target's distance. @param {Page} page */
export function drawScale(page) {
  const { settings, facts, size } = page, { pose } = settings;
  const pixel = makeCamera(pose, size).spread * farOf(pose) * facts.voxel_size / page.density();
  const most = pixel * kBar, power = 10 ** Math.floor(Math.log10(most));
  const bar = [5, 2, 1].map(n => n * power).find(n => n <= most) ?? power;
  const element = find('scale');
  /** @type {HTMLElement} */ (element.children[0]).style.width = bar / pixel + 'px';
  element.children[1].textContent = numberText(bar) + ' ' + (facts.unit || (bar === 1 ? 'unit' : 'units'));
}

/** Describes the hit at a place of the window. @param {Page} page @param {{x: number, y: number} | null} at */
export function drawReadout(page, at) {
  const pick = at && page.pick(at), element = find('readout');
  if (!pick) {
    element.textContent = '';
    return;
  }
  const world = toWorld(page.facts, pick.point).map(part => numberText(part, 5)).join(', ');
  const { colors, palette } = page.facts, name = palette.length > 1 ? palette[pick.material]?.name ?? '' : '';
  const code = [0, 8, 16].map(bits => (pick.material >> bits & 255).toString(16).padStart(2, '0')).join('');
  const look = colors ? '#' + code : name;
  element.textContent = `voxel ${pick.voxel.join(', ')} \u00b7 at ${world}` + (look && ` \u00b7 ${look}`);
}

/** @type {('detail' | 'shadows' | 'occlusion' | 'gradient' | 'ground')[]} */
const kChecks = ['detail', 'shadows', 'occlusion', 'gradient', 'ground'];
/** @typedef {import('./camera.js').Vec} Vec */

/** @param {number} min @param {number} max @param {string} ariaLabel @param {(value: number) => void} set */
function slider(min, max, ariaLabel, set) {
  const input = make('input', { type: 'range', min, max, ariaLabel });
  on(input, 'input', () => set(Number(input.value)));
  return input;
}

export class Panel {
  #page;
  #panel = find('panel');
  #mode = find('mode', HTMLSelectElement);
  #normals = find('normals', HTMLSelectElement);
  #exposure = find('exposure', HTMLInputElement);
  #coarsest = find('coarsest', HTMLInputElement);
  /** @type {HTMLInputElement[]} */
  #materials = [];
  /** @type {{low: HTMLInputElement, high: HTMLInputElement, text: HTMLElement}[]} */
  #cuts = [];

  /** @param {Page} page */
  constructor(page) {
    this.#page = page;
    const { settings, facts } = page;
    click('open-panel', () => this.toggle());
    click('all', () => this.#hide(0));
    click('none', () => this.#hide((1 << facts.palette.length) - 1));
    this.#coarsest.max = String(facts.log2_side - 1);
    on(this.#coarsest, 'input', () => {
      const log2 = Number(this.#coarsest.value);
      settings.coarsest = log2 < 2 ? 0 : log2;
      page.changed();
    });
    for (const name of kChecks) {
      const box = find(name, HTMLInputElement);
      on(box, 'change', () => {
        settings[name] = box.checked;
        page.changed();
      });
    }
    this.#choose(this.#mode, modesOf(facts), value => settings.mode = value);
    this.#choose(this.#normals, kNormals, value => settings.normals = value);
    on(this.#exposure, 'input', () => {
      settings.exposure = 2 ** (Number(this.#exposure.value) / 4);
      page.changed();
    });
    for (const id of ['azimuth', 'altitude']) on(find(id), 'input', () => this.#turnSun());
    this.#listMaterials();
    this.#listCuts();
    this.update();
  }

  toggle() {
    this.#panel.hidden = !this.#panel.hidden;
    document.body.classList.toggle('with-panel', !this.#panel.hidden);
    find('open-panel').setAttribute('aria-expanded', String(!this.#panel.hidden));
  }

  /** Fills a list from which the reader chooses a word. @param {HTMLSelectElement} list @param {string[]} words
   * @param {(which: number) => void} set */
  #choose(list, words, set) {
    list.append(...words.map(word => new Option(word)));
    on(list, 'change', () => {
      set(list.selectedIndex);
      this.#page.changed();
    });
  }

  /** @param {number} bits */
  #hide(bits) {
    this.#page.settings.hidden = bits;
    this.#page.changed();
  }

  #listMaterials() {
    const { facts, settings } = this.#page, shares = facts.palette.some(entry => entry.share > 0);
    for (const [i, entry] of facts.palette.entries()) {
      const box = make('input', { type: 'checkbox' }), { name } = entry;
      on(box, 'change', () => this.#hide(settings.hidden ^ 1 << i));
      const share = shares ? [make('output', { title: 'of the surface' }, (100 * entry.share).toFixed(1) + ' %')] : [];
      find('palette').append(make('li', {},
        make('label', {}, box, colored('i', entry), make('span', { title: name }, name), ...share)));
      this.#materials.push(box);
    }
    find('materials').hidden = facts.palette.length < 2;
  }

  #listCuts() {
    const { facts, settings } = this.#page, { low, high } = filledBox(facts);
    for (const [i, name] of ['x', 'y', 'z'].entries()) {
      /** @param {number} from @param {number} to */
      const set = (from, to) => {
        settings.clip.low[i] = from;
        settings.clip.high[i] = to;
        this.#page.changed();
      };
      const cut = {
        low: slider(low[i], high[i] - 1, `First layer of ${name}`,
          value => set(value, Math.max(settings.clip.high[i], value + 1))),
        high: slider(low[i] + 1, high[i], `End of the layers of ${name}`,
          value => set(Math.min(settings.clip.low[i], value - 1), value)),
        text: make('output', {}),
      };
      find('cuts').append(make('div', {}, make('b', {}, name), cut.low, cut.high, cut.text));
      this.#cuts.push(cut);
    }
  }

  #turnSun() {
    const [azimuth, altitude] =
      ['azimuth', 'altitude'].map(id => Number(find(id, HTMLInputElement).value) * Math.PI / 180);
    this.#page.settings.sun = [
      Math.cos(altitude) * Math.sin(azimuth), Math.sin(altitude), Math.cos(altitude) * Math.cos(azimuth),
    ];
    this.#page.changed();
  }

  /** Shows the current choices. */
  update() {
    const { settings, facts } = this.#page, [x, y, z] = settings.sun;
    this.#mode.selectedIndex = settings.mode;
    this.#normals.selectedIndex = settings.normals;
    this.#exposure.value = String(Math.log2(settings.exposure) * 4);
    find('exposure-text').textContent = numberText(settings.exposure);
    drawLegend(find('legend'), this.#page);
    this.#coarsest.value = String(Math.max(settings.coarsest, 1));
    find('coarsest-text').textContent =
      settings.coarsest === 0 ? 'voxels' : 2 ** settings.coarsest + ' wide';
    for (const name of kChecks) find(name, HTMLInputElement).checked = settings[name];
    const angles = { azimuth: Math.atan2(x, z), altitude: Math.atan2(y, Math.hypot(x, z)) };
    for (const [id, radians] of Object.entries(angles)) {
      const angle = Math.round(radians * 180 / Math.PI);
      find(id, HTMLInputElement).value = String(angle);
      find(id + '-text').textContent = angle + '\u00b0';
    }
    for (const [i, box] of this.#materials.entries()) box.checked = !(settings.hidden >> i & 1);
    const filled = filledBox(facts);
    for (const [i, cut] of this.#cuts.entries()) {
      const low = settings.clip.low[i], high = settings.clip.high[i];
      cut.low.value = String(low);
      cut.high.value = String(high);
      cut.text.textContent = low === filled.low[i] && high === filled.high[i] ? 'all' :
        high === low + 1 ? String(low) : `${low}\u2013${high - 1}`;
    }
  }
}
