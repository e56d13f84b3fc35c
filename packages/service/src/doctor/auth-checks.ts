import { SERVICE_SCOPES } from '@junction/contracts';
import type { CallersByAuthOptions } from '../platform/callers.js';
import { type Check, type Look, problem } from './finding.js';

const ANSWER_MS = 10_000;

/** Checks whether auth can be reached, and knows this service. */
export const authChecks = ({ auth }: Pick<CallersByAuthOptions, 'auth'>): readonly Check[] => [
  {
    name: 'keys of auth',
    remedy: 'Check AUTH_JWKS_URL, that auth is ready, and that this machine may reach it.',
    look: async () => keys(auth.jwksUrl),
  },
  {
    name: 'service account',
    remedy: 'Check AUTH_TOKEN_URL, that auth is ready, and that this machine may reach it.',
    look: async () => token(auth),
  },
];

async function keys(jwksUrl: string): Promise<Look> {
  const answer = await fetch(jwksUrl, { signal: AbortSignal.timeout(ANSWER_MS) });
  if (!answer.ok) throw new Error(`AUTH_JWKS_URL answered ${answer.status}.`);
  const { keys } = (await answer.json()) as { keys?: readonly unknown[] };
  if (!keys?.length) throw new Error('AUTH_JWKS_URL answered without keys.');
  return 'The keys that verify tokens are there.';
}

/** Requests a token by client_credentials (RFC 6749, section 4.4), as the service itself does. */
async function token({
  tokenUrl,
  clientId,
  clientSecret,
}: CallersByAuthOptions['auth']): Promise<Look> {
  const credential = [clientId, clientSecret].map(encodeURIComponent).join(':');
  const answer = await fetch(tokenUrl, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(credential).toString('base64')}` },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      audience: 'auth',
      scope: SERVICE_SCOPES.verifyCredentials,
    }),
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  if (answer.ok) return `${clientId} gets tokens.`;
  const { error = '' } = (await answer.json().catch(() => ({}))) as { error?: string };
  return [
    problem(
      `auth refuses ${clientId} a token: ${answer.status} ${error}.`,
      'SERVICE_CLIENT_ID and SERVICE_CLIENT_SECRET must be those of SERVICE_ACCOUNTS_FILE of auth, with the scopes it names there.',
    ),
  ];
}
