// A gamepad flies: the left stick moves, the right one turns the head, the triggers go up and down.
import { farOf, looked, moved } from './camera.js';
import { scaled } from './vectors.js';

/** @typedef {import('./page.js').Page} Page */

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
