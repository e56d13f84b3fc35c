import { type Queryable, statement } from '@junction/eventsourcing/postgres';
import { query } from '@junction/service';
import { z } from 'zod';
import { isIntegrationId } from '../../../application/integration-named.js';
import { kindNamed } from '../../../application/provider-of.js';
import { LIVE, PROVIDERS, REVOCATION_OUTCOMES } from '../../../domain/connection/events.js';
import { PRIMARY_FIRST, SELECT_CONNECTIONS } from '../connection-select.js';

export const provider = z.enum(PROVIDERS).describe('The kind of account.');
export const scopes = z.array(z.string()).readonly();

const integration = z
  .object({
    integration_id: z.string().meta({ example: 'con_0198c0de-0123-7abc-8def-00000000abcd' }),
    provider,
    identity_provider: z.string().meta({ example: 'google' }),
    is_primary: z
      .boolean()
      .describe('True for the integration that serves wherever its kind alone is named.'),
    connected: z.boolean().describe('True when the tokens are there and are handed out.'),
    connected_at: z.date(),
    status: z.enum(['active', 'degraded', 'reconnect_required', 'revoked', 'disconnected']),
    status_reason: z.string().nullable().describe('A stable code.'),
    granted_scopes: scopes,
    missing_scopes: scopes.describe('Scopes that were asked for and not granted.'),
    account: z.string().describe('As the provider names it to a person.'),
    renewable: z.boolean().describe('Whether the provider gave a refresh token.'),
    last_refreshed_at: z.date().nullable(),
    provider_revocation: z
      .enum(['pending', ...REVOCATION_OUTCOMES])
      .nullable()
      .describe('Whether tokens of a connection that was ended here were revoked there too.'),
  })
  .meta({ id: 'Integration', description: 'An account of a user at an identity provider.' });

const notConnected = z
  .object({ provider, connected: z.literal(false), status: z.literal('not_connected') })
  .meta({ id: 'NotConnected', description: 'A kind of which no account was ever connected.' });

/** Integration, beside what others than its user are told of it. */
export type IntegrationRow = z.input<typeof integration> & {
  readonly version: number;
  readonly credential_version: number;
};

const rows = (where: string, name: string) =>
  statement<IntegrationRow>(
    `select connection_id as integration_id, provider, identity_provider, is_primary,
            status in ('${LIVE.join("', '")}') as connected, connected_at, status, status_reason,
            granted_scopes, missing_scopes, account, renewable, last_refreshed_at,
            provider_revocation, version, credential_version
       from (${SELECT_CONNECTIONS} where c.user_id = :user_id ${where}) c
      order by c.provider desc, ${PRIMARY_FIRST}`,
    name,
  );
const ofUser = rows('', 'integrations_of_user');
const ofKind = rows('and c.provider = :provider', 'integrations_of_kind');
const withId = rows('and c.connection_id = :connection_id', 'integration_with_id');

function shown(row: IntegrationRow): z.input<typeof integration> {
  const { version: _, credential_version: __, ...item } = row;
  return item;
}

/** Integrations of a user: mailboxes first; of a kind the primary one first, then the oldest. */
export const integrations = query(integration, ofUser, shown);

export const integrationWithId = query(integration, withId, shown);

/** The integration that a path names: by its id, or a kind by its primary one if there is one. */
export const integrationNamed = query(
  z.union([integration, notConnected]),
  async (
    db: Queryable,
    values,
  ): Promise<{ rows: (IntegrationRow | z.input<typeof notConnected>)[] }> => {
    const user_id = values['user_id'];
    const named = String(values['named']);
    if (isIntegrationId(named)) return withId(db, { user_id, connection_id: named });
    const provider = kindNamed(named);
    const found = await ofKind(db, { user_id, provider });
    if (found.rows.length > 0) return found;
    return { rows: [{ provider, connected: false, status: 'not_connected' }] };
  },
  (row) => ('version' in row ? shown(row) : row),
);
