import { AppError } from '@junction/errors';
import { z } from 'zod';

export interface ServiceTokenOptions {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The one service the token is for. */
  readonly audience: string;
  /** Space-separated. */
  readonly scope: string;
  readonly now?: () => number;
}

export interface ServiceTokens {
  (): Promise<string>;
  /** Throws this token away if it is the cached one, because the service it is for has refused it. */
  forget(token: string): void;
}

const TIMEOUT_MS = 5_000;
const SECOND_MS = 1_000;
/** Renewed when a fifth of its life is left, so that a call never carries one about to expire. */
const USABLE_SHARE = 0.8;

const tokenAnswer = z.object({ access_token: z.string(), expires_in: z.number().positive() });

/**
 * Access tokens by client_credentials (RFC 6749 §4.4): POST, form-encoded, with HTTP Basic, `audience`
 * and `scope`. One is kept until it is nearly spent; concurrent callers share one request.
 */
export function serviceTokens(options: ServiceTokenOptions): ServiceTokens {
  const { now = Date.now } = options;
  let cached: { token: Promise<string>; value?: string; renewAtMs: number } | undefined;

  const renew = (): Promise<string> => {
    const entry: NonNullable<typeof cached> = {
      token: Promise.resolve(''),
      renewAtMs: Number.POSITIVE_INFINITY,
    };
    entry.token = requestToken(options).then(
      ({ access_token, expires_in }) => {
        entry.renewAtMs = now() + expires_in * SECOND_MS * USABLE_SHARE;
        entry.value = access_token;
        return access_token;
      },
      (error: unknown) => {
        if (cached === entry) cached = undefined;
        throw error;
      },
    );
    cached = entry;
    return entry.token;
  };

  const current = async () => (cached && now() < cached.renewAtMs ? cached.token : renew());
  return Object.assign(current, {
    forget: (token: string) => {
      if (cached?.value === token) cached = undefined;
    },
  });
}

async function requestToken(options: ServiceTokenOptions): Promise<z.infer<typeof tokenAnswer>> {
  const { tokenUrl, audience, scope } = options;
  try {
    const response = await fetch(tokenUrl, {
      method: 'POST',
      headers: { authorization: basic(options), accept: 'application/json' },
      body: new URLSearchParams({ grant_type: 'client_credentials', audience, scope }),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok) {
      await response.body?.cancel(); // An unread body would hold its connection.
      throw new Error(`The token endpoint answered ${response.status}.`);
    }
    return tokenAnswer.parse(await response.json());
  } catch (cause) {
    throw new AppError(
      'unavailable',
      'service_token_unavailable',
      'A service this request needs cannot be reached just now. Try again in a moment.',
      { cause, retryAfterS: 1 },
    );
  }
}

/** RFC 6749 §2.3.1: both halves are form-encoded before they are joined. */
function basic({ clientId, clientSecret }: ServiceTokenOptions): string {
  const half = (text: string) => encodeURIComponent(text).replaceAll('%20', '+');
  return `Basic ${Buffer.from(`${half(clientId)}:${half(clientSecret)}`).toString('base64')}`;
}
