// Elements of the page. Templates know their kinds, so they are of any type here.

/** @type {(id: string) => any} */
export const element = (id) => document.getElementById(id);

/** @type {(selector: string, inside?: ParentNode) => any[]} */
export const findAll = (selector, inside = document) => [...inside.querySelectorAll(selector)];

/** @type {(tag: string, properties?: object, ...content: (string|Node)[]) => any} */
export const create = (tag, properties = {}, ...content) => {
  const created = Object.assign(document.createElement(tag), properties);
  created.append(...content);
  return created;
};
