// Loads chunks as they are needed. Each pixel notes the node that it lacks, if any, and the chunks that it uses. The
// coarsest and nearest of the chunks that are lacked are fetched first, those that no picture lacks any more are
// cancelled, and those that have not been used for the longest time make room for others.
import { colorsOf, hasColors, namesIn, Pool, readHead, settle, settledWords } from './chunks.js';
import { checkBrowser, Fault, inflated, linear } from './scene.js';

/** @typedef {import('./scene.js').Facts} Facts */
/** @typedef {import('./chunks.js').ChunkHead} ChunkHead */
/**
 * @typedef {{
 *   name: string, roots: number, log2: number, table: number, state: 'absent' | 'loading' | 'waiting' | 'here' | 'missing',
 *   level: number | null, head: ChunkHead | null, words: Uint32Array<ArrayBuffer> | null, row: number, rows: number, below: Chunk[],
 *   above: Set<Chunk>, used: number, lacked: number, distance: number, tries: number, later: number,
 *   abort: AbortController | null,
 * }} Chunk level: if it holds colors; table: where the places of its roots are; used: the last view; lacked: when; later: when to try again
 */

const kFetches = 6;          // chunks that are fetched at the same time
const kWaiting = 8;          // chunks that wait until they are put into the GPU's memory, at most
const kPatience = 300;       // ms after which a chunk that no picture lacks is cancelled
const kUploadTime = 4;       // ms of each frame for putting chunks into the GPU's memory
const kMostTries = 6;        // until a lost connection is shown; after that, it is tried every kMostDelay
const kMostDelay = 8000;     // ms
const kDamagedTries = 2;
const kMostEntries = 2 ** 21;
const kAgain = [408, 425, 429];  // states of a server for which asking again helps

/** A chunk that its server does not have, or that is no chunk. */
class Missing extends Error {}

/** @param {string} name */
export const chunkPath = name => `chunks/${name.slice(0, 2)}/${name}.voxc`;

/** @param {string} name @param {AbortSignal | null} signal @param {RequestCache} cache */
async function fetched(name, signal, cache) {
  const response = await fetch(chunkPath(name), { signal, cache });
  if (!response.ok || !response.body) {
    const error = `${response.status} ${response.statusText}`.trim();
    throw response.status >= 500 || kAgain.includes(response.status) ? new TypeError(error) : new Missing(error);
  }
  const bytes = new Uint8Array(await response.arrayBuffer());
  const words = await inflated(bytes).then(all => new Uint32Array(all.buffer)).catch(() => null);
  const head = words && readHead(words);
  if (!words || !head && !hasColors(words)) throw new SyntaxError('damaged');
  return { words, head, bytes: bytes.byteLength };
}

export class Stream {
  /** @type {Map<string, Chunk>} */
  #chunks = new Map();
  /** @type {Chunk[]} by places in the table */
  #owners = [];
  /** @type {Set<Chunk>} */
  #lacked = new Set();
  /** @type {Chunk[]} */
  #waiting = [];
  /** @type {Pool | null} */
  #pool = null;
  /** @type {Chunk} */
  #top;
  /** @type {Chunk[]} of colors, the coarsest one last */
  #colored = [];
  #facts;
  #colors;
  #memory;
  #loading = 0;
  #view = 1;
  #lacks = 0;      // chunks that the picture under way lacks and that may come
  #full = false;   // memory does not suffice for this view
  #timer = 0;
  #trouble = '';
  /** @type {() => void} */
  #arrived = () => {};
  /** @type {(text: string) => void} */
  #tell = () => {};
  root = 0;
  colorEntries = new Uint32Array(7);  // where each level of colors begins in the table
  complete = false; // the picture shows everything that it should
  bytes = 0;        // fetched, for measurements
  fetches = 0;
  cancelled = 0;
  dropped = 0;      // chunks that made room for others
  longest = 0;      // ms that putting chunks into memory took in one frame, at most

  /** @param {Facts} facts @param {number} memory bytes of the GPU's memory */
  constructor(facts, memory) {
    this.#facts = facts;
    this.#memory = memory;
    this.#colors = colorsOf(facts.palette, linear);
    this.#top = this.#chunk(facts.top ?? '', 1, facts.log2_side);
  }

  /** Fetches the chunk of the scene's root. */
  async start() {
    checkBrowser();
    if (location.protocol === 'file:')
      throw new Fault('This page loads its scene from a web server, and was opened as a file.',
        'Start one in its folder, for example with "python3 -m http.server", and open http://localhost:8000.');
    const { colors } = this.#facts;
    await this.#needed(this.#top);
    if (!colors) return;
    const index = this.#chunk(colors.index, 1, 0, 0);
    await this.#needed(index);
    const names = namesIn(index.words ?? new Uint32Array());
    for (const [level, { chunks }] of colors.levels.entries())
      for (let i = chunks; i > 0; --i)
        this.#colored.push(this.#chunk(names[this.#colored.length] ?? '', 1, 3 * level + 5, level));
    await this.#needed(this.#colored[this.#colored.length - 1]);
  }

  /** Fetches a chunk without which nothing can be shown. @param {Chunk} chunk */
  async #needed(chunk) {
    for (let tries = 1; !chunk.words; ++tries) {
      try {
        const { words, head, bytes } = await fetched(chunk.name, null, tries === 1 ? 'default' : 'reload');
        this.bytes += bytes;
        ++this.fetches;
        Object.assign(chunk, { words, head });
      } catch (error) {
        if (error instanceof Missing || tries >= kMostTries)
          throw new Fault(`The scene cannot be loaded: ${error instanceof Error ? error.message : error}.`,
            'Its folder may be incomplete; make it anew with vox-render --html FOLDER --stream.');
        await new Promise(done => setTimeout(done, 250 * 2 ** tries));
      }
    }
  }

  /** @param {() => void} arrived is called when a chunk has come @param {(text: string) => void} tell shows a message */
  listen(arrived, tell) {
    this.#arrived = arrived;
    this.#tell = tell;
  }

  /** Begins in a new context. @param {WebGL2RenderingContext} gl @param {number} shift */
  attach(gl, shift) {
    for (const chunk of this.#chunks.values()) chunk.abort?.abort();
    const row = 2 ** shift, { chunk_words = 0, chunks = 0, references = 0, colors } = this.#facts;
    const count = this.#colored.length, words = chunk_words + (colors?.words ?? 0) + (chunks + count) * row;
    this.#pool = new Pool(gl, shift, words, Math.min(references, kMostEntries) + count + 1, this.#memory);
    this.#chunks = new Map([[this.#top.name, this.#top]]);
    this.#owners = [];
    this.#waiting = [];
    this.#lacked.clear();
    const kept = [this.#top, ...this.#colored.slice(-1)];
    for (const chunk of [...this.#colored, ...kept]) Object.assign(chunk, { state: 'absent', below: [], used: 0 });
    for (const chunk of this.#colored) this.#enter(chunk);
    for (const [i, chunk] of this.#colored.entries()) {
      this.#chunks.set(`color ${i}`, chunk);
      if (i === 0 || chunk.level !== this.#colored[i - 1].level) this.colorEntries[chunk.level ?? 0] = chunk.table;
    }
    for (const chunk of kept) this.#put(chunk);
    this.root = this.#pool.placeOf(this.#top.row);
  }

  get memory() {
    return this.#pool?.bytes ?? 0;
  }

  /** @param {string} name @param {number} roots @param {number} log2 @param {number | null} level @returns {Chunk} */
  #chunk(name, roots, log2, level = null) {
    const known = level === null && this.#chunks.get(name);
    if (known) return known;
    /** @type {Chunk} */
    const chunk = { name, roots, log2, level, table: 0, state: 'absent', head: null, words: null, row: 0, rows: 0, below: [],
      above: new Set(), used: 0, lacked: 0, distance: Infinity, tries: 0, later: 0, abort: null };
    if (level === null) this.#chunks.set(name, chunk);
    return chunk;
  }

  /** Must be called when the view has changed. */
  viewChanged() {
    ++this.#view;
    this.#full = false;
    this.complete = false;
  }

  /** Takes the notes of pixels, four words each. @param {Uint32Array<ArrayBuffer>} notes */
  note(notes) {
    const distances = new Float32Array(notes.buffer), now = performance.now();
    let before = 0, seen = 0, other = 0;
    for (let i = 0; i < notes.length; i += 4) {
      const lacks = notes[i];
      if (lacks !== 0) {
        const chunk = this.#owners[lacks];
        if (lacks !== before && chunk && chunk.state !== 'here') {
          if (chunk.lacked !== now) chunk.distance = Infinity;
          chunk.lacked = now;
          this.#lacked.add(chunk);
        }
        if (chunk) chunk.distance = Math.min(chunk.distance, distances[i + 1]);
        before = lacks;
      }
      if (notes[i + 2] !== seen) this.#use(this.#owners[seen = notes[i + 2]]);
      if (notes[i + 3] !== other) this.#use(this.#owners[other = notes[i + 3]]);
    }
  }

  /** Marks a chunk and those above it as used in this view. @param {Chunk | undefined} chunk */
  #use(chunk) {
    if (!chunk || chunk.used === this.#view) return;
    chunk.used = this.#view;
    for (const above of chunk.above) this.#use(above);
  }

  /**
   * Must be called when a picture is done.
   * @param {number} since when it was begun @param {boolean} whole true if it is the best that these chunks allow
   */
  pictureDone(since, whole) {
    this.#lacks = 0;
    for (const chunk of this.#lacked) {
      if (chunk.lacked >= since && chunk.state !== 'here') {
        if (chunk.state !== 'missing') ++this.#lacks;
      } else if (chunk.state === 'here' || chunk.lacked < since - kPatience) {
        this.#lacked.delete(chunk);
        if (chunk.state === 'loading') ++this.cancelled;
        chunk.abort?.abort();
      }
    }
    this.complete = whole && (this.#lacks === 0 || this.#full);
    this.#schedule();
    this.#report();
  }

  #report() {
    const lacks = this.#lacks > 0 && !this.#full ? 'Loading' : '';
    this.#tell(this.#trouble || (this.#full ? 'This view needs more memory than the page may take' : lacks));
  }

  /** Fetches what is lacked. */
  #schedule() {
    clearTimeout(this.#timer);
    const now = performance.now();
    const list = [...this.#lacked].filter(chunk => chunk.state === 'absent');
    list.sort((a, b) => b.log2 - a.log2 || a.distance - b.distance);
    let soonest = Infinity;
    for (const chunk of list) {
      if (this.#full || this.#loading >= kFetches || this.#waiting.length >= kWaiting) break;
      if (chunk.later > now) soonest = Math.min(soonest, chunk.later);
      else this.#load(chunk);
    }
    if (soonest < Infinity) this.#timer = setTimeout(() => this.#schedule(), soonest - now);
  }

  /** @param {Chunk} chunk */
  async #load(chunk) {
    const abort = chunk.abort = new AbortController();
    chunk.state = 'loading';
    ++this.#loading;
    ++this.fetches;
    try {
      const { words, head, bytes } = await fetched(chunk.name, abort.signal, chunk.tries > 0 ? 'reload' : 'default');
      if (abort.signal.aborted) throw new DOMException('', 'AbortError');
      if (chunk.level === null ? head?.roots !== chunk.roots || head.log2 !== chunk.log2 : head !== null)
        throw new SyntaxError('damaged');
      Object.assign(chunk, { words, head, state: 'waiting', tries: 0 });
      this.bytes += bytes;
      if (this.#trouble.startsWith('The connection')) this.#trouble = '';
      this.#waiting.push(chunk);
      this.#arrived();
    } catch (error) {
      chunk.state = 'absent';
      if (!abort.signal.aborted) this.#failed(chunk, error);
    }
    chunk.abort = null;
    --this.#loading;
    this.#schedule();
  }

  /** @param {Chunk} chunk @param {unknown} error */
  #failed(chunk, error) {
    ++chunk.tries;
    const is_damaged = error instanceof SyntaxError;
    if (error instanceof Missing || is_damaged && chunk.tries >= kDamagedTries) {
      chunk.state = 'missing';
      const what = error instanceof Missing ? `missing (${error.message})` : 'damaged';
      this.#trouble = `A part of the scene is ${what}: ${chunkPath(chunk.name)}. The level above is shown there.`;
      this.#arrived();
    } else {
      chunk.later = performance.now() + Math.min(250 * 2 ** (chunk.tries - 1), kMostDelay);
      if (chunk.tries >= 2 && !is_damaged && !this.#trouble) this.#trouble = 'The connection is lost; trying again';
    }
    this.#report();
  }

  /** Puts chunks that have come into memory, for a few milliseconds. Returns true if there was one. */
  turn() {
    const began = performance.now();
    let any = false;
    while (this.#waiting.length > 0 && performance.now() - began < kUploadTime) {
      const chunk = /** @type {Chunk} */ (this.#waiting.shift());
      any = this.#put(chunk) || any;
    }
    if (any) {
      this.longest = Math.max(this.longest, performance.now() - began);
      this.complete = false;
      this.#schedule();
    }
    return any;
  }

  /** Puts a chunk into memory. Returns false if there is no room. @param {Chunk} chunk */
  #put(chunk) {
    const { words, head } = chunk, pool = /** @type {Pool} */ (this.#pool);
    if (!words) return false;
    this.#use(chunk);  // so that those above it stay
    const rows = pool.rowsFor(head ? settledWords(head) : words.length), row = this.#room(() => pool.takeRows(rows));
    if (row < 0) return this.#refuse(chunk);
    const below = head?.chunks.map(({ name, roots }) =>
      this.#chunk(name, roots, head.log2 - head.sections.length + 1)) ?? [];
    for (const one of below) one.above.add(chunk);
    if (!below.every(one => one.table > 0 || this.#enter(one))) {
      pool.giveRows(row, rows);
      for (const one of below) one.above.delete(chunk);
      this.#leave(below);
      return this.#refuse(chunk);
    }
    const settled = new Uint32Array(pool.placeOf(rows));  // whole rows
    let places = Uint32Array.of(pool.placeOf(row));
    if (head) places = settle(words, head, settled, places[0], below.map(one => one.table), this.#colors);
    else settled.set(words);
    pool.writeRows(row, settled);
    if (chunk.table > 0) pool.writeEntries(chunk.table, places);
    Object.assign(chunk, { state: 'here', row, rows, below });
    if (!this.#stays(chunk)) Object.assign(chunk, { words: null, head: null });
    this.#lacked.delete(chunk);
    return true;
  }

  /** Returns whether a chunk is needed for every picture. @param {Chunk} chunk */
  #stays(chunk) {
    return chunk === this.#top || chunk === this.#colored[this.#colored.length - 1];
  }

  /** @param {Chunk} chunk */
  #refuse(chunk) {
    this.#full = true;
    Object.assign(chunk, { state: 'absent', words: null, head: null });
    return false;
  }

  /** Gives a chunk its entries of the table. @param {Chunk} chunk */
  #enter(chunk) {
    const pool = /** @type {Pool} */ (this.#pool), at = this.#room(() => pool.takeEntries(chunk.roots));
    if (at < 0) return false;
    chunk.table = at;
    for (let i = 0; i < chunk.roots; ++i) this.#owners[at + i] = chunk;
    pool.writeEntries(at, new Uint32Array(chunk.roots));
    return true;
  }

  /** Forgets those of the chunks that nothing names and that are not here. @param {Chunk[]} chunks */
  #leave(chunks) {
    for (const chunk of chunks) {
      if (chunk.above.size > 0 || chunk.state === 'here' || chunk === this.#top || chunk.level !== null) continue;
      chunk.abort?.abort();
      if (chunk.table > 0) {
        this.#pool?.giveEntries(chunk.table, chunk.roots);
        for (let i = 0; i < chunk.roots; ++i) delete this.#owners[chunk.table + i];
      }
      this.#waiting = this.#waiting.filter(one => one !== chunk);
      this.#lacked.delete(chunk);
      this.#chunks.delete(chunk.name);
    }
  }

  /** Takes room, and removes chunks that this view does not use until there is some. @param {() => number} take */
  #room(take) {
    for (;;) {
      const at = take();
      if (at >= 0) return at;
      let oldest = null;
      for (const chunk of this.#chunks.values()) {
        if (chunk.state !== 'here' || this.#stays(chunk) || chunk.used >= this.#view) continue;
        if (!oldest || chunk.used < oldest.used || chunk.used === oldest.used && chunk.log2 < oldest.log2) oldest = chunk;
      }
      if (!oldest) return -1;
      this.#drop(oldest);
    }
  }

  /** @param {Chunk} chunk */
  #drop(chunk) {
    const pool = /** @type {Pool} */ (this.#pool), { below } = chunk;
    pool.giveRows(chunk.row, chunk.rows);
    pool.writeEntries(chunk.table, new Uint32Array(chunk.roots));
    ++this.dropped;
    Object.assign(chunk, { state: 'absent', below: [] });
    for (const one of below) one.above.delete(chunk);
    this.#leave([...below, chunk]);
  }
}
