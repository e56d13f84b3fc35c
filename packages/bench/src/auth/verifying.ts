import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { remoteKeys, tokenVerifier } from '@junction/service-kit/callers';
import { nowMs } from '../clock.js';
import { quantile } from '../statistics.js';
import type { Figures } from '../suite.js';

const ROUNDS = 5;
const SECOND_MS = 1_000;
/** Answered one after another, as the requests of one process are. */
const CALLS_PER_LOOK = 100;

export interface VerifyingOptions {
  /** Address of auth. */
  readonly authUrl: string;
  readonly issuer: string;
  /** Access tokens of users, all of them good. */
  readonly tokens: readonly string[];
  readonly seconds: number;
}

/** The check of an access token as each service makes it, beside the bare check of its signature. */
export async function measureVerifying(options: VerifyingOptions): Promise<Figures> {
  const { authUrl, issuer, tokens, seconds } = options;
  const jwksUrl = `${authUrl}/.well-known/jwks.json`;
  const keys = remoteKeys(jwksUrl);
  const ours = tokenVerifier({ keys, issuer, audience: 'junction-api', kind: 'user' });
  const bare = await bareVerifier(jwksUrl);
  const rates: { readonly ours: number; readonly bare: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    rates.push({
      ours: await rateOf(ours, tokens, seconds / ROUNDS),
      bare: await rateOf(bare, tokens, seconds / ROUNDS),
    });
  }
  const perS = quantile(
    rates.map(({ ours }) => ours),
    0.5,
  );
  return {
    verify_per_s: perS,
    verify_ratio: quantile(
      rates.map(({ ours, bare }) => ours / bare),
      0.5,
    ),
  };
}

/** Makes a verifier that checks the signature alone, by the key that the token names. */
async function bareVerifier(jwksUrl: string): Promise<(jwt: string) => Promise<void>> {
  const { keys } = (await (await fetch(jwksUrl)).json()) as { keys: readonly JsonWebKey[] };
  const byId = new Map(
    keys.map((key) => [key['kid'], createPublicKey({ key, format: 'jwk' })] as const),
  );
  return async (jwt) => {
    const [head = '', claims, signature = ''] = jwt.split('.');
    const { kid } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { kid: string };
    const key = byId.get(kid);
    const text = Buffer.from(`${head}.${claims}`);
    if (key === undefined || !verify(null, text, key, Buffer.from(signature, 'base64url'))) {
      throw new Error('A token of the bench is not good.');
    }
  };
}

async function rateOf(
  check: (jwt: string) => Promise<unknown>,
  tokens: readonly string[],
  seconds: number,
): Promise<number> {
  const beganMs = nowMs();
  const endMs = beganMs + seconds * SECOND_MS;
  let done = 0;
  while (nowMs() < endMs) {
    for (let n = 0; n < CALLS_PER_LOOK; n++) await check(tokens[done++ % tokens.length] ?? '');
  }
  return done / ((nowMs() - beganMs) / SECOND_MS);
}
