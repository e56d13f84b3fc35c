import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import go from 'highlight.js/lib/languages/go';
import http from 'highlight.js/lib/languages/http';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import php from 'highlight.js/lib/languages/php';
import python from 'highlight.js/lib/languages/python';
import ruby from 'highlight.js/lib/languages/ruby';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import yaml from 'highlight.js/lib/languages/yaml';
import { Marked, type RendererObject, type Tokens } from 'marked';

const LANGUAGES = { bash, go, http, javascript, json, php, python, ruby, sql, typescript, yaml };
for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);

export interface Heading {
  readonly level: number;
  readonly id: string;
  /** HTML of its words. */
  readonly html: string;
}

export interface Rendered {
  /** The first heading, without markup. */
  readonly title: string;
  readonly html: string;
  /** Headings in their order, without the first one. */
  readonly headings: readonly Heading[];
}

/** Renders a page to HTML that needs no inline style and no script. */
export function render(markdown: string): Rendered {
  const headings: Heading[] = [];
  const marked = new Marked({ renderer: { ...renderer(headings), code, table } });
  const html = marked.parse(markdown, { async: false });
  const [first, ...rest] = headings;
  return { title: first?.html.replaceAll(/<[^>]+>/g, '') ?? '', html, headings: rest };
}

/** Lets a browser break long names where a reader would: behind a slash, a dot or an underscore. */
export const breakable = (html: string): string =>
  html.replaceAll(/(?<=^|>)[^<]+/g, (text) =>
    text.replaceAll(/(?<=[\w}])([/._])(?=[\w{])/g, '$1<wbr>'),
  );

/** Text of the HTML that these pages consist of. */
export const plain = (html: string): string =>
  html
    .replaceAll(/<wbr>|<\/?(?:a|code|em|span|strong)\b[^>]*>/g, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/&(lt|gt|quot|#39|#x27|amp);/g, (_, name: string) => CHARACTERS[name] ?? '')
    .replaceAll(/\s+/g, ' ')
    .trim();

const CHARACTERS: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  '#x27': "'", // as highlight.js writes it
  amp: '&',
};

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

const renderer = (headings: Heading[]): RendererObject => ({
  heading({ tokens, depth, text }) {
    const html = this.parser.parseInline(tokens);
    const id = freeId(anchorOf(text), headings);
    headings.push({ level: depth, id, html });
    if (depth === 1) return `<h1>${html}</h1>\n`;
    return `<h${depth} id="${id}"><a href="#${id}">${html}</a></h${depth}>\n`;
  },
});

/**
 * Makes anchors as GitHub does, so that links work in both. The anchor of a heading that is one name in code is that
 * name.
 */
export function anchorOf(text: string): string {
  const [, name] = /^`([\w.-]+)`$/.exec(text) ?? [];
  const words = text.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '');
  return name ?? words.replaceAll(/\s/g, '-');
}

function freeId(id: string, headings: readonly Heading[]): string {
  const isTaken = (id: string) => headings.some((heading) => heading.id === id);
  if (!isTaken(id)) return id;
  let turn = 1;
  while (isTaken(`${id}-${turn}`)) turn++;
  return `${id}-${turn}`;
}

/** Address of the gateway in examples. A page shows its own origin there. */
const GATEWAY = 'http://localhost:8080';

/** An example of the shell that gives lines to a program. */
const HERE_DOCUMENT = /^([^]*<<'EOF'(?: &)?\n)([^]*?)(\nEOF(?:\n[^]*)?)$/;

/** Renders code. Blocks that scroll sideways can take the focus, so that the keyboard can scroll them. */
function code({ text, lang = '' }: Tokens.Code): string {
  const known = hljs.getLanguage(lang) === undefined ? undefined : lang;
  const html = known ? highlighted(text, known) : escaped(text);
  return `<pre tabindex="0"><code${known ? ` class="language-${known}"` : ''}>${html.replaceAll(GATEWAY, `<span class="origin">${GATEWAY}</span>`)}\n</code></pre>\n`;
}

/** Highlights code. In an example of the shell a here document is JavaScript. */
function highlighted(text: string, language: string): string {
  const [, before = '', inner, after = ''] = HERE_DOCUMENT.exec(text) ?? [];
  if (inner === undefined) return hljs.highlight(text, { language }).value;
  const parts = [before, inner, after].map((part, place) =>
    hljs.highlight(part, { language: place === 1 ? 'javascript' : language }),
  );
  return parts.map(({ value }) => value).join('');
}

function table(
  this: { parser: { parseInline(tokens: Tokens.TableCell['tokens']): string } },
  token: Tokens.Table,
) {
  const cell = (tag: string) => (cell: Tokens.TableCell) =>
    `<${tag}>${breakable(this.parser.parseInline(cell.tokens))}</${tag}>`;
  const row = (cells: readonly Tokens.TableCell[]) => `<tr>${cells.map(cell('td')).join('')}</tr>`;
  // A heading without words says nothing, and is not announced.
  const headings = token.header.map((each) => cell(each.text === '' ? 'td' : 'th')(each)).join('');
  const head = token.header.some(({ text }) => text !== '')
    ? `<thead><tr>${headings}</tr></thead>`
    : '';
  const body = `<tbody>${token.rows.map(row).join('\n')}</tbody>`;
  return `<div class="table" role="group" aria-label="Table" tabindex="0"><table>${head}${body}</table></div>\n`;
}
