import type { ClientNetwork } from './client-network.js';

/** Streams that may be open at a time: of one user, of one network (of a wide one several times as many), of all. */
export const STREAMS_OF_USER_MAX = 10;
const STREAMS_OF_NETWORK_MAX = 100;
const STREAMS_MAX = 500;

/** Reader of a stream. */
export interface StreamReader {
  readonly userId: string;
  /** Networks of the reader's address, the narrowest first. */
  readonly networks: readonly ClientNetwork[];
}

/**
 * Returns which open streams have to end before the reader may have one: none as long as there are places, undefined
 * where the reader gets no place. When all places are taken, the network that holds most loses its oldest stream, as
 * long as the reader's network holds fewer, so that nobody can keep all the others out.
 */
export function placeFor<Stream>(
  open: ReadonlyMap<Stream, StreamReader>,
  { userId, networks }: StreamReader,
): readonly Stream[] | undefined {
  const readers = [...open.values()];
  const ofUser = readers.filter((reader) => reader.userId === userId).length;
  if (ofUser >= STREAMS_OF_USER_MAX) return undefined;
  const countOf = (name: string) => readers.filter((reader) => isIn(reader, name)).length;
  if (networks.some(({ name, times }) => countOf(name) >= STREAMS_OF_NETWORK_MAX * times))
    return undefined;
  if (open.size < STREAMS_MAX) return [];

  const counts = new Map(readers.map(({ networks: [narrowest] }) => [narrowest?.name ?? '', 0]));
  for (const name of counts.keys()) counts.set(name, countOf(name));
  const [most = '', held = 0] = [...counts].sort(([, a], [, b]) => b - a)[0] ?? [];
  if (held <= countOf(networks[0]?.name ?? '') + 1) return undefined;
  return [...open]
    .filter(([, reader]) => isIn(reader, most))
    .map(([stream]) => stream)
    .slice(0, 1);
}

const isIn = ({ networks }: StreamReader, name: string): boolean =>
  networks.some((network) => network.name === name);
