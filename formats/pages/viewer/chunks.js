// The words of chunks (docs/formats.md, "Pages that load as you fly"), and the memory of the GPU in which they lie.
import { ones } from './scene.js';

/** @typedef {{log2: number, roots: number, materials: boolean, refers: boolean, sections: {nodes: number, words: number}[],
 *   chunks: {name: string, roots: number}[], body: number}} ChunkHead body is the place of its first node */
/** @typedef {{light: Float32Array, codes: Uint8Array}} Colors the materials' linear light, and the codes of light */

const kMagic = 0x4b435856, kColorMagic = 0x4c435856, kVersion = 1;
const kHeadWords = 8, kNameWords = 5, kNodeHead = 4, kReferenceWords = 6;
const kHomogeneous = 0x100, kClosed = 0x80000000;
const kLeastRows = 64;  // for chunks
const kLightSteps = 65535;

/** @param {number} word */
const digits = word => word.toString(16).padStart(8, '0');

/** Returns what a chunk consists of, or null if this is no chunk. @param {Uint32Array} words @returns {ChunkHead | null} */
export function readHead(words) {
  if (words.length < kHeadWords || words[0] !== kMagic || words[1] !== kVersion) return null;
  const [log2, levels, roots, count, refers, materials] = words.subarray(2, kHeadWords);
  const names = kHeadWords + 2 * levels, body = names + kNameWords * count;
  if (levels < 1 || roots < 1 || body > words.length) return null;
  const sections = [];
  for (let at = kHeadWords; at < names; at += 2) sections.push({ nodes: words[at], words: words[at + 1] });
  if (sections.reduce((sum, section) => sum + section.words, body) !== words.length) return null;
  const chunks = [];
  for (let at = names; at < body; at += kNameWords)
    chunks.push({ name: [...words.subarray(at, at + 4)].map(digits).join(''), roots: words[at + 4] });
  return { log2, roots, materials: (materials & 1) !== 0, refers: refers !== 0, sections, chunks, body };
}

/** Returns whether this is a chunk of colors. @param {Uint32Array} words */
export function hasColors(words) {
  return words.length >= 4 && words[0] === kColorMagic && words[1] === kVersion && words.length >= 4 + 8 * words[2];
}

/** Returns the names in an index of chunks of colors. @param {Uint32Array} words */
export function namesIn(words) {
  const names = [];
  for (let at = 4; at + 4 <= words.length; at += 4) names.push([...words.subarray(at, at + 4)].map(digits).join(''));
  return names;
}

/** Returns the number of words that a chunk has in memory. @param {ChunkHead} head */
export function settledWords(head) {
  const { nodes } = head.sections[head.sections.length - 1];
  return head.sections.reduce((sum, section) => sum + section.words, 0) + (head.refers || !head.materials ? 0 : nodes);
}

/** @param {{r: number, g: number, b: number}[]} palette @param {(code: number) => number} linear @returns {Colors} */
export function colorsOf(palette, linear) {
  const light = new Float32Array(48), codes = new Uint8Array(kLightSteps + 1);
  for (const [i, { r, g, b }] of palette.entries()) light.set([linear(r), linear(g), linear(b)], 3 * i);
  for (let code = 0, at = 0; code < 256; ++code) {
    const end = code < 255 ? Math.ceil(linear(code + 0.5) * kLightSteps) : kLightSteps + 1;
    codes.fill(code, at, end);
    at = end;
  }
  return { light, codes };
}

/** Returns the mean color of voxels whose materials begin at a word. @param {Uint32Array} words @param {number} at
 * @param {number} voxels @param {Colors} colors */
function meanColor(words, at, voxels, { light, codes }) {
  let r = 0, g = 0, b = 0;
  for (let i = 0; i < voxels; ++i) {
    const material = 3 * (words[at + (i >> 3)] >>> 4 * (i & 7) & 15);
    r += light[material];
    g += light[material + 1];
    b += light[material + 2];
  }
  const code = (/** @type {number} */ sum) => codes[Math.floor(sum / voxels * kLightSteps + 0.5)];
  return code(r) | code(g) << 8 | code(b) << 16;
}

/**
 * Writes a chunk as rays read it: pointers are places in memory, a reference has the place in the table of what it
 * refers to, and a leaf has its mean color before its materials. Returns the places of the roots.
 * @param {Uint32Array} words the chunk @param {ChunkHead} head @param {Uint32Array} to its words in memory, which
 * will lie at `base` @param {number} base @param {number[]} tables where the places of each other chunk's roots are
 * @param {Colors} colors
 */
export function settle(words, head, to, base, tables, colors) {
  const last = head.sections.length - 1;
  let from = head.body, at = 0;
  /** @type {Uint32Array<ArrayBuffer>[]} the places of each section's nodes */
  const places = [];
  // The places of a section follow from the sizes of its nodes, which are found before anything is written.
  let begin = from;
  for (const [i, section] of head.sections.entries()) {
    const isLeaf = !head.refers && i === last, here = new Uint32Array(section.nodes);
    let word = begin;
    for (let node = 0; node < section.nodes; ++node) {
      const header = words[word], first = at;
      if (isLeaf) {
        const voxels = head.materials ? ones(header) + ones(words[word + 1]) : 0;
        word += 2 + (voxels + 7 >> 3);
        at += 2 + (head.materials ? 1 : 0) + (voxels + 7 >> 3);
      } else {
        const size = header & kHomogeneous ? 1 : head.refers && i === last ? kReferenceWords :
          kNodeHead + ones(header & 0xff);
        word += size;
        at += size;
      }
      const closes = head.refers && i === last && (header & kHomogeneous) === 0;
      here[node] = (base + first | (closes ? kClosed : 0)) >>> 0;
    }
    places.push(here);
    begin += section.words;
  }
  at = 0;
  for (const [i, section] of head.sections.entries()) {
    const isLeaf = !head.refers && i === last, end = from + section.words;
    let next = 0;
    while (from < end) {
      const header = words[from];
      if (isLeaf) {
        const voxels = head.materials ? ones(header) + ones(words[from + 1]) : 0, tail = voxels + 7 >> 3;
        to[at++] = header;
        to[at++] = words[from + 1];
        if (head.materials) to[at++] = voxels > 0 ? meanColor(words, from + 2, voxels, colors) : 0;
        for (let word = 0; word < tail; ++word) to[at++] = words[from + 2 + word];
        from += 2 + tail;
      } else if (header & kHomogeneous) {
        to[at++] = words[from++];
      } else {
        for (let word = 0; word < kNodeHead; ++word) to[at++] = words[from++];
        if (head.refers && i === last) {
          to[at] = tables[words[from]] + words[from + 1];
          at += 2;
          from += 2;
          continue;
        }
        for (let children = ones(header & 0xff); children > 0; --children) {
          const back = words[from++];
          to[at++] = places[i + 1][next - back];
          if (back === 0) ++next;
        }
      }
    }
  }
  return places[0].subarray(0, head.roots);
}

/** Free pieces of a row of places, found by the first that fits. */
export class Space {
  /** @type {{at: number, size: number}[]} in order */
  #free = [];

  /** @param {number} at @param {number} size */
  constructor(at, size) {
    if (size > 0) this.#free.push({ at, size });
  }

  /** Returns where a piece of this size begins, or -1. @param {number} size */
  take(size) {
    const i = this.#free.findIndex(piece => piece.size >= size);
    if (i < 0) return -1;
    const piece = this.#free[i], { at } = piece;
    piece.at += size;
    piece.size -= size;
    if (piece.size === 0) this.#free.splice(i, 1);
    return at;
  }

  /** @param {number} at @param {number} size */
  give(at, size) {
    let i = this.#free.findIndex(piece => piece.at > at);
    if (i < 0) i = this.#free.length;
    this.#free.splice(i, 0, { at, size });
    for (const first of [i, i - 1]) {
      const piece = this.#free[first], next = this.#free[first + 1];
      if (!piece || !next || piece.at + piece.size !== next.at) continue;
      piece.size += next.size;
      this.#free.splice(first + 1, 1);
    }
  }
}

/** The texture of 32-bit words: a table of places, and chunks in whole rows behind it. */
export class Pool {
  #gl;
  #shift;
  /** @type {Space[]} rows, for each layer */
  #layers = [];
  #table;

  /**
   * Binds the texture to unit 0.
   * @param {WebGL2RenderingContext} gl @param {number} shift log2 of the words of a row
   * @param {number} words of all chunks, each in whole rows @param {number} entries of the table
   * @param {number} memory bytes that it may take
   */
  constructor(gl, shift, words, entries, memory) {
    const row = 2 ** shift, table = Math.ceil(entries / row);
    let rows = Math.min(table + Math.ceil(words / row), Math.max(Math.floor(memory / 4 / row), table + kLeastRows));
    if (rows > row) rows = Math.floor(rows / row) * row;  // all layers have the same height
    this.#gl = gl;
    this.#shift = shift;
    this.layers = Math.ceil(rows / row);
    this.bytes = rows * row * 4;
    this.#table = new Space(1, table * row - 1);
    for (let first = 0; first < rows; first += row)
      this.#layers.push(new Space(Math.max(first, table), Math.min(row, rows - first) - Math.max(table - first, 0)));
    const height = this.layers > 1 ? row : rows;
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D_ARRAY, gl.createTexture());
    for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER])
      gl.texParameteri(gl.TEXTURE_2D_ARRAY, filter, gl.NEAREST);
    gl.texStorage3D(gl.TEXTURE_2D_ARRAY, 1, gl.R32UI, row, height, this.layers);
  }

  /** Returns the number of rows that words need. @param {number} words */
  rowsFor(words) {
    return Math.ceil(words / 2 ** this.#shift);
  }
  /** @param {number} row */
  placeOf(row) {
    return row * 2 ** this.#shift;
  }

  /** Returns the first of free rows, or -1. @param {number} rows */
  takeRows(rows) {
    for (const layer of this.#layers) {
      const at = layer.take(rows);
      if (at >= 0) return at;
    }
    return -1;
  }
  /** @param {number} row @param {number} rows */
  giveRows(row, rows) {
    this.#layers[row >> this.#shift].give(row, rows);
  }

  /** @param {number} entries */
  takeEntries(entries) {
    return this.#table.take(entries);
  }
  /** @param {number} at @param {number} entries */
  giveEntries(at, entries) {
    this.#table.give(at, entries);
  }

  /** Writes whole rows. @param {number} row @param {Uint32Array<ArrayBuffer>} words */
  writeRows(row, words) {
    const wide = 2 ** this.#shift;
    this.#write(0, row & wide - 1, row >> this.#shift, wide, words.length / wide, words);
  }

  /** Writes the table. @param {number} at @param {Uint32Array<ArrayBuffer>} words */
  writeEntries(at, words) {
    const wide = 2 ** this.#shift;
    for (let from = 0; from < words.length;) {
      const x = (at + from) % wide, y = Math.floor((at + from) / wide), count = Math.min(wide - x, words.length - from);
      this.#write(x, y & wide - 1, y >> this.#shift, count, 1, words.subarray(from, from + count));
      from += count;
    }
  }

  /** @param {number} x @param {number} y @param {number} layer @param {number} width @param {number} height
   * @param {Uint32Array<ArrayBuffer>} words */
  #write(x, y, layer, width, height, words) {
    const gl = this.#gl;
    gl.activeTexture(gl.TEXTURE0);
    gl.texSubImage3D(gl.TEXTURE_2D_ARRAY, 0, x, y, layer, width, height, 1, gl.RED_INTEGER, gl.UNSIGNED_INT, words);
  }
}
