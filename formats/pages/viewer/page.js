// The page as a whole, and the state that its parts share.
import { Controls, listenToGamepads, placeOf } from './controls.js';
import { click, find, on, say } from './elements.js';
import { Pace, scaledSize } from './pace.js';
import { drawReadout, drawScale, Panel } from './panel.js';
import { Renderer } from './renderer.js';
import { Fault } from './scene.js';
import { modesOf, settingsOf, settingsText, viewOf } from './settings.js';

/** @typedef {import('./scene.js').Facts} Facts */
/** @typedef {import('./renderer.js').Source} Source */
/** @typedef {import('./camera.js').Size} Size */

const kMostPixels = 2;  // greatest number of screen pixels per CSS pixel, along a side
const kKeepAfter = 250; // ms of rest until the address is updated

export class Page {
  canvas = find('picture', HTMLCanvasElement);
  /** @type {{x: number, y: number} | null} */
  #cursor = null;
  #keep = 0;
  #known = this.#address(); // the address that the settings come from, or that was made of them

  /** @param {Facts} facts @param {Source} source */
  constructor(facts, source) {
    this.facts = facts;
    this.size = this.#windowSize();
    this.settings = settingsOf(this.#known || facts.start, facts, this.size);
    document.body.classList.toggle('bare', !this.settings.panel);
    this.renderer = new Renderer(this.canvas, facts, source);
    this.pace = new Pace(this.renderer, this.settings, is => find('slow').hidden = !is);
    this.controls = new Controls(this);
    find('title').textContent = facts.title;
    find('shown').textContent = facts.shown;
    find('made').textContent = `Made by ${facts.command}; the scene's digest is ${facts.digest}.`;
    this.panel = new Panel(this);
    listenToGamepads(this);
    this.#listen();
    this.#resize();
  }

  #address() {
    return location.hash.slice(1);
  }

  /** Returns the width of a pixel of the picture in CSS pixels. */
  density() {
    return 1 / Math.min(devicePixelRatio, kMostPixels);
  }

  /** @returns {Size} */
  #windowSize() {
    return scaledSize({ width: innerWidth, height: innerHeight }, 1 / this.density());
  }

  #listen() {
    const { canvas } = this;
    addEventListener('resize', () => this.#resize());
    addEventListener('hashchange', () => {
      if (this.#address() === this.#known) return;
      this.#known = this.#address();
      Object.assign(this.settings, settingsOf(this.#known, this.facts, this.size));
      this.changed();
    });
    on(canvas, 'pointermove', event => {
      this.#cursor = placeOf(event);
      if (event.buttons === 0) this.#ask_readout();
    });
    on(canvas, 'pointerleave', () => {
      this.#cursor = null;
      this.#ask_readout();
    });
    canvas.addEventListener('webglcontextlost', event => {
      event.preventDefault();
      say('The graphics context was lost; waiting until it is restored.');
    });
    canvas.addEventListener('webglcontextrestored', () => {
      this.renderer.restore();
      this.pace.restart();
      say();
    });
    for (const button of document.querySelectorAll('[data-view]'))
      on(button, 'click', () => this.#view(/** @type {HTMLElement} */ (button).dataset.view ?? ''));
    click('home', () => this.#home());
    click('open-help', () => find('help', HTMLDialogElement).showModal());
    click('save', () => this.#save());
    click('copy', () => {
      this.#keep_address();
      const byHand = () => this.#mention('The address bar has the address of this view.');
      if (navigator.clipboard) navigator.clipboard.writeText(location.href).then(() => this.#mention('Copied.'), byHand);
      else byHand();
    });
  }

  /** Shows a message for a moment. @param {string} text */
  #mention(text) {
    say(text);
    setTimeout(say, 2000);
  }

  dialogIsOpen() {
    return find('help', HTMLDialogElement).open;
  }

  /** Must be called when something that is shown has changed. */
  changed() {
    this.pace.changed();
    this.panel?.update();
    drawScale(this);
    clearTimeout(this.#keep);
    this.#keep = setTimeout(() => {
      this.#keep_address();
      this.#ask_readout();
    }, kKeepAfter);
  }

  #keep_address() {
    if (this.#address() !== this.#known) return; // somebody changed it, and the event that says so is still to come
    try {
      history.replaceState(null, '', '#' + settingsText(this.settings, this.facts));
    } catch {
      // A page within another page has no address of its own.
    }
    this.#known = this.#address();
  }

  #resize() {
    this.size = this.#windowSize();
    this.canvas.width = this.size.width;
    this.canvas.height = this.size.height;
    this.pace.resize(this.size);
    drawScale(this);
  }

  /** Returns the hit at a place of the window. @param {{x: number, y: number}} at */
  pick(at) {
    const pixels = 1 / this.density();
    return this.renderer.pick(this.settings, this.size, at.x * pixels, at.y * pixels);
  }

  #asked = false;
  #ask_readout() {
    if (this.#asked) return;
    this.#asked = true;
    requestAnimationFrame(() => {
      this.#asked = false;
      drawReadout(this, this.#cursor);
    });
  }

  /** @param {string} name */
  #view(name) {
    this.controls.jump(viewOf(this.facts, name, this.settings.pose.fov, this.size));
  }

  /** Restores the settings with which the page opens without an address of its own. */
  #home() {
    const { pose, ...others } = settingsOf(this.facts.start, this.facts, this.size);
    Object.assign(this.settings, others);
    this.controls.jump(pose);
  }

  #save() {
    this.pace.presentAgain();
    this.canvas.toBlob(blob => {
      if (!blob) return;
      const link = document.createElement('a');
      link.href = URL.createObjectURL(blob);
      link.download = this.facts.title.replace(/\.[^.]*$/, '') + '-view.png';
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
  }

  /** @param {string} key */
  key(key) {
    const views = new Map([['f', 'front'], ['t', 'top'], ['i', 'iso']]), mode = Number(key) - 1;
    const view = views.get(key);
    if (view) this.#view(view);
    else if (key === 'h') this.#home();
    else if (key === 'o') this.panel.toggle();
    else if (key === 'p') this.#save();
    else if (key === '?') find('help', HTMLDialogElement).showModal();
    else if (mode >= 0 && mode < modesOf(this.facts).length) {
      this.settings.mode = mode;
      this.changed();
    }
  }
}

/** Shows the page that begin() makes, or why there is none. @param {() => Promise<Page>} begin */
export async function openPage(begin) {
  try {
    const page = await begin();
    say();
    Object.assign(globalThis, { voxPage: page });  // for tests and measurements
  } catch (error) {
    if (error instanceof Fault) say(error.message, error.hint);
    else say('This page has a fault: ' + error);
    document.body.classList.add('bare');
  }
}
