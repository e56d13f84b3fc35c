import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ProviderKeys } from './keys.js';
import type { StoredRecord } from './records.js';

const WRITE_AFTER_MS = 100;
/** Writing takes at most a tenth of the time, however much there is to write. */
const REST_PER_WRITE = 9;

/** The state that must survive a restart: keys, grants, tokens, browser sessions. */
export interface Snapshot {
  readonly version: 1;
  readonly keys: ProviderKeys;
  readonly records: readonly StoredRecord[];
}

/** Undefined when there is no file yet. A file that can't be understood is an error, never overwritten. */
export async function readSnapshot(file: string): Promise<Snapshot | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;

  const snapshot = parse(text);
  if (snapshot?.version === 1 && snapshot.keys && snapshot.records) return snapshot as Snapshot;
  throw new Error(
    `${file} is no snapshot of this provider. Delete it to start without its grants.`,
  );
}

function parse(text: string): Partial<Snapshot> | null {
  try {
    return JSON.parse(text) as Partial<Snapshot> | null;
  } catch {
    return null;
  }
}

export interface SnapshotWriter {
  /** Something changed: a write follows shortly, one for many changes. */
  changed(): void;
  /** Writes what is not written yet. */
  close(): Promise<void>;
}

export function snapshotWriter(
  file: string,
  take: () => Snapshot,
  log: (line: string) => void,
): SnapshotWriter {
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();
  let restMs = 0;

  const write = async () => {
    const startedMs = performance.now();
    await replaceFile(file, JSON.stringify(take()));
    restMs = (performance.now() - startedMs) * REST_PER_WRITE;
  };

  const flush = () => {
    timer = undefined;
    writing = writing
      .then(write)
      .catch((error: Error) => log(`could not write ${file}: ${error.message}`));
  };

  return {
    changed() {
      timer ??= setTimeout(flush, Math.max(WRITE_AFTER_MS, restMs));
    },
    async close() {
      clearTimeout(timer);
      if (timer) flush();
      await writing;
    },
  };
}

/** Replaces the file in one step, and for its owner alone: it holds tokens. */
async function replaceFile(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const unfinished = `${file}.unfinished`;
  await writeFile(unfinished, text, { mode: 0o600 });
  await chmod(unfinished, 0o600); // The mode above counts only for a file that was not there.
  await rename(unfinished, file);
}
