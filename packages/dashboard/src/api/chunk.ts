import { beginWait } from './waits.js';

/** A script of the build that could not be loaded: the network is down, or the build was replaced by a newer one. */
export class ChunkError extends Error {
  override readonly name = 'ChunkError';
}

const WORDS =
  'Part of this page could not be loaded: Junction may have been updated, or the connection broke off.';

/** Wraps the import of a script, so that its failure can be told from others. */
export const chunk =
  <T>(load: () => Promise<T>) =>
  async (): Promise<T> => {
    const endWait = beginWait();
    try {
      return await load();
    } catch (cause) {
      throw new ChunkError(WORDS, { cause });
    } finally {
      endWait();
    }
  };

const RELOADED = 'junction.reloaded';
const RETRY_MS = 2_000;

/**
 * Loads the page anew where that may bring the missing script: as soon as the server can be reached, since a tab that
 * is offline would have nothing left, and once for each build, since what the newest build lacks would be missing
 * again. Resolves when the page was loaded anew already.
 */
export async function reloadForChunk(signal: AbortSignal): Promise<void> {
  let wasAway = false;
  while (!(await isReachable(signal))) {
    wasAway = true;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    signal.throwIfAborted();
  }
  if (reloadOnce(wasAway)) await new Promise(() => {}); // the page is left
}

const isReachable = (signal: AbortSignal): Promise<boolean> =>
  fetch('/favicon.svg', { method: 'HEAD', cache: 'no-store', signal }).then(
    ({ ok }) => ok,
    () => false,
  );

/**
 * Loads the page anew. Returns false when that was done for this build already, unless `isOther` says that something
 * has changed since; and in the frame of another product, whose link counts once.
 */
export function reloadOnce(isOther = false): boolean {
  if ('portal' in document.documentElement.dataset) return false;
  const build = document.querySelector<HTMLScriptElement>('script[type=module]')?.src ?? '';
  if (!isOther && sessionStorage.getItem(RELOADED) === build) return false;
  sessionStorage.setItem(RELOADED, build);
  window.location.reload();
  return true;
}
