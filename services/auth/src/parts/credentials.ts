import { availableParallelism } from 'node:os';
import { hashesAtOnce, passwordHasher } from '../adapters/argon2/password-hasher.js';
import { readServiceAccounts } from '../adapters/files/read-service-accounts.js';
import { accessTokens } from '../adapters/jwt/access-tokens.js';
import { clientAssertions } from '../adapters/jwt/client-assertions.js';
import { foreignTokens, trustedIssuers } from '../adapters/jwt/foreign-tokens.js';
import type { SigningKeys } from '../adapters/jwt/signing-keys.js';
import { issuerSignIns } from '../adapters/oidc/issuer-sign-in.js';
import { postgresLimits } from '../adapters/postgres/limits.js';
import { authenticatorCodes } from '../adapters/totp/totp.js';
import { unsubscribeTokens } from '../adapters/vault/unsubscribe-tokens.js';
import { webAuthn } from '../adapters/webauthn/webauthn.js';
import { declaredClients } from '../application/service-accounts.js';
import { type AuthPlatform, now } from './platform.js';

const WAITING_HASHES_MAX = 32;

/** Constructs what users and clients show to be who they are, and the tokens that they get. */
export async function openCredentials(
  { config, fetch, foreignIssuers, pool, ring }: AuthPlatform,
  keys: SigningKeys,
) {
  const atOnceMax = hashesAtOnce(availableParallelism());
  return {
    passwords: await passwordHasher({ atOnceMax, waitingMax: WAITING_HASHES_MAX }),
    limits: postgresLimits({ pool, limits: () => config.limits }),
    accessTokens: accessTokens({ ...config, keys, now }),
    totp: authenticatorCodes('Junction'),
    webAuthn: webAuthn(config.publicUrl),
    unsubscribeTokens: unsubscribeTokens(ring),
    foreignTokens: foreignTokens(foreignIssuers),
    issuerSignIns: issuerSignIns({ ...config, foreignIssuers, fetch }),
    trustedIssuers: trustedIssuers(foreignIssuers),
    declaredClients: declaredClients(await readServiceAccounts(config.serviceAccountsFile)),
    clientAssertions: clientAssertions({ ...config, now }),
  };
}
