import { describe, expect, it } from '@jest/globals';
import { html } from '../pages/html.js';
import { formsIn, has, headingOf } from './forms.js';

describe('the form reader', () => {
  it('reads what a form holds, whatever quotes its attributes have', () => {
    const [form] = formsIn(
      `<form method=post action="/a?x=1&amp;y=2"><input type='checkbox' name=scope value="a.b" checked>
       <button name="action" value="allow">Allow</button></form>`,
    );

    expect(form).toEqual({
      action: '/a?x=1&y=2',
      fields: [
        { type: 'checkbox', name: 'scope', value: 'a.b', checked: true },
        { type: 'submit', name: 'action', value: 'allow', checked: false },
      ],
    });
  });

  it('keeps the forms of a page apart', () => {
    const page = '<form><input type=hidden name=id value=1></form><form><input name=q></form>';

    const [first, second] = formsIn(page);

    expect(first && has(first, 'hidden', 'id', '1')).toBe(true);
    expect(second && has(second, 'hidden')).toBe(false);
    expect(second && has(second, 'text', 'q')).toBe(true);
  });

  it('gets back exactly what the pages have escaped', () => {
    const value = `<b> & "it's" &amp;`;

    const [form] = formsIn(html`<form><input name="a" value="${value}"></form>`.markup);

    expect(form?.fields[0]?.value).toBe(value);
  });

  it('finds the heading and the error of a page', () => {
    const page = html`<h1>Sign <em>in</em></h1><p class="error" role="alert">Don't.</p>`.markup;

    expect(headingOf(page)).toBe("Sign in: Don't.");
  });
});
