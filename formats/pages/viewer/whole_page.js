// The program of a page that holds its whole scene.
import { find } from './elements.js';
import { openPage, Page } from './page.js';
import { readFacts, readWords } from './scene.js';

openPage(async () => {
  const facts = readFacts(), bar = find('progress', HTMLProgressElement);
  const words = await readWords(facts, share => bar.value = share);
  return new Page(facts, { words, stream: null });
});
