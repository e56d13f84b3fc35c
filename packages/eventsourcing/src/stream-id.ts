/** Splits a stream's name `<aggregate>-<id>`; the id may hold further hyphens, the aggregate none. */
export function splitStreamId(streamId: string): {
  readonly aggregate: string;
  readonly id: string;
} {
  const hyphen = streamId.indexOf('-');
  if (hyphen < 1 || hyphen === streamId.length - 1) {
    throw new Error(`"${streamId}" is no stream id: it must read <aggregate>-<id>.`);
  }
  return { aggregate: streamId.slice(0, hyphen), id: streamId.slice(hyphen + 1) };
}
