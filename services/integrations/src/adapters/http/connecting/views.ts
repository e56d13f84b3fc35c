import { z } from 'zod';
import type { ConnectOutcome } from '../../../application/connecting/ports.js';
import type { IdentityProvider } from '../../../application/ports.js';
import { provider } from '../../postgres/connections/connection-reads.js';

export const identityProvider = z
  .object({
    id: z.string(),
    display_name: z.string(),
    icon: z.string().nullable().describe('A data: URI of an image.'),
    providers: z.array(provider).readonly(),
  })
  .meta({ id: 'IdentityProvider' });

/** Returns the view of an identity provider that a user may choose. */
export const identityProviderView = ({ id, displayName, icon, providers }: IdentityProvider) => ({
  id,
  display_name: displayName,
  icon: icon ?? null,
  providers,
});

export const connected = z
  .object({
    success: z.literal(true),
    status: z.literal('connected'),
    integration_id: z.string(),
    notices: z
      .array(z.object({ code: z.string(), message: z.string() }))
      .optional()
      .describe('Notes about a client that misses something, for instance a scope.'),
  })
  .meta({ id: 'Connected' });

/** Returns the answer to a connect. `notices` are there only when the connection is not as one would expect. */
export function connectedView(outcome: ConnectOutcome): z.input<typeof connected> {
  const notices = noticesOf(outcome);
  const { connectionId: integration_id } = outcome;
  return {
    success: true,
    status: 'connected',
    integration_id,
    ...(notices.length > 0 && { notices }),
  };
}

const noticesOf = (outcome: ConnectOutcome) => [
  ...(outcome.missingScopes.length > 0
    ? [
        {
          code: 'missing_scopes',
          message: `Asked for and not granted: ${outcome.missingScopes.join(', ')}.`,
        },
      ]
    : []),
  ...(outcome.unaskedScopes.length > 0
    ? [
        {
          code: 'unasked_scopes',
          message: `Granted without being asked for: ${outcome.unaskedScopes.join(', ')}.`,
        },
      ]
    : []),
  ...(outcome.renewable
    ? []
    : [
        {
          code: 'no_refresh_token',
          message:
            'The provider gave no refresh token. Connect again when the access token has expired.',
        },
      ]),
];
