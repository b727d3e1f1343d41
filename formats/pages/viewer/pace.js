// The pace of pictures. While something moves, pictures have as few pixels as the GPU needs to keep up. At rest,
// samples of all pixels are added up, a few rows at a time, so that the page stays responsive.

import { clamped } from './camera.js';

/** @typedef {import('./renderer.js').Renderer} Renderer */
/** @typedef {import('./renderer.js').Part} Part */
/** @typedef {import('./camera.js').Size} Size */
/** @typedef {import('./settings.js').Settings} Settings */

const kFrame = 30;         // ms that a picture may take while something moves
const kSlice = 40;         // ms of work at rest between two checks for input
const kStill = 160;        // ms without a change until everything counts as at rest
const kLeastScale = 1 / 8; // least share of the window's pixels along each side,
const kSlowScale = 1 / 32; // and the same for a GPU that is too slow for that
const kSlow = 1000;        // ms per picture from which a GPU is slow
const kSlices = 16;        // greatest number of slices of a sample
const kStages = [1 / 4, 1 / 2, 1]; // at rest, pictures of fewer pixels come first, then samples of all pixels

/** @param {Size} size @param {number} scale @returns {Size} */
export const scaledSize = ({ width, height }, scale) =>
  ({ width: Math.max(Math.round(width * scale), 1), height: Math.max(Math.round(height * scale), 1) });

/**
 * Adapts the number of pixels that are cast at once, so that this takes a certain time. The part of the time that does
 * not depend on the size, which is most of it if a CPU draws the window, does not reduce the number.
 */
class Load {
  #time;
  #quickest = Infinity;
  pixels;

  /** @param {number} time ms @param {number} pixels at first */
  constructor(time, pixels) {
    this.#time = time;
    this.pixels = pixels;
  }

  /** Records the time that this many pixels took. @param {number} pixels @param {number} time */
  took(pixels, time) {
    this.#quickest = Math.min(this.#quickest, time);
    this.pixels = pixels * clamped(Math.max(this.#time, 1.6 * this.#quickest) / Math.max(time, 1), 0.25, 1.5);
  }
}

export class Pace {
  #settings;
  #renderer;
  #size = { width: 1, height: 1 };
  #changed = performance.now();
  #asked = 0;
  #sample = 0;
  #stage = 0;
  #scale = 1; // scale of the last picture while something moved
  #row = 0;
  /** @type {{fence: WebGLSync, began: number, part: Part, ends: boolean, whole: boolean} | null} */
  #under_way = null;
  #moving = new Load(kFrame, 2e4);
  #rest = new Load(kSlice, 2e4);
  #least = kLeastScale;
  #lost = 0; // how often the GPU context was lost
  #stale = false; // chunks came after the picture was begun
  #since = 0;     // when the picture was begun
  #moves = true;
  #shown = { size: this.#size, sample: 0 };
  #slow;
  frames = 0;   // number of pictures shown, for measurements
  finished = 0; // number of samples completed at rest

  /** @param {Renderer} renderer @param {Settings} settings @param {(is: boolean) => void} slow reports a slow GPU */
  constructor(renderer, settings, slow) {
    this.#renderer = renderer;
    this.#slow = slow;
    this.#settings = settings;
  }

  /** @param {Size} size of the window in pixels */
  resize(size) {
    this.#size = size;
    this.#renderer.resize(size);
    this.changed();
  }

  /** Must be called when something that is shown has changed. */
  changed() {
    this.#changed = performance.now();
    this.#moves = true;
    this.#sample = this.#row = this.#stage = this.finished = 0;
    this.#renderer.stream?.viewChanged();
    this.ask();
  }

  /** Shows the last picture again, for saving a picture of the window. */
  presentAgain() {
    const { mode, exposure } = this.#settings;
    this.#renderer.present(this.#shown.size, this.#shown.sample, mode === 0 ? exposure : 1);
  }

  ask() {
    if (this.#asked === 0) this.#asked = requestAnimationFrame(() => this.#turn());
  }

  /** Starts again after the context was lost, perhaps because the work in progress took too long. */
  restart() {
    this.#under_way = null;
    ++this.#lost;
    this.#moving = new Load(kFrame, 1);
    this.#rest = new Load(kSlice, 1);
    this.#renderer.resize(this.#size);
    this.changed();
  }

  #turn() {
    this.#asked = 0;
    const { gl } = this.#renderer;
    if (gl.isContextLost()) return;
    if (this.#renderer.stream?.turn()) this.#stale = true;
    if (this.#is_busy()) return this.ask();
    const now = performance.now();
    if (this.#moves && this.#settings.samples > 1) {
      this.#draw_moving();
      if (now - this.#changed > kStill) this.#moves = false;
      return this.ask();
    }
    if (this.#sample >= this.#settings.samples && !this.#stale) return;
    this.#draw_rest();
    this.ask();
  }

  #is_busy() {
    const work = this.#under_way, { gl } = this.#renderer;
    if (!work) return false;
    if (gl.getSyncParameter(work.fence, gl.SYNC_STATUS) !== gl.SIGNALED) {
      if (performance.now() - work.began > kSlow) this.#slow(true);
      return true;
    }
    gl.deleteSync(work.fence);
    const time = performance.now() - work.began, { size, rows, rest } = work.part, { stream } = this.#renderer;
    if (stream) {
      this.#renderer.readNotes(work.part);
      if (work.ends) stream.pictureDone(this.#since, work.whole && !this.#stale);
    }
    if (rest) {
      this.#rest.took(size.width * rows, time);
    } else {
      this.#moving.took(size.width * rows, time);
      if (time > kSlow && this.#scale <= this.#least) this.#least = Math.max(this.#least / 2, kSlowScale);
      else if (time < kSlow / 4) this.#least = Math.min(this.#least * 2, kLeastScale);
    }
    this.#slow(this.#least < kLeastScale);
    this.#under_way = null;
    return false;
  }

  /** @param {Part} part @param {boolean} ends the picture @param {boolean} whole the picture has all pixels */
  #begun(part, ends, whole) {
    const { gl } = this.#renderer, fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
    if (fence) this.#under_way = { fence, began: performance.now(), part, ends, whole };
  }

  /** @param {Size} size @param {number} sample */
  #present(size, sample) {
    this.#shown = { size, sample };
    this.presentAgain();
    ++this.frames;
  }

  #draw_moving() {
    const { width, height } = this.#size;
    this.#scale = clamped(Math.sqrt(this.#moving.pixels / (width * height)), this.#least, 1);
    const size = scaledSize(this.#size, this.#scale), part = { size, sample: 0, first: 0, rows: size.height, rest: false };
    this.#stale = false;
    this.#since = performance.now();
    this.#renderer.castPart(this.#settings, part);
    this.#present(size, 0);
    this.#begun(part, true, false);
  }

  #draw_rest() {
    const least = this.#settings.samples > 1 ? 1.5 * this.#scale : 1;
    while (kStages[this.#stage] < Math.min(least, 1)) ++this.#stage;
    const size = scaledSize(this.#size, kStages[this.#stage]);
    const fewest = Math.max(Math.floor(size.height / kSlices / 4 ** this.#lost), 1);
    const rows = Math.min(Math.max(Math.floor(this.#rest.pixels / size.width), fewest), size.height - this.#row);
    if (this.#row === 0) this.#begin_picture();
    const part = { size, sample: this.#sample, first: this.#row, rows, rest: true }, whole = kStages[this.#stage] === 1;
    this.#renderer.castPart(this.#settings, part);
    this.#row += rows;
    const ends = this.#row >= size.height;
    if (ends) {
      this.#present(size, this.#sample);
      this.#row = 0;
      if (!whole) ++this.#stage;
      else if (!this.#stale) this.finished = ++this.#sample;
    }
    this.#begun(part, ends, whole);
  }

  /** Samples are added up from the first one again if chunks have come. */
  #begin_picture() {
    this.#since = performance.now();
    if (this.#stale) this.#sample = this.finished = 0;
    this.#stale = false;
  }
}
