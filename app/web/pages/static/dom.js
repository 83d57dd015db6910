// Elements of the page. Templates know their kinds, so they are of any type here.

/** @type {(id: string) => any} */
export const element = (id) => document.getElementById(id);

/** @type {(selector: string, inside?: ParentNode) => any[]} */
export const findAll = (selector, inside = document) => [...inside.querySelectorAll(selector)];
