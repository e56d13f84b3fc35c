import { plain, render } from './markdown.js';
import type { Page } from './page.js';

/** A part of a page between two headings: address, label of its page, heading, and text. */
export type SearchText = readonly [address: string, page: string, title: string, text: string];

/** The texts that the search of the pages looks through, in the order of the pages; each page with its Markdown. */
export const searchTexts = (pages: readonly (readonly [Page, string])[]): readonly SearchText[] =>
  pages.flatMap(([{ path, label }, markdown]) =>
    render(markdown)
      .html.split(/(?=<h[1-6][> ])/)
      .map((part): SearchText => {
        const [heading = ''] = /^<h\d.*/.exec(part) ?? [];
        const [, id] = / id="([^"]+)"/.exec(heading) ?? [];
        const address = id === undefined ? path : `${path}#${id}`;
        return [address, label, plain(heading), plain(part.slice(heading.length))];
      }),
  );
