// The scene in a page: its facts, and the words of its DAG.

/** @typedef {import('./vectors.js').Vec} Vec */
/** @typedef {{name: string, r: number, g: number, b: number, share: number}} Material */
/**
 * The facts that formats/pages/scene_page.cpp writes.
 * @typedef {{
 *   title: string, shown: string, command: string, digest: string, start: string, resolution: number, log2_side: number,
 *   words: number, has_materials: boolean, voxel_size: number, voxels: number,
 *   levels: {log2: number, begin: number}[], pieces: {words: number}[],
 *   low: {x: number, y: number, z: number}, high: {x: number, y: number, z: number},
 *   origin: {x: number, y: number, z: number}, sky: {r: number, g: number, b: number},
 *   skies: {r: number, g: number, b: number}[],
 *   palette: Material[], ramp: {r: number, g: number, b: number}[],
 * }} Facts
 */

/** An error of the page or of the browser, with a message for the reader. */
export class Fault extends Error {
  /** @param {string} text @param {string} hint */
  constructor(text, hint) {
    super(text);
    this.hint = hint;
  }
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
async function inflated(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/**
 * Returns the words, which the page holds in pieces as base64. The pieces are removed from the page to save memory.
 * @param {Facts} facts @param {(share: number) => void} progress @returns {Promise<Uint32Array<ArrayBuffer>>}
 */
export async function readWords(facts, progress) {
  if (typeof DecompressionStream === 'undefined')
    throw new Fault('This browser is too old for the page.', 'It needs DecompressionStream and WebGL 2.');
  const words = new Uint32Array(facts.words), bytes = new Uint8Array(words.buffer);
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
  return words;
}
