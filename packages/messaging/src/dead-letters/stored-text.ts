/**
 * Returns text as Postgres takes it: without U+0000 and lone surrogates, which text and jsonb refuse. Anybody may have
 * written a record, and one that nobody can handle must still be storable.
 */
export const storedText = (text: string): string =>
  text.replaceAll('\u0000', '\uFFFD').replaceAll(/\p{Cs}/gu, '\uFFFD');

/** Returns text for an index, whose entries end at 2.7 KB: some characters take four bytes. */
export const indexedText = (text: string, lengthMax: number): string =>
  storedText(text.slice(0, lengthMax));
