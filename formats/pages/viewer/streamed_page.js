// The program of a page that loads chunks of its scene.
import { find } from './elements.js';
import { openPage, Page } from './page.js';
import { readFacts } from './scene.js';
import { memoryOf } from './settings.js';
import { Stream } from './stream.js';

openPage(async () => {
  const facts = readFacts(), stream = new Stream(facts, memoryOf(location.hash.slice(1), facts));
  find('progress', HTMLProgressElement).removeAttribute('value');
  await stream.start();
  const page = new Page(facts, { words: new Uint32Array(), stream }), notice = find('loading');
  stream.listen(() => page.pace.ask(), text => {
    if (notice.textContent === text) return;
    notice.textContent = text;
    notice.hidden = text === '';
  });
  return page;
});
