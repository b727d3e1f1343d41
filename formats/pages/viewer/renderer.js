// The graphics: a context of WebGL 2 with the scene in it, which casts parts of pictures and shows them. Whoever calls
// keeps the words, so that a context that was lost can be made again.
import { castSource, cornersSource, precisionSource, showSource } from './cast.glsl.js';
import { makeCamera, distances } from './camera.js';
import { Fault } from './scene.js';
import { filledBox, kSharing } from './settings.js';
import { countUses } from './sharing.js';
import { traceSource } from './trace.glsl.js';
import { add, normalized, scaled } from './vectors.js';
import { wordsSource } from './words.glsl.js';

/** @typedef {import('./vectors.js').Vec} Vec */
/** @typedef {import('./camera.js').Size} Size */
/** @typedef {import('./scene.js').Facts} Facts */
/** @typedef {import('./settings.js').Settings} Settings */
/** @typedef {{program: WebGLProgram, at: (name: string) => WebGLUniformLocation | null}} Program */
/** @typedef {{texture: WebGLTexture, frame: WebGLFramebuffer}} Sheet sums of pixels */
/** @typedef {{size: Size, sample: number, first: number, rows: number, rest: boolean}} Part rows of a sample */
/** @typedef {{voxel: Vec, point: Vec, distance: number, material: number, log2: number}} Pick */

const kMostPageShift = 12;  // wider textures of whole numbers misbehave in some drivers

/** @param {number} code of sRGB, 0 to 255 */
function linear(code) {
  const value = code / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}
/** @param {{r: number, g: number, b: number}[]} colors */
const linearColors = colors => new Float32Array(colors.flatMap(({ r, g, b }) => [linear(r), linear(g), linear(b)]));

/**
 * Of what is measured, what the ends of the ramp stand for.
 * @param {Renderer} renderer @param {Settings} settings @param {number} spread
 */
export function rampEnds(renderer, settings, spread) {
  const { facts } = renderer, { near, far } = distances(filledBox(facts), settings.pose.eye);
  if (settings.mode === kSharing) return { low: 0, high: renderer.sharing().powers * 4 };
  if (settings.mode === 2) return { low: near, high: far };
  let log2 = 2;
  while (log2 < facts.log2_side && 2 ** (log2 + 1) <= Math.max(spread * far, 2 ** settings.coarsest)) ++log2;
  return { low: 0, high: log2 };
}

export class Renderer {
  /** @type {import('./sharing.js').Sharing | null} */
  #sharing = null;

  /** @param {HTMLCanvasElement} canvas @param {Facts} facts @param {Uint32Array<ArrayBuffer>} words */
  constructor(canvas, facts, words) {
    this.facts = facts;
    this.words = words;
    const gl = canvas.getContext('webgl2', { antialias: false, depth: false, alpha: false,
      powerPreference: 'high-performance' });
    if (!gl) throw new Fault('This browser has no WebGL 2.', 'Another one, or another of its settings, may have it.');
    this.gl = gl;
    this.pageShift = Math.min(kMostPageShift, Math.floor(Math.log2(gl.getParameter(gl.MAX_TEXTURE_SIZE))));
    this.made = this.#make();
  }

  /** Makes everything again, after the context was lost. */
  restore() {
    this.made = this.#make();
  }

  /** Makes all that lives in the context. */
  #make() {
    const { gl } = this, cast = this.#program(precisionSource + wordsSource + traceSource + castSource);
    const show = this.#program(precisionSource + showSource);
    gl.bindVertexArray(gl.createVertexArray());
    gl.disable(gl.DITHER);
    this.#upload();
    this.#setScene(cast);
    this.#pages(2, gl.R8UI, 1, 1);  // a texture for the uses, as long as nobody asks for them
    return {
      has_uses: false,
      cast, show, picked: this.#sheet({ width: 2, height: 1 }), sheets: /** @type {Sheet[]} */ ([]),
      sheetSize: { width: 0, height: 0 },
    };
  }

  /** @param {string} source @returns {Program} */
  #program(source) {
    const { gl } = this, program = gl.createProgram();
    const parts = [[gl.VERTEX_SHADER, cornersSource], [gl.FRAGMENT_SHADER, source]].map(([kind, text]) => {
      const shader = /** @type {WebGLShader} */ (gl.createShader(Number(kind)));
      gl.shaderSource(shader, String(text));
      gl.compileShader(shader);
      gl.attachShader(program, shader);
      return shader;
    });
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost())
      throw new Fault('This browser cannot compile the page\'s program.',
        parts.map(part => gl.getShaderInfoLog(part)).join(' ').trim() || String(gl.getProgramInfoLog(program)));
    /** @type {Map<string, WebGLUniformLocation | null>} */
    const places = new Map();
    return {
      program,
      at: name => {
        if (!places.has(name)) places.set(name, gl.getUniformLocation(program, name));
        return places.get(name) ?? null;
      },
    };
  }

  /** How often leaves are used; counted where somebody asks for it. */
  sharing() {
    return this.#sharing ??= countUses(this.facts, this.words);
  }

  /** Makes a texture of pages for so many items, at a unit. @param {number} unit @param {number} format
   * @param {number} count @param {number} row */
  #pages(unit, format, count, row) {
    const { gl } = this, rows = Math.max(Math.ceil(count / row), 1), layers = Math.ceil(rows / row);
    if (layers > gl.getParameter(gl.MAX_ARRAY_TEXTURE_LAYERS))
      throw new Fault('The scene is larger than this browser\'s graphics can hold.', 'Make a page of fewer voxels.');
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(gl.TEXTURE_2D_ARRAY, gl.createTexture());
    gl.texStorage3D(gl.TEXTURE_2D_ARRAY, 1, format, row, layers > 1 ? row : rows, layers);
    gl.texParameteri(gl.TEXTURE_2D_ARRAY, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D_ARRAY, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
  }

  /** Puts items into the layers of a texture. @param {number} unit @param {number} format
   * @param {Uint32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>} items */
  #fill(unit, format, items) {
    const { gl } = this, row = 2 ** this.pageShift, page = row * row;
    const type = items instanceof Uint8Array ? gl.UNSIGNED_BYTE : gl.UNSIGNED_INT;
    this.#pages(unit, format, items.length, row);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    /** @param {number} at @param {number} width @param {number} height */
    const put = (at, width, height) => gl.texSubImage3D(gl.TEXTURE_2D_ARRAY, 0, 0, Math.floor(at % page / row),
      Math.floor(at / page), width, height, 1, gl.RED_INTEGER, type, items.subarray(at, at + width * height));
    for (let at = 0; at < items.length;) {
      const left = items.length - at, whole = Math.min(Math.floor(left / row), row - Math.floor(at % page / row));
      const [width, height] = whole > 0 ? [row, whole] : [left, 1];
      put(at, width, height);
      at += width * height;
    }
    if (gl.getError() === gl.OUT_OF_MEMORY)
      throw new Fault('The scene does not fit into this computer\'s graphics memory.', 'Make a page of fewer voxels.');
  }

  /** Puts the words into a texture. */
  #upload() {
    this.#fill(0, this.gl.R32UI, this.words);
  }

  /** @param {Size} size @returns {Sheet} */
  #sheet(size) {
    const { gl } = this, texture = gl.createTexture(), frame = gl.createFramebuffer();
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA32UI, size.width, size.height);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
    return { texture, frame };
  }

  /** Tells the program what does not change. @param {Program} cast */
  #setScene(cast) {
    const { gl, facts } = this, { program, at } = cast;
    gl.useProgram(program);
    const begin = new Uint32Array(21);
    for (const level of facts.levels) begin[level.log2] = level.begin;
    gl.uniform1i(at('words'), 0);
    gl.uniform1i(at('before'), 1);
    gl.uniform1i(at('uses'), 2);
    gl.uniform1uiv(at('level_begin'), begin);
    gl.uniform1ui(at('page_shift'), this.pageShift);
    gl.uniform1i(at('has_materials'), facts.has_materials ? 1 : 0);
    gl.uniform1ui(at('log2_side'), facts.log2_side);
    gl.uniform3fv(at('colors'), linearColors(facts.palette));
    gl.uniform3fv(at('ramp'), linearColors(facts.ramp));
    gl.uniform3fv(at('sky'), linearColors([facts.sky]));
  }

  /** Tells the program what is shown, of a picture of so many pixels. @param {Settings} settings @param {Size} size */
  #setView(settings, size) {
    const { gl } = this, { program, at } = this.made.cast, camera = makeCamera(settings.pose, size);
    const whole = camera.eye.map(Math.floor), ends = rampEnds(this, settings, camera.spread);
    const looks_into_all = settings.mode === kSharing;  // leaves are looked up, of which coarser cells have many
    if (looks_into_all && !this.made.has_uses) {
      this.#fill(2, gl.R8UI, this.sharing().codes);
      this.made.has_uses = true;
    }
    gl.useProgram(program);
    gl.uniform1ui(at('mode'), settings.mode);
    gl.uniform3iv(at('eye'), whole);
    gl.uniform3fv(at('eye_rest'), camera.eye.map((part, i) => part - whole[i]));
    gl.uniform3fv(at('corner'), camera.corner);
    gl.uniform3fv(at('right'), camera.right);
    gl.uniform3fv(at('down'), camera.down);
    gl.uniform1f(at('spread'), settings.detail && !looks_into_all ? camera.spread : 0);
    gl.uniform1f(at('height'), size.height);
    gl.uniform3iv(at('clip_low'), settings.clip.low);
    gl.uniform3iv(at('clip_high'), settings.clip.high);
    gl.uniform1ui(at('hidden'), settings.hidden);
    gl.uniform1ui(at('coarsest'), looks_into_all ? 0 : settings.coarsest);
    gl.uniform1f(at('ramp_low'), ends.low);
    gl.uniform1f(at('ramp_high'), ends.high);
    gl.uniform3fv(at('to_sun'), normalized(settings.sun));
    gl.uniform1i(at('shadows'), settings.shadows ? 1 : 0);
  }

  /** Gets ready for a window of so many pixels. @param {Size} size */
  resize(size) {
    if (this.made.sheetSize.width === size.width && this.made.sheetSize.height === size.height) return;
    for (const { texture, frame } of this.made.sheets) {
      this.gl.deleteTexture(texture);
      this.gl.deleteFramebuffer(frame);
    }
    this.made.sheets = [this.#sheet(size), this.#sheet(size)];
    this.made.sheetSize = { ...size };
  }

  /** Casts the rays of rows of a sample; odd samples are added up in one sheet, even ones in the other.
   * @param {Settings} settings @param {Part} part */
  castPart(settings, { size, sample, first, rows, rest }) {
    const { gl } = this, { at } = this.made.cast;
    this.#setView(settings, size);
    const occluded = rest && sample > 0 && settings.occlusion;
    gl.uniform1f(at('open_reach'), occluded ? 2 ** this.facts.log2_side / 16 : 0);
    gl.uniform1i(at('picks'), 0);
    gl.uniform1ui(at('samples'), sample);
    gl.uniform2f(at('place'), (0.5 + sample * 0.7548776662466927) % 1, (0.5 + sample * 0.5698402909980532) % 1);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, this.made.sheets[(sample + 1) % 2].texture);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.made.sheets[sample % 2].frame);
    gl.viewport(0, 0, size.width, size.height);
    gl.enable(gl.SCISSOR_TEST);
    gl.scissor(0, first, size.width, rows);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.disable(gl.SCISSOR_TEST);
  }

  /** Shows a sample, and those before it, in the window. @param {Size} size @param {number} sample */
  present(size, sample) {
    const { gl } = this, { sheetSize } = this.made, { program, at } = this.made.show;
    gl.useProgram(program);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, this.made.sheets[sample % 2].texture);
    gl.uniform1i(at('sums'), 1);
    gl.uniform2f(at('size'), sheetSize.width, sheetSize.height);
    gl.uniform2f(at('pixels'), size.width, size.height);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, sheetSize.width, sheetSize.height);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }

  /**
   * What is at a place of a picture, in pixels from its upper left corner: null for the sky.
   * @param {Settings} settings @param {Size} size @param {number} x @param {number} y @returns {Pick | null}
   */
  pick(settings, size, x, y) {
    const { gl } = this, { at } = this.made.cast, told = new Uint32Array(8);
    this.#setView(settings, size);
    gl.uniform1i(at('picks'), 1);
    gl.uniform2f(at('place'), x, y);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, null);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.made.picked.frame);
    gl.viewport(0, 0, 2, 1);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.readPixels(0, 0, 2, 1, gl.RGBA_INTEGER, gl.UNSIGNED_INT, told);
    if (told[3] === 0 || gl.isContextLost()) return null;
    const camera = makeCamera(settings.pose, size), distance = new Float32Array(told.buffer)[4];
    const towards = add(camera.corner, add(scaled(camera.right, x), scaled(camera.down, y)));
    return {
      voxel: [told[0], told[1], told[2]], point: add(camera.eye, scaled(normalized(towards), distance)), distance,
      material: told[5], log2: told[7],
    };
  }
}
