import { fetchJson } from '@junction/async';
import { SERVICE_SCOPES } from '@junction/contracts';
import type { CallersByAuthOptions } from '@junction/service';
import { authClient } from '@junction/service/callers';
import { type Check, CheckError, type Look, problem } from './finding.js';

/** Stands for an API key: auth finds none, and says so. */
const NO_KEY = 'doctor';

/** Checks whether auth can be reached at its three addresses, knows this service, and issues tokens that count here. */
export const authChecks = (config: CallersByAuthOptions): readonly Check[] => [
  {
    name: 'keys of auth',
    remedy: 'Check AUTH_JWKS_URL, that auth is ready, and that this machine may reach it.',
    look: async () => keys(config.auth.jwksUrl),
  },
  {
    name: 'service account',
    needs: ['keys of auth'],
    remedy: 'Check AUTH_TOKEN_URL, that auth is ready, and that this machine may reach it.',
    async look() {
      await tokenOf(config.auth);
      return `${config.auth.clientId} gets tokens.`;
    },
  },
  {
    name: 'public url',
    needs: ['service account'],
    remedy: 'Ask again.',
    look: async () => issuer(config),
  },
  {
    name: 'gRPC of auth',
    needs: ['service account'],
    remedy:
      'Check AUTH_GRPC_ADDRESS, which is a port of its own of auth, the GRPC_TLS_ settings of both sides, and that this machine may reach it: until then no API key is accepted.',
    look: async () => grpc(config),
  },
];

async function keys(jwksUrl: string): Promise<Look> {
  const { ok, status, body } = await fetchJson(jwksUrl);
  if (!ok) throw new Error(`AUTH_JWKS_URL answered ${status}.`);
  const { keys } = (body ?? {}) as { keys?: readonly unknown[] };
  if (!keys?.length) throw new Error('AUTH_JWKS_URL answered without keys.');
  return 'The keys that verify tokens are there.';
}

/** Requests a token by client_credentials (RFC 6749, section 4.4), as the service itself does. */
async function tokenOf({
  tokenUrl,
  clientId,
  clientSecret,
}: CallersByAuthOptions['auth']): Promise<string> {
  const credential = [clientId, clientSecret].map(encodeURIComponent).join(':');
  const { ok, status, body } = await fetchJson(tokenUrl, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(credential).toString('base64')}` },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      audience: 'auth',
      scope: SERVICE_SCOPES.verifyCredentials,
    }),
  });
  const { error = '', access_token: token = '' } = (body ?? {}) as {
    error?: string;
    access_token?: string;
  };
  if (ok) return token;
  throw new CheckError(
    `auth refuses ${clientId} a token: ${status} ${error}.`,
    'SERVICE_CLIENT_ID and SERVICE_CLIENT_SECRET must be those of SERVICE_ACCOUNTS_FILE of auth, with the scopes it names there.',
  );
}

/** Compares PUBLIC_URL with the issuer of a token, which is the PUBLIC_URL of auth (RFC 9068, section 2.2). */
async function issuer({ auth, publicUrl }: CallersByAuthOptions): Promise<Look> {
  const [, payload = ''] = (await tokenOf(auth)).split('.');
  const { iss } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { iss: string };
  if (iss === publicUrl) return `${publicUrl}, as auth has it.`;
  return [
    problem(
      `PUBLIC_URL is ${publicUrl}, and that of auth is ${iss}: every token is refused here.`,
      'Give auth and this service the same PUBLIC_URL, to the letter, and restart the one that was wrong.',
    ),
  ];
}

async function grpc(config: CallersByAuthOptions): Promise<Look> {
  const client = authClient(config);
  try {
    await client.apiKeyOwner(NO_KEY);
    return 'It answers about API keys.';
  } catch (cause) {
    throw new Error(`AUTH_GRPC_ADDRESS (${config.auth.grpcAddress}) does not answer.`, { cause });
  } finally {
    client.close();
  }
}
