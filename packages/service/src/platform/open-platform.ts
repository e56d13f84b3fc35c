import { repeat } from '@junction/async';
import type { Event } from '@junction/eventsourcing';
import { EVENTS_APPENDED, postgresEventStore } from '@junction/eventsourcing/postgres';
import { connectKafka, startRelay, topicName } from '@junction/messaging';
import {
  type KeyRing,
  openWithRing,
  ringPlaces,
  sealWithRing,
  subjectVault,
} from '@junction/vault';
import type pg from 'pg';
import { issuerKeys, revocations, type Sealing } from '../callers/index.js';
import { type EventStreams, type EventStreamsOptions, eventStreams } from '../http/index.js';
import { outboundCalls } from '../outbound/index.js';
import { type Meter, metrics, type Runtime } from '../process/index.js';
import { measureCertificates } from './certificate-measures.js';
import { watchDependencies } from './dependencies.js';
import { openRing } from './open-ring.js';
import type { OpenedPlatform, Platform, PlatformConfig } from './platform.js';
import { openEventStore } from './postgres/event-store.js';
import { MAINTENANCE_STATEMENT_MS, openPools } from './postgres/pool.js';
import { measurePools } from './postgres/pool-measures.js';
import { poolShare } from './postgres/pool-share.js';
import { poolSizes } from './postgres/pool-sizes.js';
import { startRebuildPurge } from './postgres/purge-rebuilds.js';
import { watchCommits } from './postgres/waiting.js';
import type { ServiceDefinition } from './service.js';

const COMMITS_EVERY_MS = 10_000;

/** Opens database, keys, Kafka, relay and event store, in this order. */
export async function openPlatform<Config extends PlatformConfig, E extends Event>(
  { name, migrations, streams, sealedColumns }: ServiceDefinition<Config, E>,
  config: Config,
  runtime: Runtime,
): Promise<OpenedPlatform<Config, E>> {
  const { log, closing, health } = runtime;
  const measures = metrics(name);
  const { meter } = measures;
  measureCertificates(meter, config);
  tellRunbooks(meter, config);
  const pools = openPoolsOf(name, config, meter, runtime);
  const { pool, backgroundPool, innerPool, maintenance } = pools;
  const notifier = await openEventStore({ name, pool: backgroundPool, migrations, meter, runtime });

  const places = ringPlaces(sealedColumns);
  const ring = await openRing(config, maintenance, places, runtime);
  const vault = subjectVault({ pool: innerPool, ring });

  const kafka = await connectKafka(config.kafka, name, log);
  const { topicPrefix } = config.kafka;
  const probe = kafka.probe(topicName(topicPrefix, streams.topic));
  const watch = watchDependencies({ meter, pool: backgroundPool, probe, runtime });
  const sending = { pool: backgroundPool, kafka, notifier, topicPrefix, owner: name };
  const relay = await startRelay({ ...sending, log, meter });
  closing.add('relay', relay, (relay) => relay.stop());

  const commits = announcements([() => relay.wake(), () => notifier.notify(EVENTS_APPENDED)]);
  const { source, publish, inline } = streams;
  const codec = streams.codec(vault);
  const afterCommit = commits.committed;
  const store = postgresEventStore({ pool, codec, source, publish, inline, afterCommit });
  const models = { pool, codec, inline };
  startRebuildPurge(pool, runtime);

  const opened = { name, config, log, closing, health, meter, ring, vault, notifier, kafka, store };
  const outbound = outboundCalls(config.proxies, log.answered);
  const { fetch } = closing.add('outbound calls', outbound, (one) => one.close());
  const foreignIssuers = config.trustedIssuers.map((settings) => ({
    settings,
    keys: issuerKeys({ issuer: settings.issuer, log, fetch }),
  }));
  const common = {
    ...opened,
    foreignIssuers,
    fetch,
    ...pools,
    ...commits,
    watch,
    wakeRelay: () => relay.wake(),
  };
  return { platform: { ...common, ...tools(pool, ring, runtime) }, measures, places, models };
}

/** Lets the alerts know where their pages are: Prometheus puts the label into the links of its notifications. */
const tellRunbooks = (meter: Meter, { publicUrl }: PlatformConfig): void =>
  meter.gauge('junction_runbooks_info', '1, with the page that alerts link to.', ['url'], () => [
    { value: 1, labels: { url: `${publicUrl}/docs/runbooks` } },
  ]);

function openPoolsOf(name: string, config: PlatformConfig, meter: Meter, runtime: Runtime) {
  const open = openPools(config, runtime);
  const { all, requests, keys, operators } = poolSizes(config.databasePoolMax);
  const backgroundPool = open(name, all);
  const pool = poolShare(backgroundPool, requests);
  const innerPool = open(`${name} inner`, keys);
  const maintenance = open(`${name} ops`, operators, MAINTENANCE_STATEMENT_MS);
  measurePools(meter, { requests: pool, keys: innerPool, operators: maintenance });
  jobs(runtime)('commits', COMMITS_EVERY_MS, watchCommits(maintenance, runtime.log));
  return { pool, backgroundPool, innerPool, maintenance };
}

/** Creates the list of listeners that are notified of each commit of events. */
function announcements(listeners: (() => void)[]) {
  return {
    committed: () => listeners.forEach((listener) => listener()),
    onCommitted: (listener: () => void) => void listeners.push(listener),
  };
}

function tools(pool: pg.Pool, ring: KeyRing, runtime: Pick<Runtime, 'log' | 'closing'>) {
  const revoked = revocations(pool);
  const endAll = (streams: EventStreams) => streams.end();
  const onError = (error: unknown) =>
    runtime.log.warn(
      { err: error, component: 'streams' },
      'whose sessions are revoked cannot be read: all streams end, and their readers come back',
    );
  return {
    revocations: revoked,
    sealing: sealingWith(ring),
    job: jobs(runtime),
    eventStreams: (options: Pick<EventStreamsOptions, 'onNews' | 'restMs'>) =>
      runtime.closing.add(
        'streams',
        eventStreams({ ...options, revoked: revoked.revokedAmong, onError }),
        endAll,
        { announce: endAll },
      ),
  };
}

const jobs =
  ({ log, closing }: Pick<Runtime, 'log' | 'closing'>): Platform<unknown, Event>['job'] =>
  (name, everyMs, work, options = {}) => {
    const onError = (error: unknown) =>
      log.warn({ err: error, component: name }, 'a background job failed; it will run again');
    return closing.add(name, repeat(everyMs, work, onError), (job) => job.stop(), options);
  };

const sealingWith = (ring: KeyRing): Sealing => ({
  seal: (plaintext, aad) => sealWithRing(ring, plaintext, aad),
  open: (sealed, aad) => openWithRing(ring, sealed, aad),
});
