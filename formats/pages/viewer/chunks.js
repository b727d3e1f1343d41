// The words of chunks (docs/formats.md, "Pages that load as you fly"), and the memory of the GPU in which they lie.

/** @typedef {{log2: number, roots: number, materials: boolean, refers: boolean, sections: number[],
 *   chunks: {name: string, roots: number}[], body: number}} ChunkHead body is the place of its first node */

const kMagic = 0x4b435856, kVersion = 1, kHeadWords = 8, kNameWords = 5, kNodeHead = 4;
const kHomogeneous = 0x100, kClosed = 0x80000000;
const kLeastRows = 64;  // for chunks

/** @param {number} word */
const digits = word => word.toString(16).padStart(8, '0');

/** Returns what a chunk consists of, or null if this is no chunk. @param {Uint32Array} words @returns {ChunkHead | null} */
export function readHead(words) {
  if (words.length < kHeadWords || words[0] !== kMagic || words[1] !== kVersion) return null;
  const [log2, levels, roots, count, refers, materials] = words.subarray(2, kHeadWords);
  const names = kHeadWords + levels, body = names + kNameWords * count;
  if (levels < 1 || roots < 1 || body > words.length) return null;
  const sections = [...words.subarray(kHeadWords, names)];
  if (sections.reduce((sum, size) => sum + size, body) !== words.length) return null;
  const chunks = [];
  for (let at = names; at < body; at += kNameWords)
    chunks.push({ name: [...words.subarray(at, at + 4)].map(digits).join(''), roots: words[at + 4] });
  return { log2, roots, materials: materials !== 0, refers: refers !== 0, sections, chunks, body };
}

/** @param {number} header */
function childrenOf(header) {
  let count = 0;
  for (let bits = header & 0xff; bits !== 0; bits &= bits - 1) ++count;
  return count;
}

/**
 * Replaces the pointers of a chunk's nodes by places in memory, and the numbers of chunks by places in the table.
 * Returns the places of the roots.
 * @param {Uint32Array} words the chunk without its head, which will lie at `base` @param {ChunkHead} head
 * @param {number} base @param {number[]} tables where the places of each other chunk's roots are
 */
export function settle(words, head, base, tables) {
  const places = new Uint32Array(head.roots), ends = [];
  let end = 0;
  for (const size of head.sections) ends.push(end += size);
  const last = ends.length - 1;
  for (let section = 0, at = 0, root = 0; section <= last; ++section) {
    const closes = head.refers && section === last - 1;
    if (!head.refers && section === last) {  // leaves, which may be roots only if there is a single one
      if (section === 0) places[0] = base;
      break;
    }
    while (at < ends[section]) {
      if (section === 0) places[root++] = base + at;
      const header = words[at];
      if ((header & kHomogeneous) !== 0) {
        ++at;
      } else if (head.refers && section === last) {
        words[at + 4] = tables[words[at + 4]] + words[at + 5];
        at += 6;
      } else {
        const next = at + kNodeHead + childrenOf(header);
        for (let i = at + kNodeHead; i < next; ++i) {
          const closed = closes && (words[words[i]] & kHomogeneous) === 0;
          words[i] = (base + words[i] | (closed ? kClosed : 0)) >>> 0;
        }
        at = next;
      }
    }
  }
  return places;
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
