import { randomBytes } from 'node:crypto';
import { IntegrationsServiceService, SERVICE_SCOPES, USER_TOPIC } from '@junction/contracts';
import { EVENTS_APPENDED, rowProjection } from '@junction/eventsourcing/postgres';
import { callersByAuth, defineService } from '@junction/service';
import { AUTH_TOPIC } from '@junction/service/callers';
import { foldOf } from '@junction/service/operators';
import { migrations } from '../migrations/index.js';
import { integrationsService } from './adapters/grpc/integrations-service.js';
import { routes } from './adapters/http/routes.js';
import { onOwnEvents } from './adapters/kafka/lost-ends.js';
import {
  INTEGRATIONS_SOURCE,
  INTEGRATIONS_TOPIC,
  publishConnectionEvent,
} from './adapters/kafka/publication.js';
import { postgresConnections } from './adapters/postgres/connections/connections.js';
import { connectionCodec } from './adapters/postgres/event-codec.js';
import { postgresHistory } from './adapters/postgres/history/history.js';
import { ringColumns } from './adapters/postgres/ring-columns.js';
import { postgresUnitOfWork } from './adapters/postgres/unit-of-work.js';
import { currentConnections } from './adapters/postgres/vending/current-connections.js';
import { application } from './application/application.js';
import type { Ports } from './application/ports.js';
import { tokenRequests } from './application/token-requests.js';
import { type Config, loadConfig } from './config.js';
import { connectionDecider } from './domain/connection/decider.js';
import type { ConnectionEvent } from './domain/connection/events.js';
import { checkProviders, openConnecting } from './parts/connecting.js';
import { measureConnections } from './parts/connections.js';
import { doctorChecks } from './parts/doctor.js';
import { openEnding, startEnding, usersDeleted } from './parts/ending.js';
import { monotonicMs } from './parts/platform.js';
import { openRefreshing, startRefreshing } from './parts/refreshing.js';
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
    const { pool, store, vault, ring, notifier, log, committed } = platform;
    const writing = { pool, store, vault, ring, monotonicMs, afterCommit: committed };
    const ports: Ports = {
      ...(await openConnecting(platform)),
      ...openRefreshing(platform),
      ...openEnding(platform),
      unitOfWork: postgresUnitOfWork(writing),
      connections: postgresConnections(pool),
      currentConnections: currentConnections(pool, vault),
      history: postgresHistory(pool, store),
      log,
      now: () => new Date(),
      monotonicMs,
      chance: Math.random,
      random: randomBytes,
    };
    const requests = tokenRequests();
    const refresher = startRefreshing(platform, ports, requests);
    startEnding(platform, ports, refresher);
    measureConnections(platform);

    const app = application(ports, refresher, requests);
    const onNews = (listener: () => void) => notifier.listen(EVENTS_APPENDED, listener);
    const streams = platform.eventStreams({ onNews, restMs: STREAM_REST_MS });
    return {
      callers: callersByAuth(platform),
      usersDeleted: usersDeleted(platform, writing),
      // The topic has records to handle only after a restore.
      consumers: [
        { name: 'lost-ends', dropDuplicates: false, handle: onOwnEvents(app), readyWithout: true },
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
