// The number of uses of each leaf: how many leaves of the octree it stands for, counted as in libvox/render/sharing.h.

/** @typedef {import('./scene.js').Facts} Facts */
/** @typedef {{codes: Uint8Array<ArrayBuffer>, powers: number}} Sharing a code at each leaf's first word */

/** @param {number} bits */
function ones(bits) {
  bits -= bits >> 1 & 0x55;
  bits = (bits & 0x33) + (bits >> 2 & 0x33);
  return (bits + (bits >> 4)) & 15;
}

/** Returns four times log2(uses), linear between powers of two and rounded down. @param {number} uses */
function useCode(uses) {
  let log2 = Math.floor(Math.log2(uses));
  if (2 ** log2 > uses) --log2;
  return log2 * 4 + Math.floor(uses / 2 ** log2 * 4) % 4;
}

/** @param {Facts} facts @param {Uint32Array<ArrayBuffer>} words @returns {Sharing} */
export function countUses(facts, words) {
  const begins = facts.levels.map(level => level.begin).concat(facts.words);
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
