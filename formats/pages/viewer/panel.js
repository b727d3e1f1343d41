// The options: what a reader chooses besides the pose.
import { cssColor, drawLegend } from './legend.js';
import { filledBox, kModes } from './settings.js';

/** @typedef {import('./page.js').Page} Page */
/** @typedef {import('./vectors.js').Vec} Vec */

/** @template {HTMLElement} T @param {string} id @param {new () => T} type @returns {T} */
export function find(id, type) {
  const element = document.getElementById(id);
  if (!(element instanceof type)) throw new Error(`no ${id} in the page`);
  return element;
}

/** @param {string} name @param {number} low @param {number} high @param {string} label */
function slider(name, low, high, label) {
  const input = document.createElement('input');
  Object.assign(input, { type: 'range', min: String(low), max: String(high), step: '1', name });
  input.setAttribute('aria-label', label);
  return input;
}

export class Panel {
  #page;
  #panel = find('panel', HTMLElement);
  #mode = find('mode', HTMLSelectElement);
  #coarsest = find('coarsest', HTMLInputElement);
  /** @type {HTMLInputElement[]} */
  #materials = [];
  /** @type {{low: HTMLInputElement, high: HTMLInputElement, text: HTMLElement}[]} */
  #cuts = [];

  /** @param {Page} page */
  constructor(page) {
    this.#page = page;
    const { settings, facts } = page;
    /** @param {string} id @param {() => void} act */
    const click = (id, act) => find(id, HTMLElement).addEventListener('click', act);
    click('open-panel', () => this.toggle());
    click('all', () => this.#hide(0));
    click('none', () => this.#hide((1 << facts.palette.length) - 1));
    this.#mode.addEventListener('change', () => {
      settings.mode = Math.max(kModes.indexOf(this.#mode.value), 0);
      page.changed();
    });
    this.#coarsest.max = String(facts.log2_side - 1);
    this.#coarsest.addEventListener('input', () => {
      const log2 = Number(this.#coarsest.value);
      settings.coarsest = log2 < 2 ? 0 : log2;
      page.changed();
    });
    this.#check('detail', value => settings.detail = value);
    this.#check('shadows', value => settings.shadows = value);
    this.#check('occlusion', value => settings.occlusion = value);
    for (const id of ['azimuth', 'altitude']) find(id, HTMLInputElement).addEventListener('input', () => this.#turnSun());
    this.#listMaterials();
    this.#listCuts();
    this.update();
  }

  toggle() {
    this.#panel.hidden = !this.#panel.hidden;
    document.body.classList.toggle('with-panel', !this.#panel.hidden);
    find('open-panel', HTMLElement).setAttribute('aria-expanded', String(!this.#panel.hidden));
  }

  /** @param {string} id @param {(value: boolean) => void} set */
  #check(id, set) {
    const box = find(id, HTMLInputElement);
    box.addEventListener('change', () => {
      set(box.checked);
      this.#page.changed();
    });
  }

  /** @param {number} bits */
  #hide(bits) {
    this.#page.settings.hidden = bits;
    this.#page.changed();
  }

  #listMaterials() {
    const { facts, settings } = this.#page, list = find('palette', HTMLElement);
    const shares = facts.palette.some(entry => entry.share > 0);
    for (const [i, entry] of facts.palette.entries()) {
      const row = document.createElement('li'), label = document.createElement('label');
      const box = document.createElement('input'), color = document.createElement('i');
      const name = document.createElement('span'), share = document.createElement('output');
      box.type = 'checkbox';
      color.style.background = cssColor(entry);
      name.textContent = name.title = entry.name;
      if (shares) share.textContent = (100 * entry.share).toFixed(1) + ' %';
      if (shares) share.title = 'of the surface';
      box.addEventListener('change', () => this.#hide(settings.hidden ^ 1 << i));
      label.append(box, color, name, share);
      row.append(label);
      list.append(row);
      this.#materials.push(box);
    }
    find('materials', HTMLElement).hidden = facts.palette.length < 2;
  }

  #listCuts() {
    const { facts, settings } = this.#page, { low, high } = filledBox(facts);
    for (const [i, name] of ['x', 'y', 'z'].entries()) {
      const row = document.createElement('div'), axis = document.createElement('b');
      const cut = {
        low: slider(name + '-low', low[i], high[i] - 1, `First layer of ${name}`),
        high: slider(name + '-high', low[i] + 1, high[i], `End of the layers of ${name}`),
        text: document.createElement('output'),
      };
      axis.textContent = name;
      cut.low.addEventListener('input', () => {
        settings.clip.low[i] = Number(cut.low.value);
        settings.clip.high[i] = Math.max(settings.clip.high[i], settings.clip.low[i] + 1);
        this.#page.changed();
      });
      cut.high.addEventListener('input', () => {
        settings.clip.high[i] = Number(cut.high.value);
        settings.clip.low[i] = Math.min(settings.clip.low[i], settings.clip.high[i] - 1);
        this.#page.changed();
      });
      row.append(axis, cut.low, cut.high, cut.text);
      find('cuts', HTMLElement).append(row);
      this.#cuts.push(cut);
    }
  }

  #turnSun() {
    const azimuth = Number(find('azimuth', HTMLInputElement).value) * Math.PI / 180;
    const altitude = Number(find('altitude', HTMLInputElement).value) * Math.PI / 180;
    this.#page.settings.sun = [
      Math.cos(altitude) * Math.sin(azimuth), Math.sin(altitude), Math.cos(altitude) * Math.cos(azimuth),
    ];
    this.#page.changed();
  }

  /** Shows the choices as they are. */
  update() {
    const { settings, facts } = this.#page, [x, y, z] = settings.sun;
    this.#mode.value = kModes[settings.mode];
    drawLegend(find('legend', HTMLElement), this.#page);
    this.#coarsest.value = String(Math.max(settings.coarsest, 1));
    find('coarsest-text', HTMLElement).textContent =
      settings.coarsest === 0 ? 'voxels' : 2 ** settings.coarsest + ' wide';
    find('detail', HTMLInputElement).checked = settings.detail;
    find('shadows', HTMLInputElement).checked = settings.shadows;
    find('occlusion', HTMLInputElement).checked = settings.occlusion;
    const azimuth = Math.round(Math.atan2(x, z) * 180 / Math.PI);
    const altitude = Math.round(Math.atan2(y, Math.hypot(x, z)) * 180 / Math.PI);
    for (const [id, angle] of /** @type {[string, number][]} */ ([['azimuth', azimuth], ['altitude', altitude]])) {
      find(id, HTMLInputElement).value = String(angle);
      find(id + '-text', HTMLElement).textContent = angle + '\u00b0';
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
