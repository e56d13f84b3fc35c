import { type Fetch, fetchJson, retry } from '@junction/async';
import { createLocalJWKSet, errors, type JWK, type JWTVerifyGetKey } from 'jose';

const SECOND_MS = 1_000;
/** Bounds of the time for which keys are taken for the newest, whatever Cache-Control says. */
const FRESH_MS_MIN = 60 * SECOND_MS;
const FRESH_MS_MAX = 86_400 * SECOND_MS;
/** The same where Cache-Control says nothing. */
const FRESH_MS = 600 * SECOND_MS;
/** Shortest time between two fetches: tokens of unknown keys may come as often as anybody likes. */
const REST_MS = 5 * SECOND_MS;
/** Time to the next fetch after the first failure in a row; it doubles with each. */
const FAILED_REST_MS = SECOND_MS;
const FAILED_REST_MS_MAX = 10 * SECOND_MS;

/** Keys of an issuer as they were published at one moment (RFC 7517). */
export interface KeySet {
  readonly keys: readonly JWK[];
  /** Finds the key of a token. Rejects with errors of jose. */
  readonly find: JWTVerifyGetKey;
}

interface FetchedKeys extends KeySet {
  /** Time at which they were asked for. */
  readonly atMs: number;
}

/** Error of keys that cannot be had. */
export class KeysUnavailable extends Error {
  constructor(
    /** A stable code. `just_fetched`: there are keys, fetched too short a time ago to ask for newer ones. */
    readonly reason: string,
    /** Milliseconds until they may be asked for again. */
    readonly retryAfterMs: number,
    cause?: unknown,
  ) {
    super(`The keys of an issuer cannot be had: ${reason}.`, { cause });
  }
}

export interface PublishedKeys {
  /**
   * Returns what `use` makes of the keys, which are fetched at the first need. When it makes nothing of them
   * (undefined) it gets newer ones, until it had keys that were fetched for this call. Failures to fetch are repeated
   * for `withinMs`, and so is the call for newer keys. Rejects with KeysUnavailable, or as `use` does.
   */
  with<T>(use: (keys: KeySet) => Promise<T | undefined>, withinMs?: number): Promise<T | undefined>;
}

export interface PublishedKeysOptions {
  /** Address of the keys, asked for before each fetch. */
  readonly url: () => Promise<string>;
  /** Longest time for which keys are taken for the newest. Absent: a day. */
  readonly freshMsMax?: number;
  /** Longest time for which keys that are old serve on. Absent: as long as newer ones cannot be had. */
  readonly oldMsMax?: number;
  /** Called with each failure while older keys serve on. */
  readonly onStale?: (error: KeysUnavailable) => void;
  /** Milliseconds on a clock that only goes forward. Absent: performance.now. */
  readonly nowMs?: () => number;
  /** Replacement for Node's own `fetch`. */
  readonly fetch?: Fetch | undefined;
}

/**
 * Returns the keys of an issuer, kept as long as Cache-Control lets them, within bounds (OpenID Connect Core 1.0,
 * section 10.1.1). One fetch at a time serves all who wait. Keys that are old serve on while newer ones are fetched,
 * and while the issuer is down.
 */
export function publishedKeys(options: PublishedKeysOptions): PublishedKeys {
  const kept = new KeptKeys(options);
  return {
    async with(use, withinMs = 0) {
      const sinceMs = kept.nowMs();
      const endMs = performance.now() + withinMs;
      const patiently = async (ask: () => Promise<FetchedKeys>) =>
        retry(ask, {
          isRetryable: (error) => error instanceof KeysUnavailable,
          delayMs: kept.restMs,
          withinMs: endMs - performance.now(),
        });
      let keys = await patiently(async () => kept.atHand());
      for (;;) {
        const found = await use(keys);
        const isLast = keys.atMs >= sinceMs && performance.now() + kept.restMs() >= endMs;
        if (found !== undefined || isLast) return found;
        const tried = keys;
        keys = await patiently(async () => kept.newerThan(tried));
      }
    },
  };
}

/**
 * Returns the function by which jose finds the key of a token. Rejects with KeysUnavailable, or with errors of jose:
 * anybody may send tokens of keys that never were, and for some seconds after a fetch these are refused as such.
 */
export const keyOf =
  (published: PublishedKeys): JWTVerifyGetKey =>
  async (header, token) => {
    const find = async (keys: KeySet) => {
      try {
        return await keys.find(header, token);
      } catch (error) {
        if (error instanceof errors.JWKSNoMatchingKey) return undefined;
        throw error;
      }
    };
    const key = await published.with(find).catch((error: unknown) => {
      if (error instanceof KeysUnavailable && error.reason === 'just_fetched') return undefined;
      throw error;
    });
    if (key === undefined) throw new errors.JWKSNoMatchingKey();
    return key;
  };

/** Fetches keys one fetch at a time, with a rest after each, and keeps them. */
class KeptKeys {
  readonly #options: PublishedKeysOptions;
  #known: FetchedKeys | undefined;
  #failure: KeysUnavailable | undefined;
  #failures = 0;
  #freshUntilMs = 0;
  #restsUntilMs = 0;
  #underWay: Promise<FetchedKeys> | undefined;

  constructor(options: PublishedKeysOptions) {
    this.#options = options;
  }

  nowMs = (): number => (this.#options.nowMs ?? performance.now.bind(performance))();

  restMs = (): number => Math.max(0, this.#restsUntilMs - this.nowMs());

  async atHand(): Promise<FetchedKeys> {
    const oldMs = this.nowMs() - this.#freshUntilMs;
    const { oldMsMax = Infinity } = this.#options;
    if (this.#known === undefined || oldMs >= oldMsMax) return this.#fetched();
    if (oldMs >= 0 && this.#underWay === undefined && this.restMs() === 0) {
      this.#fetched().catch(this.#options.onStale ?? (() => {}));
    }
    return this.#known;
  }

  async newerThan(tried: FetchedKeys): Promise<FetchedKeys> {
    return this.#known && this.#known !== tried ? this.#known : this.#fetched();
  }

  async #fetched(): Promise<FetchedKeys> {
    if (this.#underWay === undefined && this.restMs() > 0) {
      throw new KeysUnavailable(this.#failure?.reason ?? 'just_fetched', this.restMs());
    }
    this.#underWay ??= this.#load();
    return this.#underWay;
  }

  async #load(): Promise<FetchedKeys> {
    const { url, fetch: send, freshMsMax = FRESH_MS_MAX } = this.#options;
    const atMs = this.nowMs();
    try {
      const { keys, freshMs } = await fetchKeys(await url(), send);
      this.#known = { keys, find: createLocalJWKSet({ keys: [...keys] }), atMs };
      this.#freshUntilMs = atMs + Math.min(freshMs, freshMsMax);
      this.#restsUntilMs = this.nowMs() + REST_MS;
      [this.#failure, this.#failures] = [undefined, 0];
      return this.#known;
    } catch (error) {
      const pauseMs = Math.min(FAILED_REST_MS_MAX, FAILED_REST_MS * 2 ** this.#failures);
      this.#failures += 1;
      this.#restsUntilMs = this.nowMs() + pauseMs;
      this.#failure = new KeysUnavailable(reasonOf(error), pauseMs, error);
      throw this.#failure;
    } finally {
      this.#underWay = undefined;
    }
  }
}

/** Fetches the keys. Fails with any error: the tags of `reasonOf` say which. */
async function fetchKeys(
  url: string,
  send: Fetch | undefined,
): Promise<{ readonly keys: readonly JWK[]; readonly freshMs: number }> {
  const accept = 'application/json, application/jwk-set+json';
  const { status, headers, body } = await fetchJson(url, { headers: { accept } }, send);
  if (status !== 200) throw new BadAnswer(`http_${status}`);
  const { keys } = (body ?? {}) as { readonly keys?: unknown };
  if (!Array.isArray(keys)) throw new BadAnswer('malformed_answer');
  // A key that is none spoils no other.
  const objects = keys.filter((key) => typeof key === 'object' && key !== null);
  return { keys: objects.map(withoutNulls), freshMs: freshMsOf(headers) };
}

class BadAnswer extends Error {}

function reasonOf(error: unknown): string {
  if (error instanceof BadAnswer) return error.message;
  return (error as Error).name === 'TimeoutError' ? 'timeout' : 'unreachable';
}

/** Reads Cache-Control and Age (RFC 9111, sections 4.2.3 and 5.2.2). */
function freshMsOf(headers: Headers): number {
  const said = headers.get('cache-control') ?? '';
  if (/\bno-(?:cache|store)\b/i.test(said)) return FRESH_MS_MIN;
  const maxAge = /\bmax-age="?(\d+)/i.exec(said)?.[1];
  if (maxAge === undefined) return FRESH_MS;
  const ageS = Number(headers.get('age') ?? 0) || 0;
  return Math.max(FRESH_MS_MIN, (Number(maxAge) - ageS) * SECOND_MS);
}

/** Removes members that are null, because null means the same as an absent member. */
export const withoutNulls = <T extends object>(object: T): T =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null)) as T;
