import { expect, it } from '@jest/globals';
import { parseFragment } from 'parse5';
import { html } from './html.js';

it('escapes what is put into a page, so that browsers show exactly that', () => {
  const value = `<b> & "it's" &amp;`;

  const [element] = parseFragment(html`<input value="${value}">`.markup).childNodes;

  expect(element).toMatchObject({ attrs: [{ name: 'value', value }] });
});
