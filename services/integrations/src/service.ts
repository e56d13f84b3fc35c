import { randomBytes } from 'node:crypto';
import { atMostEvery } from '@junction/async';
import { USER_TOPIC } from '@junction/contracts';
import { EVENTS_APPENDED, rowProjection } from '@junction/eventsourcing/postgres';
import { authChecks, foldOf, operationsOf } from '@junction/operations';
import { callersByAuth, defineService } from '@junction/service';
import { AUTH_TOPIC } from '@junction/service/callers';
import { migrations } from '../migrations/index.js';
import { integrationsGrpc } from './adapters/grpc/integrations-service.js';
import { routes } from './adapters/http/routes.js';
import { onOwnEvents } from './adapters/kafka/lost-ends.js';
import {
  INTEGRATIONS_SOURCE,
  INTEGRATIONS_TOPIC,
  publishConnectionEvent,
} from './adapters/kafka/publication.js';
import { measureClients, refreshCounter } from './adapters/metrics/client-measures.js';
import { purgeAuthorizations } from './adapters/postgres/connecting/authorizations.js';
import { waitingRevocations } from './adapters/postgres/ending/revocations.js';
import { purgeSecurityEvents } from './adapters/postgres/ending/security-events.js';
import { connectionCodec } from './adapters/postgres/event-codec.js';
import { purgeRefreshes } from './adapters/postgres/refreshing/refreshes.js';
import { ringColumns } from './adapters/postgres/ring-columns.js';
import { tablesOn } from './adapters/postgres/tables.js';
import { transactionOn } from './adapters/postgres/unit-of-work.js';
import { checkProviders, describedProviders } from './adapters/provider/providers-check.js';
import { application } from './application/application.js';
import { deleteUsers } from './application/ending/delete-users.js';
import type { Ports } from './application/ports.js';
import { tokenRequests } from './application/token-requests.js';
import { type Config, loadConfig, settings } from './config.js';
import { connectionDecider } from './domain/connection/decider.js';
import type { ConnectionEvent } from './domain/connection/events.js';
import { startEnding } from './parts/ending.js';
import { monotonicMs, now } from './parts/platform.js';
import { openProviders } from './parts/providers.js';
import { startRefreshing } from './parts/refreshing.js';
import { connectionRow } from './projections/connection-row.js';

const SECOND_MS = 1_000;
/**
 * A token request that was sent may be answered after 25 s (oauth-provider.ts), and while Postgres is away saving
 * what came in the answer is tried until 58 s after the lease was taken (save-refresh.ts): the provider has
 * forgotten the old refresh token by then. The rest is for the relay and what else closes after them. A service
 * that has no such request under way stops as soon as any other.
 */
const CLOSE_MAX_MS = 65 * SECOND_MS;
/** A stream tells of integrations a second later at most; any event may be about them. */
const STREAM_REST_MS = SECOND_MS;
/** Jobs end as a stop begins, beside the token requests that it waits for. */
const AT_ONCE = { atOnce: true };

/** The service of connections to mailboxes and calendars, with their tokens. */
export const service = defineService<Config, ConnectionEvent>({
  name: 'integrations',
  config: loadConfig,
  settings,
  check: checkProviders,
  migrations,
  databaseVariable: 'INTEGRATIONS_DATABASE_URL',
  operations: operationsOf({
    folds: { connection: foldOf(connectionDecider) },
    checks: (config, pool) => [
      ...authChecks(config),
      describedProviders(config),
      waitingRevocations(pool),
    ],
  }),
  sealedColumns: ringColumns,
  closeMaxMs: CLOSE_MAX_MS,
  logFields: ['client', 'credential_version', 'issuer', 'found_issuer'],
  streams: {
    codec: connectionCodec,
    source: INTEGRATIONS_SOURCE,
    topic: INTEGRATIONS_TOPIC,
    publish: publishConnectionEvent,
    inline: [rowProjection(connectionRow)],
  },

  topics: {
    consumed: { auth: [AUTH_TOPIC], 'lost-ends': [INTEGRATIONS_TOPIC] },
    produced: [INTEGRATIONS_TOPIC, USER_TOPIC],
  },

  async parts(platform) {
    const { config, job, log, meter, notifier, pool, committed: afterCommit } = platform;
    const { ring, store, vault } = platform;
    // A refresh is no event, and none but the streams show it.
    const afterRefresh = atMostEvery(STREAM_REST_MS, () => notifier.notify(EVENTS_APPENDED));
    const writing = { pool, store, vault, ring, monotonicMs, afterCommit, afterRefresh };
    const ports: Ports = {
      ...tablesOn(writing),
      ...(await openProviders(platform)),
      returnTo: config.returnTo,
      refreshEnded: refreshCounter(meter),
      log,
      now,
      monotonicMs,
      chance: Math.random,
      random: randomBytes,
    };
    const requests = tokenRequests();
    const refresher = startRefreshing(platform, ports, requests);
    startEnding(platform, ports, refresher);
    measureClients(meter, pool, ports);
    const app = application(ports, refresher, requests);
    job('purge of codes', 60 * SECOND_MS, async () => purgeAuthorizations(pool), AT_ONCE);
    job('purge of refreshes', 60 * SECOND_MS, async () => purgeRefreshes(pool), AT_ONCE);
    job('purge of security events', 60 * SECOND_MS, async () => purgeSecurityEvents(pool), AT_ONCE);

    const onNews = (listener: () => void) => notifier.listen(EVENTS_APPENDED, listener);
    const streams = platform.eventStreams({ onNews, restMs: STREAM_REST_MS });
    return {
      callers: callersByAuth(platform),
      // The topic has records to handle only after a restore.
      consumers: [{ name: 'lost-ends', dropDuplicates: false, handle: onOwnEvents(app) }],
      async usersDeleted(tx, users) {
        const deleted = await deleteUsers(log)(transactionOn(tx, writing), users);
        return { countsOf: (userId) => ({ connections: deleted.get(userId) ?? 0 }) };
      },
      routes: routes(app, streams, { pool }, config),
      grpc: [integrationsGrpc(app, pool, log)],
    };
  },
});
