import { randomBytes } from 'node:crypto';
import { IntegrationsServiceService, SERVICE_SCOPES, USER_TOPIC } from '@junction/contracts';
import { EVENTS_APPENDED, rowProjection } from '@junction/eventsourcing-postgres';
import { foldOf } from '@junction/ops';
import { callersByAuth, defineService, publishErased } from '@junction/platform';
import { AUTH_TOPIC } from '@junction/service-kit/callers';
import { migrations } from '../migrations/index.js';
import { integrationsService } from './adapters/grpc/integrations-service.js';
import { routes } from './adapters/http/routes.js';
import { onOwnEvents } from './adapters/kafka/lost-ends.js';
import {
  INTEGRATIONS_SOURCE,
  INTEGRATIONS_TOPIC,
  publishConnectionEvent,
} from './adapters/kafka/publication.js';
import { postgresAuthorizations } from './adapters/postgres/connecting/authorizations.js';
import { postgresConnections } from './adapters/postgres/connections/connections.js';
import { postgresChecks } from './adapters/postgres/ending/checks.js';
import { postgresRevocations } from './adapters/postgres/ending/revocations.js';
import { connectionCodec } from './adapters/postgres/event-codec.js';
import { postgresHistory } from './adapters/postgres/history/history.js';
import { refreshQueue } from './adapters/postgres/refreshing/due-refreshes.js';
import { postgresLeases } from './adapters/postgres/refreshing/refresh-leases.js';
import { ringColumns } from './adapters/postgres/ring-columns.js';
import {
  postgresUnitOfWork,
  transactionOn,
  type UnitOfWorkOptions,
} from './adapters/postgres/unit-of-work.js';
import { application } from './application/application.js';
import { deleteUsers } from './application/ending/delete-users.js';
import type { Ports } from './application/ports.js';
import { tokenRequests } from './application/token-requests.js';
import { type Config, loadConfig } from './config.js';
import { connectionDecider } from './domain/connection/decider.js';
import type { ConnectionEvent } from './domain/connection/events.js';
import { startCleaning } from './parts/cleaning.js';
import { measureConnections } from './parts/connections.js';
import { doctorChecks } from './parts/doctor.js';
import { startChecking } from './parts/ending.js';
import type { IntegrationsPlatform } from './parts/platform.js';
import { checkProviders, openProviders } from './parts/providers.js';
import { measureRefreshes, startRefreshing } from './parts/refreshing.js';
import { connectionRow } from './projections/connection-row.js';

/**
 * A token request that was sent may be answered after 25 s (oauth-provider.ts), and while Postgres is away saving
 * what came in the answer is tried until 58 s after the lease was taken (save-refresh.ts): the provider has
 * forgotten the old refresh token by then. The rest is for the relay and what else closes after them. A service
 * that has no such request under way stops as soon as any other.
 */
const CLOSE_MAX_MS = 65_000;
/** A stream tells of integrations a second later at most; any event may be about them. */
const STREAM_REST_MS = 1_000;

/** The service of connections to mailboxes and calendars, with their tokens. */
export const service = defineService<Config, ConnectionEvent>({
  name: 'integrations',
  config: loadConfig,
  check: checkProviders,
  migrations,
  doctor: doctorChecks,
  sealedColumns: ringColumns,
  closeMaxMs: CLOSE_MAX_MS,
  logFields: ['client', 'credential_version', 'issuer', 'found_issuer'],
  streams: {
    codec: connectionCodec,
    source: INTEGRATIONS_SOURCE,
    publish: publishConnectionEvent,
    inline: [rowProjection(connectionRow)],
    folds: { connection: foldOf(connectionDecider) },
  },

  topics: {
    consumed: { auth: [AUTH_TOPIC], 'lost-ends': [INTEGRATIONS_TOPIC] },
    produced: [INTEGRATIONS_TOPIC, USER_TOPIC],
  },

  async parts(platform) {
    const { notifier, log, committed } = platform;
    const writing = writingOf(platform);
    const ports = await portsOf(platform, writing);
    const requests = tokenRequests();
    const refresher = startRefreshing(platform, ports, requests);
    startChecking(platform, ports, refresher);
    startCleaning(platform, ports);
    measureConnections(platform.meter, platform.pool);

    const app = application(ports, refresher, requests);
    const remove = deleteUsers(log);
    const onNews = (listener: () => void) => notifier.listen(EVENTS_APPENDED, listener);
    const streams = platform.eventStreams({ onNews, restMs: STREAM_REST_MS });
    return {
      callers: callersByAuth(platform),
      async usersDeleted(tx, users) {
        const deleted = await remove(transactionOn(tx, writing), users);
        const erased = users.map(({ userId }) => ({
          userId,
          counts: { connections: deleted.get(userId) ?? 0 },
        }));
        await publishErased(tx, ERASED_BY, erased);
        return committed;
      },
      consumers: [
        {
          name: 'lost-ends',
          dropDuplicates: false,
          handle: onOwnEvents(app),
          // The topic has records to handle only after a restore.
          readyWithout: true,
        },
      ],
      routes: routes(app, streams),
      grpc: [
        {
          definition: IntegrationsServiceService,
          implementation: integrationsService(app, log),
          scopes: {
            getAccessToken: SERVICE_SCOPES.readTokens,
            reportUnauthorized: SERVICE_SCOPES.readTokens,
            listConnections: SERVICE_SCOPES.readConnections,
          },
        },
      ],
    };
  },
});

const ERASED_BY = {
  service: 'integrations',
  topic: INTEGRATIONS_TOPIC,
  source: INTEGRATIONS_SOURCE,
};

const monotonicMs = (): number => performance.now();

const writingOf = (platform: IntegrationsPlatform): UnitOfWorkOptions => {
  const { pool, store, vault, ring, committed: afterCommit } = platform;
  return { pool, store, vault, ring, afterCommit, monotonicMs, chance: Math.random };
};

async function portsOf(platform: IntegrationsPlatform, writing: UnitOfWorkOptions): Promise<Ports> {
  const { config, pool, store, vault, ring, meter, log } = platform;
  const opened = await openProviders(platform);
  const dueRefreshes = refreshQueue(pool);
  return {
    ...opened,
    returnTo: config.returnTo,
    log,
    unitOfWork: postgresUnitOfWork(writing),
    connections: postgresConnections(pool, vault),
    history: postgresHistory(pool, store),
    authorizations: postgresAuthorizations(pool, ring),
    leases: postgresLeases({ pool, vault, monotonicMs }),
    dueRefreshes,
    refreshEnded: measureRefreshes(meter, dueRefreshes, [...opened.providers.keys()]),
    revocations: postgresRevocations(pool, ring),
    checks: postgresChecks({ pool, vault, monotonicMs }),
    now: () => new Date(),
    monotonicMs,
    chance: Math.random,
    random: randomBytes,
  };
}
