import type { z } from 'zod';
import type { Passkey, SecondFactors } from '../../application/second-factor/ports.js';
import type { Tokens } from '../../application/session-tokens.js';
import type * as answers from './answers.js';

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
  totp: totpSince && { created_at: totpSince },
  passkeys: passkeys.map(passkeyView),
  recovery_codes_left: recoveryCodesLeft,
});

export const passkeyView = ({ passkeyId, name, createdAt, lastUsedAt }: Passkey) => ({
  id: passkeyId,
  name,
  created_at: createdAt,
  last_used_at: lastUsedAt,
});
