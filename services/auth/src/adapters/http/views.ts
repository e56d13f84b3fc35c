import type { z } from 'zod';
import type { ApiKeyRow } from '../../application/api-key/ports.js';
import type { Passkey, SecondFactors } from '../../application/second-factor/ports.js';
import type { LiveSession } from '../../application/session/ports.js';
import type { Tokens } from '../../application/session-tokens.js';
import type * as answers from './answers.js';

export const apiKeyView = ({
  keyId,
  name,
  scopes,
  createdAt,
  ...key
}: Omit<ApiKeyRow, 'userId'>) => ({
  id: keyId,
  name,
  scopes,
  created_at: createdAt.toISOString(),
  expires_at: key.expiresAt?.toISOString() ?? null,
  previous_valid_until: key.previousValidUntil?.toISOString() ?? null,
  last_used_at: key.lastUsedAt?.toISOString() ?? null,
});

export const sessionView = ({ sessionId, startedAt, lastUsedAt, device }: LiveSession) => ({
  id: sessionId,
  device: device ?? null,
  started_at: startedAt.toISOString(),
  last_used_at: lastUsedAt.toISOString(),
});

export const tokensView = ({
  accessToken,
  expiresInS,
  refreshToken,
}: Tokens): z.input<typeof answers.tokens> => ({
  access_token: accessToken,
  token_type: 'Bearer',
  expires_in: expiresInS,
  refresh_token: refreshToken,
});

/** Without what proves them. */
export const secondFactorsView = ({ totpSince, passkeys, recoveryCodesLeft }: SecondFactors) => ({
  totp: totpSince && { created_at: totpSince.toISOString() },
  passkeys: passkeys.map(passkeyView),
  recovery_codes_left: recoveryCodesLeft,
});

export const passkeyView = ({ passkeyId, name, createdAt, lastUsedAt }: Passkey) => ({
  id: passkeyId,
  name,
  created_at: createdAt.toISOString(),
  last_used_at: lastUsedAt?.toISOString() ?? null,
});
