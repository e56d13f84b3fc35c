import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type CatalogueEntry, EVENT_CATALOGUE } from '@junction/contracts';
import type { Page } from './page.js';
import { PAGES } from './pages.js';
import { ROOT } from './root.js';
import type { Linked } from './runbooks.js';

const LINK = /\[([^\]]*)\]\(([^)\s]+)\)/g;
/** A fence with all it holds, or a span of code: no link of the page lies in there. */
const CODE = /^([ \t]*)```[^]*?^\1```|`[^`\n]*`/gm;

/**
 * The Markdown of a page as its readers get it: without comments, and with links that lead to other pages of
 * this site. What is no page here, a file of the repository, keeps its name and loses its link.
 */
export function markdownOf(
  { source, shown }: Page,
  kinds: readonly CatalogueEntry[] = EVENT_CATALOGUE,
): string {
  const own = typeof source === 'string' ? fileText(source) : `${source(withLinks, kinds)}\n`;
  return [own, ...shown.map(fileAsMarkdown)].join('\n');
}

/** Lines before a page, for programs: `synonyms`, words that readers may look for it by. */
const FRONT_MATTER = /^---\nsynonyms: (.*)\n---\n+/;

/** The words besides its own by which a page is found. */
export function synonymsOf({ source }: Page): string {
  if (typeof source !== 'string') return '';
  const [, words = ''] = FRONT_MATTER.exec(readFileSync(path.join(ROOT, source), 'utf8')) ?? [];
  return words;
}

function fileText(source: string): string {
  const text = readFileSync(path.join(ROOT, source), 'utf8').replace(FRONT_MATTER, '');
  return withLinks(text.replaceAll(/^<!--[^]*?-->\n+/gm, ''), source);
}

/** The text of a file with links to other files of the repository made links to pages of this site. */
const withLinks: Linked = (text, source) =>
  outsideCode(text, (prose) =>
    prose.replaceAll(LINK, (_, words: string, target: string) => linkTo(words, target, source)),
  );

function fileAsMarkdown(file: string): string {
  const text = readFileSync(path.join(ROOT, file), 'utf8').trimEnd();
  const { base, ext } = path.posix.parse(file);
  return `## \`${base}\`\n\n\`\`\`${ext.slice(1)}\n${text}\n\`\`\`\n`;
}

/** Changes what stands around code. A link whose text is code is put together again. */
function outsideCode(text: string, change: (prose: string) => string): string {
  const code: string[] = [];
  const marked = text.replaceAll(CODE, (found) => `\u0000${code.push(found) - 1}\u0000`);
  // oxlint-disable-next-line no-control-regex -- no page holds a NUL, so it marks where code stood
  return change(marked).replaceAll(/\u0000(\d+)\u0000/g, (_, index: string) => code[+index] ?? '');
}

function linkTo(words: string, target: string, source: string): string {
  if (/^(https?:|mailto:|#|\/)/.test(target)) return `[${words}](${target})`;
  const [file = '', anchor] = target.split('#');
  const place = path.posix.join(path.posix.dirname(source), file);
  const shownOn = PAGES.find(({ shown }) => shown.includes(place));
  if (shownOn !== undefined) return `[${words}](${shownOn.path}#${path.posix.basename(file)})`;
  const page = PAGES.find(({ source }) => source === place);
  if (page === undefined) return words;
  // A file's name says nothing here.
  const name = words.endsWith('.md') ? page.label : words;
  return `[${name}](${page.path}${anchor === undefined ? '' : `#${anchor}`})`;
}
