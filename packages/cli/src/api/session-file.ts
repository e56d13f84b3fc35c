import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { Failure } from '../failure.js';

const session = z.union([
  z.strictObject({ url: z.url(), api_key: z.string() }),
  z.strictObject({
    url: z.url(),
    access_token: z.string(),
    refresh_token: z.string(),
    expires_at: z.iso.datetime(),
  }),
]);

/** User that `junction login` has logged in, and the URL of the product. */
export type Session = z.infer<typeof session>;

/** Age at which a lock is stale. A refresh takes less, so an older lock belongs to a dead process. */
const LOCK_STALE_MS = 45_000;
const LOCK_WITHIN_MS = 60_000;
const LOOK_AGAIN_MS = 50;

/** The file of the session; only its owner may read it. */
export interface SessionFile {
  readonly path: string;
  /** Returns the session; undefined when nobody is logged in. */
  read(): Session | undefined;
  write(session: Session): void;
  remove(): void;
  /** Runs alone among all processes of this user. */
  alone<T>(run: () => Promise<T>): Promise<T>;
}

export function sessionFile(env: NodeJS.ProcessEnv): SessionFile {
  const config = env['XDG_CONFIG_HOME'] || path.join(env['HOME'] || homedir(), '.config');
  const file = path.join(config, 'junction', 'session.json');
  const lock = `${file}.lock`;
  const makeFolder = () => mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  return {
    path: file,
    read: () => readSession(file),

    write(session) {
      makeFolder();
      // The file is written whole or not at all: a refresh token that is lost ends the session.
      const temporary = `${file}.${process.pid}`;
      writeFileSync(temporary, `${JSON.stringify(session, null, 2)}\n`, { mode: 0o600 });
      renameSync(temporary, file);
    },

    remove: () => rmSync(file, { force: true }),

    async alone(run) {
      makeFolder();
      await taken(lock);
      try {
        return await run();
      } finally {
        rmSync(lock, { recursive: true, force: true });
      }
    },
  };
}

function readSession(file: string): Session | undefined {
  try {
    return session.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new Failure(`${file} cannot be read, or is not a session. Log in again: junction login`);
  }
}

/** A folder is made by one process alone. */
async function taken(lock: string): Promise<void> {
  for (const endMs = Date.now() + LOCK_WITHIN_MS; Date.now() < endMs; await sleep(LOOK_AGAIN_MS)) {
    try {
      mkdirSync(lock);
      return;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
      const sinceMs = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
      if (sinceMs !== undefined && Date.now() - sinceMs > LOCK_STALE_MS) {
        rmSync(lock, { recursive: true, force: true });
      }
    }
  }
  throw new Failure(`Another junction holds ${lock}. If none is running, delete it.`);
}

const codeOf = (error: unknown): unknown => (error as NodeJS.ErrnoException).code;
