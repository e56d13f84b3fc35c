import { breakable, escaped, type Heading, type Rendered } from './markdown.js';
import type { Page } from './page.js';
import { PAGES, SECTIONS } from './pages.js';

/** Addresses of what every page loads. */
export interface Assets {
  readonly style: string;
  readonly script: string;
  /** The script of the search, and the texts that it looks through: loaded when somebody searches. */
  readonly search: string;
  readonly texts: string;
}

/** Parts of a page that its HTML head contains. */
export type Described = Pick<Page, 'path' | 'label' | 'summary'>;

/** A whole page around what was rendered. */
export const pageHtml = (page: Page, rendered: Rendered, assets: Assets): string =>
  `<!doctype html>
<html lang="en">
<head>
${head({ ...page, label: rendered.title }, assets)}
</head>
<body>
${banner()}
<div class="columns">
${navigation(page)}
<main id="main" tabindex="-1">
<article>
${rendered.html}</article>
${neighbours(page)}
</main>
${contents(rendered.headings)}
</div>
</body>
</html>
`;

export const head = ({ path, label, summary }: Described, assets: Assets): string =>
  `<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escaped(summary)}">
<title>${escaped(path === '/docs' ? 'Junction documentation' : `${label} · Junction`)}</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="alternate" type="text/markdown" href="${path}.md">
<link rel="stylesheet" href="${assets.style}">
<script src="${assets.script}" data-search="${assets.search}" data-texts="${assets.texts}"></script>`;

/** The bar at the top. Below the width of two columns its button opens the navigation, without a script. */
export const banner = (): string =>
  `<a class="skip" href="#main">Skip to content</a>
<header class="banner">
<div class="bar">
<a class="logo" href="/docs"><img src="/favicon.svg" alt="" width="26" height="26"><span>Junction</span> <span class="quiet">Docs</span></a>
<button class="bar-button search-button" type="button" aria-keyshortcuts="/">Search</button>
<a class="bar-link" href="/">Dashboard</a>
<button class="bar-button menu-button" type="button" popovertarget="navigation">Menu</button>
</div>
</header>`;

const UNFOLDED = ['Start', 'Guides'];

export const navigation = (current: Page): string =>
  `<nav id="navigation" class="navigation" popover aria-label="Documentation">
${SECTIONS.map(({ title, pages }) => {
  const entries = pages.filter((page) => isListed(page, current));
  const list = entries.map((page) => entry(page, page === current)).join('\n');
  // Guides and the section of this page are unfolded.
  const isOpen = UNFOLDED.includes(title) || pages.includes(current);
  return `<details${isOpen ? ' open' : ''}><summary class="section">${title}</summary>\n<ul>\n${list}\n</ul></details>`;
}).join('\n')}
</nav>`;

/** Pages in parts are listed where a reader is at one of them or at their overview, so that the list ends. */
const isListed = ({ path }: Page, current: Page): boolean =>
  overviewOf(path) === undefined ||
  [current.path, overviewOf(current.path)].includes(overviewOf(path));

const overviewOf = (path: string): string | undefined =>
  /^(.+\/(?:errors|receivers))\//.exec(path)?.[1];

const entry = ({ path, label }: Page, isCurrent: boolean): string =>
  `<li${overviewOf(path) ? ' class="part"' : ''}><a href="${path}"${isCurrent ? ' aria-current="page"' : ''}>${label}</a></li>`;

function contents(headings: readonly Heading[]): string {
  const shown = headings.filter(({ level }) => level <= 3);
  if (shown.length < 2) return '';
  const items = shown.map(
    ({ level, id, html }) =>
      `<li class="level-${level}"><a href="#${id}">${breakable(html.replaceAll(/<\/?a[^>]*>/g, ''))}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page">
<p class="section">On this page</p>
<ul>
${items.join('\n')}
</ul>
</nav>`;
}

function neighbours(page: Page): string {
  const place = PAGES.indexOf(page);
  const link = (to: Page | undefined, rel: 'prev' | 'next', words: string) =>
    to === undefined
      ? ''
      : `<a rel="${rel}" href="${to.path}"><span class="quiet">${words}</span> ${to.label}</a>`;
  return `<footer class="foot">
<nav class="neighbours" aria-label="Neighbouring pages">
${link(PAGES[place - 1], 'prev', 'Before')}
${link(PAGES[place + 1], 'next', 'Next')}
</nav>
<p class="quiet">This page as <a href="${page.path}.md">Markdown</a> · all of them in <a href="/llms.txt">llms.txt</a></p>
</footer>`;
}
