import { type SemaphoreOptions, semaphore } from '@junction/async';
import { AppError } from '@junction/errors';
import { hash, type Options, verify } from '@node-rs/argon2';
import type { Passwords } from '../../application/ports.js';

// OWASP's first choice of argon2id (RFC 9106): 19 MiB, 2 passes, 1 lane. Argon2id is the default.
const COST: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Threads of libuv, on which argon2 hashes, and signatures of tokens are checked (Node.js, UV_THREADPOOL_SIZE). */
const THREADS = 4;

/**
 * Returns how many hashes run at once on so many cores. Hashing takes whole cores and threads: of both one stays free
 * for everything that needs no hash.
 */
export const hashesAtOnce = (cores: number): number => Math.max(1, Math.min(cores, THREADS) - 1);

/**
 * Every hash, of a stranger's guess too, goes through one semaphore: a burst of logins would take all cores and all
 * memory.
 */
export async function passwordHasher(
  bounds: Pick<SemaphoreOptions, 'atOnceMax' | 'waitingMax'>,
): Promise<Passwords> {
  const through = semaphore({ ...bounds, refusal: tooBusy });
  // The hash that the password of an address without an account is compared with: the same work, in vain.
  const nobodys = await hash('nobody has this password', COST);

  return {
    hash: async (password) => through(() => hash(password, COST)),

    async verify(passwordHash, password) {
      const matches = await through(() => verify(passwordHash ?? nobodys, password));
      return passwordHash !== undefined && matches;
    },
  };
}

const tooBusy = (): AppError =>
  new AppError('too_busy', 'Too many people are signing in. Try again in a moment.', {
    retryAfterS: 1,
  });
