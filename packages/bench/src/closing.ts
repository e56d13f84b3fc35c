/** Names what has to be closed once the work is done. */
export type Open = (close: () => unknown) => void;

/** Runs work, and closes what it opened, the last one first, also when it fails. */
export async function withClosing<T>(work: (open: Open) => Promise<T>): Promise<T> {
  const opened: (() => unknown)[] = [];
  try {
    return await work((close) => void opened.push(close));
  } finally {
    for (const close of opened.toReversed()) await close();
  }
}
