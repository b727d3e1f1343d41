// The program of the page: reads its scene, and shows it, or says why it cannot.
import { Page } from './page.js';
import { find } from './panel.js';
import { Fault, readFacts, readWords } from './scene.js';

/** @param {unknown} error */
function complain(error) {
  const message = find('message', HTMLElement);
  const lines = error instanceof Fault ? [error.message, error.hint] : ['This page has a fault: ' + error];
  message.replaceChildren(...lines.map(text => {
    const line = document.createElement('p');
    line.textContent = text;
    return line;
  }));
  message.hidden = false;
  document.body.classList.add('bare');
}

try {
  const facts = readFacts(), bar = find('progress', HTMLProgressElement);
  const words = await readWords(facts, share => bar.value = share);
  const page = new Page(facts, words);
  find('message', HTMLElement).hidden = true;
  Object.assign(globalThis, { voxPage: page });  // for whoever measures and tests
} catch (error) {
  complain(error);
}
