// The program of the page: reads its scene and shows it, or shows why it cannot.
import { Page } from './page.js';
import { find, say } from './elements.js';
import { Fault, readFacts, readWords } from './scene.js';

/** @param {unknown} error */
function complain(error) {
  if (error instanceof Fault) say(error.message, error.hint);
  else say('This page has a fault: ' + error);
  document.body.classList.add('bare');
}

try {
  const facts = readFacts(), bar = find('progress', HTMLProgressElement);
  const words = await readWords(facts, share => bar.value = share);
  const page = new Page(facts, words);
  say();
  Object.assign(globalThis, { voxPage: page });  // for tests and measurements
} catch (error) {
  complain(error);
}
