// The page: reads its scene, and shows it.
import { Pace } from './pace.js';
import { Renderer } from './renderer.js';
import { readFacts, readWords } from './scene.js';
import { settingsOf } from './settings.js';

const facts = readFacts();
const canvas = /** @type {HTMLCanvasElement} */ (document.getElementById('picture'));
const words = await readWords(facts, () => {});
const size = { width: innerWidth, height: innerHeight };
const settings = settingsOf(location.hash.slice(1) || facts.start, facts, size);
canvas.width = size.width;
canvas.height = size.height;
const renderer = new Renderer(canvas, facts, words);
const pace = new Pace(renderer, settings);
pace.resize(size);
document.getElementById('message')?.remove();
Object.assign(globalThis, { voxPage: { pace, renderer, settings } });
