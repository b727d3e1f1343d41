// The pace of pictures: while something moves they have as few pixels as the graphics need to keep up, and at rest
// samples of all pixels are added up, a few rows at a time, so that the page answers at once.

/** @typedef {import('./renderer.js').Renderer} Renderer */
/** @typedef {import('./camera.js').Size} Size */
/** @typedef {import('./settings.js').Settings} Settings */

const kFrame = 30;         // ms that a picture of something that moves may take
const kSlice = 40;         // ms of work at rest before the page is listened to again
const kStill = 160;        // ms without a change, after which all is at rest
const kLeastScale = 1 / 8; // of the window's pixels along each side

export class Pace {
  #settings;
  #renderer;
  #size = { width: 1, height: 1 };
  #changed = performance.now();
  #asked = 0;
  #sample = 0;
  #row = 0;
  /** @type {{fence: WebGLSync, began: number, pixels: number, rest: boolean} | null} */
  #under_way = null;
  #cost = { moving: 4e-4, rest: 4e-4 };  // ms a pixel; the first pictures correct it
  #moves = true;
  #shown = { size: this.#size, sample: 0 };
  frames = 0;   // that were shown, for whoever measures
  finished = 0; // samples at rest

  /** @param {Renderer} renderer @param {Settings} settings */
  constructor(renderer, settings) {
    this.#renderer = renderer;
    this.#settings = settings;
  }

  /** @param {Size} size of the window in pixels */
  resize(size) {
    this.#size = size;
    this.#renderer.resize(size);
    this.changed();
  }

  /** Something that is shown has changed. */
  changed() {
    this.#changed = performance.now();
    this.#moves = true;
    this.#sample = this.#row = this.finished = 0;
    this.ask();
  }

  /** Shows once more what was shown last, for whoever takes a picture of the window. */
  presentAgain() {
    this.#renderer.present(this.#shown.size, this.#shown.sample);
  }

  ask() {
    if (this.#asked === 0) this.#asked = requestAnimationFrame(() => this.#turn());
  }

  /** Forgets what the graphics were doing, as their context was lost. */
  restart() {
    this.#under_way = null;
    this.#renderer.resize(this.#size);
    this.changed();
  }

  #turn() {
    this.#asked = 0;
    const { gl } = this.#renderer;
    if (gl.isContextLost()) return;
    if (this.#is_busy()) return this.ask();
    const now = performance.now();
    if (this.#moves && this.#settings.samples > 1) {
      this.#draw_moving();
      if (now - this.#changed > kStill) this.#moves = false;
      return this.ask();
    }
    if (this.#sample >= this.#settings.samples) return;
    this.#draw_rest();
    this.ask();
  }

  #is_busy() {
    const work = this.#under_way, { gl } = this.#renderer;
    if (!work) return false;
    if (gl.getSyncParameter(work.fence, gl.SYNC_STATUS) !== gl.SIGNALED) return true;
    gl.deleteSync(work.fence);
    const cost = (performance.now() - work.began) / work.pixels, kind = work.rest ? 'rest' : 'moving';
    this.#cost[kind] = this.#cost[kind] * 0.5 + cost * 0.5;
    this.#under_way = null;
    return false;
  }

  /** @param {number} pixels @param {boolean} rest */
  #begun(pixels, rest) {
    const { gl } = this.#renderer, fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
    if (fence) this.#under_way = { fence, began: performance.now(), pixels, rest };
  }

  /** @param {Size} size @param {number} sample */
  #present(size, sample) {
    this.#shown = { size, sample };
    this.presentAgain();
    ++this.frames;
  }

  #draw_moving() {
    const { width, height } = this.#size;
    const scale = Math.min(Math.max(Math.sqrt(kFrame / (this.#cost.moving * width * height)), kLeastScale), 1);
    const size = { width: Math.max(Math.round(width * scale), 1), height: Math.max(Math.round(height * scale), 1) };
    this.#renderer.castPart(this.#settings, { size, sample: 0, first: 0, rows: size.height, rest: false });
    this.#present(size, 0);
    this.#begun(size.width * size.height, false);
  }

  #draw_rest() {
    const size = this.#size;
    const rows = Math.min(Math.max(Math.floor(kSlice / (this.#cost.rest * size.width)), 1), size.height - this.#row);
    this.#renderer.castPart(this.#settings, { size, sample: this.#sample, first: this.#row, rows, rest: true });
    this.#row += rows;
    if (this.#row >= size.height) {
      this.#present(size, this.#sample);
      this.#row = 0;
      this.finished = ++this.#sample;
    }
    this.#begun(size.width * rows, true);
  }
}
