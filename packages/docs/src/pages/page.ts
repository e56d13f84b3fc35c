import type { CatalogueEntry } from '@junction/contracts';
import type { Linked } from './runbooks.js';

/** A page of the site. Its Markdown is a file of the repository, or is made from code. */
export interface Page {
  /** Path of the page, without an ending. */
  readonly path: string;
  /** Label of the page in the navigation. */
  readonly label: string;
  /** Summary of the page in a sentence. */
  readonly summary: string;
  readonly source: string | ((linked: Linked, kinds: readonly CatalogueEntry[]) => string);
  /** Files of the repository that the page shows in full at its end, each under its own name. */
  readonly shown: readonly string[];
}

export interface Section {
  readonly title: string;
  readonly pages: readonly Page[];
}

export const page = (
  path: string,
  label: string,
  summary: string,
  source: Page['source'],
  shown: readonly string[] = [],
): Page => ({ path, label, summary, source, shown });
