import { SERVICES } from '@junction/contracts';
import { moment } from '@junction/service';
import { jsonObject } from '@junction/service/http';
import { z } from 'zod';
import { UNDOABLE_KINDS } from '../../application/notices.js';
import { user } from '../postgres/account/account-reads.js';
import { apiKey } from '../postgres/api-key/api-key-reads.js';
import { liveSessions } from '../postgres/session/session-reads.js';

/** Schemas of the answers of account routes. */

const id = z.uuid();
const expiresIn = z.int().describe('Seconds until the access token ends.');

export const registered = z.object({ user: z.object({ id, email: z.string().nullable() }) });

export const tokens = z
  .object({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: expiresIn,
    refresh_token: z
      .string()
      .describe('Token that works once: the answer to its use has the next.'),
  })
  .meta({ id: 'Tokens' });

export const provenToken = z.object({
  access_token: z.string().optional().describe('Absent where it goes into a cookie.'),
  token_type: z.literal('Bearer').optional(),
  expires_in: expiresIn,
});

export const challenge = z
  .object({
    challenge_id: z.string(),
    options: jsonObject.describe('For navigator.credentials, in the JSON form of WebAuthn.'),
  })
  .meta({ id: 'PasskeyChallenge' });

export const undoPreview = z.object({
  changes: z.array(
    z.object({ kind: z.enum(UNDOABLE_KINDS), changed_at: moment }).meta({ id: 'AccountChange' }),
  ),
  open_until: moment
    .optional()
    .describe('Time until which the account can be brought back; absent: it was not deleted.'),
  may_end_at_once: z
    .boolean()
    .optional()
    .describe('Whether the token also ends the account at once, which was deleted.'),
});

export const newApiKey = z
  .object({ ...apiKey.shape, key: z.string().describe('Secret, which is shown this once.') })
  .meta({ id: 'NewApiKey' });

export const passkey = z
  .object({ id: z.string(), name: z.string(), created_at: moment, last_used_at: moment.nullable() })
  .meta({ id: 'Passkey' });

export const secondFactors = z
  .object({
    totp: z.object({ created_at: moment }).nullable(),
    passkeys: z.array(passkey),
    recovery_codes_left: z.int(),
  })
  .meta({ id: 'SecondFactors' });

const added = {
  recovery_codes: z
    .array(z.string())
    .readonly()
    .optional()
    .describe('With the first factor; they are shown this once.'),
  tokens: tokens.optional().describe('Absent where they go into cookies, or none are new.'),
};
export const addedFactor = z.object(added).meta({ id: 'AddedFactor' });
export const addedPasskey = z
  .object({ passkey: passkey.optional(), ...added })
  .meta({ id: 'AddedPasskey' });
export const totp = z.object({ secret: z.string(), otpauth_uri: z.string() });
export const recoveryCodes = z.object({ recovery_codes: z.array(z.string()).readonly() });

export const account = z
  .object({
    user: user.item,
    sessions: z.array(liveSessions.item),
    api_keys: z.array(apiKey),
    second_factors: secondFactors,
    history: z.array(z.looseObject({ type: z.string() })),
  })
  .meta({ id: 'Account', description: 'Everything that is kept of an account, without secrets.' });

const counts = z.record(z.string(), z.int());

const openUntil = moment
  .optional()
  .describe('Time until which links of mails bring the account back; absent: nothing does.');

const end = { receipt_id: z.string(), deleted_at: moment };
export const endedAccount = z.object(end);
export const deleted = z
  .object({ ...end, open_until: openUntil, erased: counts.optional() })
  .meta({ id: 'Deleted' });

export const receipt = z
  .object({
    deleted_at: moment,
    open_until: openUntil,
    ended: z
      .record(z.string(), counts.nullable())
      .optional()
      .describe(
        'Numbers of what each service has ended at once; absent once nothing brings the account back.',
      ),
    services: z
      .record(z.string(), counts.nullable())
      .describe(
        `Numbers that each of ${SERVICES.join(', ')} erased; null: that service has not erased yet.`,
      ),
    complete: z.boolean(),
  })
  .meta({ id: 'DeletionReceipt' });

export const browserSession = z.object({
  user_id: id,
  email: z.string().optional(),
  expires_in: expiresIn,
});
export const refreshedSession = z.object({ expires_in: expiresIn });

export const issuers = z.object({
  items: z.array(z.object({ id: z.string(), display_name: z.string() })),
});

export const serviceToken = z.object({
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: expiresIn,
  scope: z.string(),
});

export const portalLink = z
  .object({
    url: z.string().describe('For `src` of the frame, as it is: what stands behind # is secret.'),
    expires_at: moment,
  })
  .meta({ id: 'PortalLink' });

export const portalSession = z
  .object({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: expiresIn,
    next_token: z.string().describe('Token that works once, like the token before it.'),
    session_ends_at: moment.describe('Then another link is needed.'),
    user_id: id,
    origin: z.string(),
    appearance: z.object({
      product_name: z.string().nullable(),
      accent_color: z.string().nullable(),
      logo_url: z.string().nullable(),
      color_scheme: z.enum(['light', 'dark', 'auto']),
    }),
  })
  .meta({ id: 'PortalSession' });

export const rotatedSigningKeys = z.object({
  kid: z.string(),
  signs_from: moment,
  others_published_until: moment,
});

export const jwks = z
  .object({ keys: z.array(jsonObject).readonly() })
  .meta({ id: 'JsonWebKeySet' });

const texts = z.array(z.string()).readonly();
export const authorizationServerMetadata = z
  .object({
    issuer: z.string(),
    token_endpoint: z.string(),
    jwks_uri: z.string(),
    response_types_supported: texts,
    grant_types_supported: texts,
    scopes_supported: texts,
    token_endpoint_auth_methods_supported: texts,
    token_endpoint_auth_signing_alg_values_supported: texts,
    service_documentation: z.string(),
  })
  .meta({ id: 'AuthorizationServerMetadata' });

export const removedFactors = z.object({
  factors: z.int().describe('Number of factors that were removed: the authenticator and passkeys.'),
  sessions: z.int().describe('Number of sessions that were ended.'),
});
