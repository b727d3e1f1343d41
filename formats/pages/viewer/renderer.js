// The GPU part: a WebGL 2 context with the scene in it, which renders parts of pictures and shows them. The words are
// kept, so that a lost context can be made again.
import { castSource, cornersSource, normalSource, precisionSource, showSource } from './cast.glsl.js';
import { add, distances, length, makeCamera, normalized, quotient, scaled, sub, towards } from './camera.js';
import { countUses, Fault, linear } from './scene.js';
import { filledBox, filledUnits, groundOf, inUnits, inVoxels, kSharing, vec } from './settings.js';
import { traceSource, wordsSource } from './trace.glsl.js';

/** @typedef {import('./camera.js').Vec} Vec */
/** @typedef {import('./camera.js').Size} Size */
/** @typedef {import('./scene.js').Facts} Facts */
/** @typedef {import('./settings.js').Settings} Settings */
/** @typedef {import('./stream.js').Stream} Stream */
/** @typedef {(kind: string, values: Record<string, unknown>) => void} Program sets uniforms of a kind, such as 3fv */
/** @typedef {{words: Uint32Array<ArrayBuffer>, stream: Stream | null}} Source all words of a scene, or its chunks */
/** @typedef {{texture: WebGLTexture, frame: WebGLFramebuffer}} Sheet sums of pixels */
/** @typedef {{size: Size, sample: number, first: number, rows: number, rest: boolean}} Part rows of a sample */
/** @typedef {{voxel: Vec, point: Vec, distance: number, material: number, log2: number}} Pick */

const kFirstOpenRays = 4;   // of ambient occlusion in the first sample, which is seen alone for a while
const kMostPageShift = 12;  // wider textures of whole numbers misbehave in some drivers

/** @param {{r: number, g: number, b: number}[]} colors */
const linearColors = colors => new Float32Array(colors.flatMap(({ r, g, b }) => [linear(r), linear(g), linear(b)]));

/**
 * Returns the measured values at the ends of the ramp.
 * @param {Renderer} renderer @param {Settings} settings @param {number} spread
 */
export function rampEnds(renderer, settings, spread) {
  const { facts } = renderer, { near, far } = distances(filledUnits(facts), settings.pose.eye);
  if (settings.mode === kSharing) return { low: 0, high: renderer.sharing().powers * 4 };
  if (settings.mode === 2) return { low: near, high: far };
  let log2 = 2;
  while (log2 < facts.log2_side && 2 ** (log2 + 1) <= Math.max(spread * far, 2 ** settings.coarsest)) ++log2;
  return { low: 0, high: log2 };
}

export class Renderer {
  /** @type {import('./scene.js').Sharing | null} */
  #sharing = null;

  /** @param {HTMLCanvasElement} canvas @param {Facts} facts @param {Source} source */
  constructor(canvas, facts, { words, stream }) {
    this.facts = facts;
    this.words = words;
    this.stream = stream;
    const gl = canvas.getContext('webgl2', { antialias: false, depth: false, alpha: false,
      powerPreference: 'high-performance' });
    if (!gl) throw new Fault('This browser has no WebGL 2.', 'Try another browser, or other settings of this one.');
    this.gl = gl;
    this.pageShift = Math.min(kMostPageShift, Math.floor(Math.log2(gl.getParameter(gl.MAX_TEXTURE_SIZE))));
    this.made = this.#make();
  }

  /** Makes everything again after the context was lost. */
  restore() {
    this.made = this.#make();
  }

  /** Makes all objects of the context. */
  #make() {
    const { gl, stream } = this, define = (/** @type {string} */ name) => `#define ${name}\n`;
    const precision = precisionSource + (stream ? define('STREAMED') : '') + (this.facts.colors ? define('COLORED') : '');
    const cast = this.#program(precision + wordsSource + traceSource + normalSource + castSource);
    const show = this.#program(precisionSource + showSource);
    gl.bindVertexArray(gl.createVertexArray());
    gl.disable(gl.DITHER);
    if (stream) stream.attach(gl, this.pageShift);
    else this.#fill(0, gl.R32UI, this.words);
    this.#setScene(cast);
    this.#fill(2, gl.R8UI, new Uint8Array(1));  // stands for the uses until they are needed
    return {
      has_uses: false,
      cast, show, picked: this.#sheet({ width: 2, height: 1 }), sheets: /** @type {Sheet[]} */ ([]),
      sheetSize: { width: 0, height: 0 }, notes: /** @type {WebGLTexture | null} */ (null),
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
    /** @type {Record<string, WebGLUniformLocation | null>} */
    const places = {};
    /** @type {any} */
    const context = gl;
    return (kind, values) => {
      gl.useProgram(program);
      for (const [name, value] of Object.entries(values))
        context['uniform' + kind](places[name] ??= gl.getUniformLocation(program, name), value);
    };
  }

  /** Binds an integer texture, if there is one, to a unit. @param {number} unit @param {number} target
   * @param {WebGLTexture | null} texture */
  #bind(unit, target, texture) {
    const { gl } = this;
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(target, texture);
    if (!texture) return;
    for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(target, filter, gl.NEAREST);
  }

  /** Selects the window or a frame, with this size, for the next drawing. @param {WebGLFramebuffer | null} frame
   * @param {Size} size */
  #aim(frame, size) {
    const { gl } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    gl.viewport(0, 0, size.width, size.height);
  }

  /** Returns how often leaves are used, counted at the first call. */
  sharing() {
    return this.#sharing ??= countUses(this.facts, this.words);
  }

  /** Makes a unit's texture from items, in layers. @param {number} unit @param {number} format
   * @param {Uint32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>} items */
  #fill(unit, format, items) {
    const { gl } = this, row = 2 ** this.pageShift, page = row * row;
    const rows = Math.max(Math.ceil(items.length / row), 1), layers = Math.ceil(rows / row);
    const fault = new Fault('The scene is too large for this GPU.', 'Make a page of fewer voxels.');
    if (layers > gl.getParameter(gl.MAX_ARRAY_TEXTURE_LAYERS)) throw fault;
    this.#bind(unit, gl.TEXTURE_2D_ARRAY, gl.createTexture());
    gl.texStorage3D(gl.TEXTURE_2D_ARRAY, 1, format, row, layers > 1 ? row : rows, layers);
    const type = items instanceof Uint8Array ? gl.UNSIGNED_BYTE : gl.UNSIGNED_INT;
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    for (let at = 0; at < items.length;) {
      const left = items.length - at, y = Math.floor(at % page / row);
      const whole = Math.min(Math.floor(left / row), row - y);
      const [width, height] = whole > 0 ? [row, whole] : [left, 1], end = at + width * height;
      gl.texSubImage3D(gl.TEXTURE_2D_ARRAY, 0, 0, y, Math.floor(at / page), width, height, 1, gl.RED_INTEGER, type,
        items.subarray(at, end));
      at = end;
    }
    if (gl.getError() === gl.OUT_OF_MEMORY) throw fault;
  }

  /** @param {Size} size @returns {Sheet} */
  #sheet(size) {
    const { gl } = this, texture = gl.createTexture(), frame = gl.createFramebuffer();
    this.#bind(1, gl.TEXTURE_2D, texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA32UI, size.width, size.height);
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
    return { texture, frame };
  }

  /** Sets the uniforms that do not change. @param {Program} cast */
  #setScene(cast) {
    const { facts } = this, level_begin = new Uint32Array(21);
    for (const level of facts.levels ?? []) level_begin[level.log2] = level.begin;
    cast('1i', { words: 0, before: 1, uses: 2, has_materials: facts.has_materials });
    cast('1uiv', { level_begin });
    cast('1ui', { page_shift: this.pageShift, log2_side: facts.log2_side });
    if (facts.colors && this.stream) {
      cast('1uiv', { color_entries: this.stream.colorEntries });
      cast('1ui', { color_levels: facts.colors.levels.length });
    } else if (facts.colors) {
      const { heads, blocks, table, value_bits } = facts.colors;
      cast('1ui', { heads, blocks, table, value_bits, numbers: facts.words });
    }
    cast('3fv', { colors: linearColors(facts.palette), ramp: linearColors(facts.ramp) });
  }

  /** Sets the uniforms of the view, for a picture of this size. @param {Settings} settings @param {Size} size */
  #setView(settings, size) {
    const { facts } = this, { cast } = this.made, { mode, clip, hidden, shadows } = settings;
    const camera = makeCamera(settings.pose, size), per_unit = quotient([1, 1, 1], vec(facts.sides));
    // The picture is taken in voxels: if they are no cubes, of a scene that is compressed along their longer sides.
    const [eye, corner, right, down] =
      [camera.eye, camera.corner, camera.right, camera.down].map(part => inVoxels(facts, part));
    const spread = camera.spread * Math.min(...per_unit), whole = eye.map(Math.floor);
    const ends = rampEnds(this, settings, spread), filled = filledBox(facts), far = 2 ** 30;
    const looks_into_all = mode === kSharing;  // this mode looks up leaves, of which a coarser cell has many
    if (looks_into_all && !this.made.has_uses) {
      this.#fill(2, this.gl.R8UI, this.sharing().codes);
      this.made.has_uses = true;
    }
    cast('1i', { shadows });
    if (this.stream) cast('1ui', { root: this.stream.root });
    cast('1ui', { mode, hidden, coarsest: looks_into_all ? 0 : settings.coarsest });
    cast('1f', { spread: settings.detail && !looks_into_all ? spread : 0, height: size.height });
    cast('2fv', { ramp_ends: [ends.low, ends.high], smoothness: [[-1, spread], [1, 0], [0, 0]][settings.normals] });
    cast('3fv', {
      eye_rest: eye.map((part, i) => part - whole[i]), corner, right, down, to_sun: normalized(settings.sun),
      sides: inUnits(facts, [1, 1, 1]), per_unit,
      sky: linearColors(mode === 0 && settings.gradient ? facts.skies : facts.skies.map(() => facts.sky)),
    });
    cast('4fv', { ground: settings.ground ? groundOf(filled, eye) : [0, 0, 0, 0] });
    cast('3iv', {
      eye: whole, clip_low: clip.low, clip_high: clip.high,
      cut_low: clip.low.map((cut, i) => cut > filled.low[i] ? cut : -far),
      cut_high: clip.high.map((cut, i) => cut < filled.high[i] ? cut - 1 : far),
    });
  }

  /** Prepares for a window of this size in pixels. @param {Size} size */
  resize(size) {
    for (const { texture, frame } of this.made.sheets) {
      this.gl.deleteTexture(texture);
      this.gl.deleteFramebuffer(frame);
    }
    this.made.sheets = [this.#sheet(size), this.#sheet(size)];
    this.made.sheetSize = { ...size };
    if (this.stream) this.#attachNotes(size);
  }

  /** Lets casting write notes for the stream beside the sums. @param {Size} size */
  #attachNotes(size) {
    const { gl, made } = this;
    gl.deleteTexture(made.notes);
    made.notes = gl.createTexture();
    this.#bind(1, gl.TEXTURE_2D, made.notes);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA32UI, size.width, size.height);
    for (const { frame } of made.sheets) {
      gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
      gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT1, gl.TEXTURE_2D, made.notes, 0);
      gl.drawBuffers([gl.COLOR_ATTACHMENT0, gl.COLOR_ATTACHMENT1]);
    }
  }

  /** Gives the stream the notes of a part that has been cast. @param {Part} part */
  readNotes({ size, sample, first, rows }) {
    const { gl } = this, notes = new Uint32Array(4 * size.width * rows);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.made.sheets[sample % 2].frame);
    gl.readBuffer(gl.COLOR_ATTACHMENT1);
    gl.readPixels(0, first, size.width, rows, gl.RGBA_INTEGER, gl.UNSIGNED_INT, notes);
    gl.readBuffer(gl.COLOR_ATTACHMENT0);
    this.stream?.note(notes);
  }

  /** Casts the rays of some rows of a sample. Odd samples are added up in one sheet, even ones in the other.
   * @param {Settings} settings @param {Part} part */
  castPart(settings, { size, sample, first, rows, rest }) {
    const { gl } = this, { cast, sheets } = this.made;
    this.#setView(settings, size);
    cast('1f', { open_reach: rest && settings.occlusion ? 2 ** this.facts.log2_side / 16 : 0 });
    cast('1i', { picks: 0, open_rays: sample === 0 ? kFirstOpenRays : 1 });
    cast('1ui', { samples: sample });
    cast('2fv', { place: [0.7548776662466927, 0.5698402909980532].map(step => (0.5 + sample * step) % 1) });
    this.#bind(1, gl.TEXTURE_2D, sheets[(sample + 1) % 2].texture);
    this.#aim(sheets[sample % 2].frame, size);
    gl.enable(gl.SCISSOR_TEST);
    gl.scissor(0, first, size.width, rows);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.disable(gl.SCISSOR_TEST);
  }

  /** Shows the mean of a sample and all before it in the window. @param {Size} size @param {number} sample
   * @param {number} exposure */
  present(size, sample, exposure) {
    const { gl } = this, { show, sheets, sheetSize } = this.made;
    this.#bind(1, gl.TEXTURE_2D, sheets[sample % 2].texture);
    show('1i', { sums: 1 });
    show('2fv', { size: [sheetSize.width, sheetSize.height], pixels: [size.width, size.height] });
    show('1f', { exposure });
    this.#aim(null, sheetSize);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }

  /**
   * Returns the hit at a place of a picture, in pixels from its upper left corner; null for the sky.
   * @param {Settings} settings @param {Size} size @param {number} x @param {number} y @returns {Pick | null}
   */
  pick(settings, size, x, y) {
    const { gl } = this, { cast, picked } = this.made, told = new Uint32Array(8);
    this.#setView(settings, size);
    cast('1i', { picks: 1 });
    cast('2fv', { place: [x, y] });
    this.#bind(1, gl.TEXTURE_2D, null);
    this.#aim(picked.frame, { width: 2, height: 1 });
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.readPixels(0, 0, 2, 1, gl.RGBA_INTEGER, gl.UNSIGNED_INT, told);
    if (told[3] === 0 || gl.isContextLost()) return null;
    const camera = makeCamera(settings.pose, size), distance = new Float32Array(told.buffer)[4];
    const to = scaled(normalized(inVoxels(this.facts, towards(camera, x, y))), distance);
    const point = add(camera.eye, inUnits(this.facts, to)), far = length(sub(point, camera.eye));
    return { voxel: [told[0], told[1], told[2]], point, distance: far, material: told[5], log2: told[7] };
  }
}
