// The elements of the page: finding, making and listening to them.

/** @template {HTMLElement} [T=HTMLElement] @param {string} id @param {new () => T} [type] @returns {T} */
export function find(id, type) {
  const element = document.getElementById(id);
  if (!(element instanceof (type ?? HTMLElement))) throw new Error(`no ${id} in the page`);
  return /** @type {T} */ (element);
}

/** Makes an element with these properties and children.
 * @template {keyof HTMLElementTagNameMap} K @param {K} tag @param {object} properties @param {(Node | string)[]} children
 * @returns {HTMLElementTagNameMap[K]} */
export function make(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/** Makes an element respond to events. @template {keyof HTMLElementEventMap} K @param {Element} element @param {K} kind
 * @param {(event: HTMLElementEventMap[K]) => void} act */
export const on = (element, kind, act) =>
  element.addEventListener(kind, /** @type {EventListener} */ (act), { passive: false });
/** @param {string} id @param {() => void} act */
export const click = (id, act) => on(find(id), 'click', act);

/** Shows lines of text over the picture. @param {string[]} lines */
export function say(...lines) {
  const message = find('message');
  message.replaceChildren(...lines.map(line => make('p', {}, line)));
  message.hidden = lines.length === 0;
}
