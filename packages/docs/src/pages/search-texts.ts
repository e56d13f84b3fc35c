import { plain, render } from './markdown.js';
import type { Page } from './page.js';
import { synonymsOf } from './source.js';

/** A part of a page between two headings; the first one of a page has its synonyms. */
export type SearchText = readonly [
  address: string,
  page: string,
  title: string,
  text: string,
  synonyms: string,
];

/** The texts that the search of the pages looks through, in the order of the pages; each page with its Markdown. */
export const searchTexts = (pages: readonly (readonly [Page, string])[]): readonly SearchText[] =>
  pages.flatMap(([page, markdown]) =>
    render(markdown)
      .html.split(/(?=<h[1-6][> ])/)
      .map((part, place): SearchText => {
        const { path, label } = page;
        const synonyms = place === 0 ? synonymsOf(page) : '';
        const [heading = ''] = /^<h\d.*/.exec(part) ?? [];
        const [, id] = / id="([^"]+)"/.exec(heading) ?? [];
        const address = id === undefined ? path : `${path}#${id}`;
        return [address, label, plain(heading), plain(part.slice(heading.length)), synonyms];
      }),
  );
