// The reader's movements: mouse, touch, wheel and keys change the pose.
import { add, between, farOf, looked, makeCamera, moved, nearer, normalized, orbited, scaled, sub, towards } from './camera.js';
import { on } from './elements.js';

/** @typedef {import('./camera.js').Vec} Vec */
/** @typedef {import('./camera.js').Pose} Pose */
/** @typedef {import('./page.js').Page} Page */
/** @typedef {{x: number, y: number}} Place */

/** @param {MouseEvent} event @returns {Place} */
export const placeOf = event => ({ x: event.clientX, y: event.clientY });

const kTurn = 0.006;     // radians a pixel
const kFlight = 0.6;     // share of the distance to the target per second
const kJump = 350;       // ms for a jump to another pose
const kLeastVoxels = 2;  // least distance from the target
/** @type {Record<string, Vec>} right, up, forward */
const kFlies = {
  KeyW: [0, 0, 1], KeyS: [0, 0, -1], KeyA: [-1, 0, 0], KeyD: [1, 0, 0], KeyE: [0, 1, 0], KeyQ: [0, -1, 0],
};
/** @type {Record<string, [number, number]>} */
const kTurns = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class Controls {
  #page;
  /** @type {Map<number, Place>} */
  #pointers = new Map();
  /** @type {Set<string>} */
  #held = new Set();
  #fast = false;
  #flies = false;
  #jump = 0;

  /** @param {Page} page */
  constructor(page) {
    this.#page = page;
    const { canvas } = page;
    on(canvas, 'pointerdown', event => {
      canvas.setPointerCapture(event.pointerId);
      this.#pointers.set(event.pointerId, placeOf(event));
      this.#jump = 0;
    });
    for (const end of /** @type {const} */ (['pointerup', 'pointercancel']))
      on(canvas, end, event => this.#pointers.delete(event.pointerId));
    on(canvas, 'pointermove', event => this.#drag(event));
    on(canvas, 'contextmenu', event => event.preventDefault());
    on(canvas, 'wheel', event => {
      event.preventDefault();
      const lines = event.deltaMode === 1 ? 30 : 1;
      this.#approach(placeOf(event), Math.exp(event.deltaY * lines * 0.0012));
    });
    on(canvas, 'dblclick', event => this.#go_there(placeOf(event)));
    addEventListener('keydown', event => this.#key(event));
    addEventListener('keyup', event => {
      this.#held.delete(event.code);
      this.#fast = event.shiftKey;
    });
    addEventListener('blur', () => this.#held.clear());
  }

  /** @param {Pose} pose */
  #set(pose) {
    this.#page.settings.pose = pose;
    this.#page.changed();
  }

  /** Moves smoothly to a pose. @param {Pose} to */
  jump(to) {
    const from = this.#page.settings.pose, began = performance.now(), jump = ++this.#jump;
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return this.#set(to);
    const step = () => {
      if (jump !== this.#jump) return;
      const share = Math.min((performance.now() - began) / kJump, 1);
      this.#set(share < 1 ? between(from, to, share * share * (3 - 2 * share)) : to);
      if (share < 1) requestAnimationFrame(step);
    };
    step();
  }

  /** Returns the width of a pixel at the target's distance, in voxels. */
  #pixel() {
    const { settings, size } = this.#page, { pose } = settings;
    return makeCamera(pose, size).spread * farOf(pose) * this.#page.density();
  }

  /** @param {PointerEvent} event */
  #drag(event) {
    const before = this.#pointers.get(event.pointerId);
    if (!before) return;
    const now = placeOf(event), dx = now.x - before.x, dy = now.y - before.y;
    const { pose } = this.#page.settings;
    if (this.#pointers.size === 2) {
      const other = [...this.#pointers].filter(([id]) => id !== event.pointerId)[0][1];
      const apart = (/** @type {Place} */ at) => Math.max(Math.hypot(at.x - other.x, at.y - other.y), 1);
      this.#pan(dx / 2, dy / 2);
      this.#approach({ x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 }, apart(before) / apart(now));
    } else if (event.shiftKey || event.buttons & 6) {
      this.#pan(dx, dy);
    } else if (this.#pointers.size === 1) {
      this.#set(orbited(pose, dx * kTurn, dy * kTurn));
    }
    this.#pointers.set(event.pointerId, now);
  }

  /** @param {number} dx @param {number} dy */
  #pan(dx, dy) {
    const pixel = this.#pixel();
    this.#set(moved(this.#page.settings.pose, [-dx * pixel, dy * pixel, 0]));
  }

  /** Moves towards a place of the picture, at the target's distance. @param {Place} at @param {number} by */
  #approach(at, by) {
    const { settings, size } = this.#page, { pose } = settings, camera = makeCamera(pose, size);
    const density = this.#page.density(), to = towards(camera, at.x / density, at.y / density);
    this.#set(nearer(pose, add(pose.eye, scaled(to, farOf(pose))), by, kLeastVoxels));
  }

  /** @param {Place} at */
  #go_there(at) {
    const pick = this.#page.pick(at), { pose } = this.#page.settings;
    if (!pick) return;
    const forward = normalized(sub(pick.point, pose.eye));
    const far = Math.max(Math.min(pick.distance * 0.4, farOf(pose)), kLeastVoxels * 4);
    this.jump({ ...pose, target: pick.point, eye: sub(pick.point, scaled(forward, far)) });
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement) return;
    if (this.#page.dialogIsOpen()) return;
    this.#fast = event.shiftKey;
    if (event.code in kFlies || event.code in kTurns) {
      event.preventDefault();
      this.#held.add(event.code);
      this.#jump = 0;
      if (!this.#flies) this.#fly(performance.now());
      return;
    }
    const middle = { x: innerWidth / 2, y: innerHeight / 2 };
    if (event.key === '+' || event.key === '=') this.#approach(middle, 0.8);
    else if (event.key === '-') this.#approach(middle, 1.25);
    else this.#page.key(event.key.toLowerCase());
  }

  /** Flies as long as keys are held. @param {number} before */
  #fly(before) {
    this.#flies = this.#held.size > 0;
    if (!this.#flies) return;
    const now = performance.now(), seconds = Math.min((now - before) / 1000, 0.2) + 1 / 120;
    let { pose } = this.#page.settings;
    const far = Math.max(farOf(pose), 16) * kFlight * (this.#fast ? 4 : 1) * seconds;
    for (const code of this.#held) {
      if (code in kFlies) pose = moved(pose, scaled(kFlies[code], far));
      if (code in kTurns) pose = looked(pose, kTurns[code][0] * seconds, kTurns[code][1] * seconds);
    }
    this.#set(pose);
    requestAnimationFrame(() => this.#fly(now));
  }
}

// A gamepad flies: the left stick moves, the right one turns the head, the triggers go up and down.

const kPadFlight = 0.8;  // greatest share of the distance to the target per second
const kPadTurn = 1.5;    // radians per second
const kLoose = 0.12;     // share of a stick's range in which it does nothing

/** @param {number | undefined} at */
const pushed = (at = 0) => Math.abs(at) < kLoose ? 0 : at * Math.abs(at);

/** Reads gamepads as long as any is connected. @param {Page} page */
export function listenToGamepads(page) {
  let before = 0;
  const step = () => {
    const pad = navigator.getGamepads().find(one => one?.connected);
    if (!pad) return before = 0;
    const now = performance.now(), seconds = Math.min((now - (before || now)) / 1000, 0.2);
    before = now;
    const [across, along, right, down] = [0, 1, 2, 3].map(i => pushed(pad.axes[i]));
    const up = (pad.buttons[7]?.value ?? 0) - (pad.buttons[6]?.value ?? 0);
    if ([across, along, right, down, up].some(part => part !== 0)) {
      const { pose } = page.settings, far = Math.max(farOf(pose), 16) * kPadFlight * seconds;
      const there = moved(pose, scaled([across, up, -along], far));
      page.settings.pose = looked(there, right * kPadTurn * seconds, down * kPadTurn * seconds);
      page.changed();
    }
    return requestAnimationFrame(step);
  };
  addEventListener('gamepadconnected', () => before === 0 && step());
}
