// The scene in a page: its facts, and the words of its DAG.

/** @typedef {import('./camera.js').Vec} Vec */
/** @typedef {{name: string, r: number, g: number, b: number, share: number}} Material */
/**
 * The facts that formats/pages/scene_page.cpp writes.
 * @typedef {{
 *   title: string, shown: string, command: string, digest: string, start: string, resolution: number, log2_side: number,
 *   has_materials: boolean, voxel_size: number, unit: string, voxels: number, sides: {x: number, y: number, z: number},
 *   low: {x: number, y: number, z: number}, high: {x: number, y: number, z: number},
 *   origin: {x: number, y: number, z: number}, sky: {r: number, g: number, b: number},
 *   skies: {r: number, g: number, b: number}[],
 *   palette: Material[], ramp: {r: number, g: number, b: number}[],
 *   words: number, levels: {log2: number, begin: number}[], pieces: {words: number}[],
 *   colors?: {heads: number, blocks: number, table: number, value_bits: number,
 *     index: string, words: number, levels: {chunks: number}[]},
 *   top?: string, chunks?: number, chunk_words?: number, references?: number, page_memory?: number,
 * }} Facts pages of one file have words, levels and pieces; pages that load chunks have top and what follows it. If
 * voxels have colors of their own, these lie among the words behind the leaves, from heads to table, or in chunks
 */

/** An error of the page or of the browser, with a message for the reader. */
export class Fault extends Error {
  /** @param {string} text @param {string} hint */
  constructor(text, hint) {
    super(text);
    this.hint = hint;
  }
}

/** @param {number} code of sRGB, 0 to 255 */
export function linear(code) {
  const value = code / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

const kDamaged = 'Ask for it again, or make it anew with vox-render --html.';

/** @returns {Facts} */
export function readFacts() {
  try {
    return JSON.parse(document.getElementById('facts')?.textContent ?? '');
  } catch {
    throw new Fault('This page is damaged: the description of its scene cannot be read.', kDamaged);
  }
}

/** @param {string} text @returns {Uint8Array<ArrayBuffer>} */
function bytesOf(text) {
  const binary = atob(text), bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** @param {Uint8Array<ArrayBuffer>} bytes */
export async function inflated(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Throws if the browser lacks something that the page needs. */
export function checkBrowser() {
  if (typeof DecompressionStream === 'undefined')
    throw new Fault('This browser is too old for the page.', 'It needs DecompressionStream and WebGL 2.');
}

/** @param {number} bits */
export function ones(bits) {
  bits -= bits >>> 1 & 0x55555555;
  bits = (bits & 0x33333333) + (bits >>> 2 & 0x33333333);
  return Math.imul(bits + (bits >>> 4) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Writes a number for each word of an inner node, behind the page's words: the voxels below the node, for its header,
 * and those below the children before one, for its pointer. @param {Facts} facts @param {Uint32Array} words */
function numberVoxels({ words: numbers, levels }, words) {
  for (let level = levels.length - 2; level >= 0; --level) {
    const { begin } = levels[level], below = levels[level + 1].begin, isLeaf = level + 2 === levels.length;
    for (let node = begin; node < below;) {
      const end = node + 1 + ones(words[node] & 0xff);
      let sum = 0;
      for (let word = node + 1; word < end; ++word) {
        const child = below + words[word];
        words[numbers + word] = sum;
        sum += isLeaf ? ones(words[child]) + ones(words[child + 1]) : words[numbers + child];
      }
      words[numbers + node] = sum;
      node = end;
    }
  }
}

/**
 * Returns the words, which the page holds in pieces as base64. The pieces are removed from the page to save memory.
 * @param {Facts} facts @param {(share: number) => void} progress @returns {Promise<Uint32Array<ArrayBuffer>>}
 */
export async function readWords(facts, progress) {
  checkBrowser();
  const inner = facts.colors ? facts.levels[facts.levels.length - 1].begin : 0;
  const words = new Uint32Array(facts.words + inner), bytes = new Uint8Array(words.buffer, 0, 4 * facts.words);
  let at = 0;
  for (const [i, piece] of facts.pieces.entries()) {
    const element = document.getElementById('words-' + i);
    try {
      const part = await inflated(bytesOf(element?.textContent ?? ''));
      if (part.length !== piece.words * 4) throw new Error('length');
      bytes.set(part, at);
      at += part.length;
    } catch {
      throw new Fault(`This page is damaged: piece ${i + 1} of ${facts.pieces.length} of its scene cannot be read.`,
        kDamaged);
    }
    element?.remove();
    progress((i + 1) / facts.pieces.length);
  }
  if (at !== bytes.length) throw new Fault('This page is damaged: a part of its scene is missing.', kDamaged);
  if (facts.colors) numberVoxels(facts, words);
  return words;
}

// The number of uses of each leaf: how many leaves of the octree it stands for, counted as in libvox/render/node_colors.h.

/** @typedef {{codes: Uint8Array<ArrayBuffer>, powers: number}} Sharing a code at each leaf's first word */

/** Returns four times log2(uses), linear between powers of two and rounded down. @param {number} uses */
function useCode(uses) {
  let log2 = Math.floor(Math.log2(uses));
  if (2 ** log2 > uses) --log2;
  return log2 * 4 + Math.floor(uses / 2 ** log2 * 4) % 4;
}

/** @param {Facts} facts @param {Uint32Array<ArrayBuffer>} words @returns {Sharing} */
export function countUses(facts, words) {
  const begins = facts.levels.map(level => level.begin).concat(facts.colors?.heads ?? facts.words);
  let uses = new Float64Array(begins[1]).fill(1, 0, 1);
  for (let level = 0; level + 1 < facts.levels.length; ++level) {
    const below = new Float64Array(begins[level + 2] - begins[level + 1]), begin = begins[level];
    for (let i = 0; i < uses.length; ++i) {
      if (uses[i] === 0) continue;
      const children = ones(words[begin + i] & 0xff);
      for (let child = 1; child <= children; ++child) below[words[begin + i + child]] += uses[i];
    }
    uses = below;
  }
  const codes = new Uint8Array(uses.length);
  let most = 0;
  for (let i = 0; i < uses.length; ++i) {
    if (uses[i] === 0) continue;
    codes[i] = useCode(uses[i]);
    most = Math.max(most, codes[i]);
  }
  return { codes, powers: Math.max(Math.ceil(most / 4), 1) };
}
