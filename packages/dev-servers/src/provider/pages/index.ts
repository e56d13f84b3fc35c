export { type Html, html } from './html.js';
export { STYLE } from './style.js';
