import { z } from 'zod';
import { Failure } from './failure.js';
import type { Settings } from './settings.js';

const TIMEOUT_MS = 10_000;
const SECOND_MS = 1_000;
/** Renewed before its end, so that no call carries one about to expire. */
const USABLE_SHARE = 0.8;

const answer = z.object({ access_token: z.string(), expires_in: z.number().positive() });
const refusal = z.object({ error: z.string(), error_description: z.string().optional() });

export interface TokenRequest {
  readonly audience: string;
  /** The one that the command needs, and no more. */
  readonly scope: string;
}

/** Gives a token by client_credentials (RFC 6749, section 4.4), the same one while it is good. */
export function tokenSource(settings: Settings, request: TokenRequest): () => Promise<string> {
  let held: { readonly token: string; readonly untilMs: number } | undefined;
  return async () => {
    if (held === undefined || held.untilMs < Date.now())
      held = await requestToken(settings, request);
    return held.token;
  };
}

async function requestToken(settings: Settings, { audience, scope }: TokenRequest) {
  const response = await post(settings, { grant_type: 'client_credentials', audience, scope });
  const body: unknown = await response.json().catch(() => undefined);
  const granted = answer.safeParse(body);
  if (response.ok && granted.success) {
    const { access_token: token, expires_in: lifeS } = granted.data;
    return { token, untilMs: Date.now() + lifeS * SECOND_MS * USABLE_SHARE };
  }
  throw new Failure(refusalWords(settings, scope, body));
}

function refusalWords({ clientId, tokenUrl }: Settings, scope: string, body: unknown): string {
  const { error = '', error_description: why = error } = refusal.safeParse(body).data ?? {};
  if (error === 'invalid_client') {
    return `auth does not know the service account ${clientId}, or its secret is another one.`;
  }
  if (error === 'invalid_scope' || error === 'invalid_target') {
    return `The service account ${clientId} may not do this: it lacks ${scope}. ${why}`;
  }
  return `${tokenUrl} gave no token. ${why}`;
}

async function post(settings: Settings, form: Record<string, string>): Promise<Response> {
  const { tokenUrl, clientId, clientSecret } = settings;
  // RFC 6749, section 2.3.1: both halves are form-encoded before they are joined.
  const half = (text: string) => encodeURIComponent(text).replaceAll('%20', '+');
  const basic = Buffer.from(`${half(clientId)}:${half(clientSecret)}`).toString('base64');
  try {
    return await fetch(tokenUrl, {
      method: 'POST',
      headers: { authorization: `Basic ${basic}`, accept: 'application/json' },
      body: new URLSearchParams(form),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch (cause) {
    throw new Failure(`auth cannot be reached at ${tokenUrl}. Is it running?`, undefined, {
      cause,
    });
  }
}
