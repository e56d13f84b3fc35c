import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { type Person, signUp } from '@junction/demo';
import { apiAt, eventually, type Receiver, startReceiver } from '@junction/testing';
import pg from 'pg';
import { parse, stringify } from 'yaml';
import { type Replicated, startReplicated } from '../src/rolling/replicas.js';
import { MINUTE } from './alerting.js';
import { ROOT } from './manifests.js';
import { type Monitor, startAlertmanager } from './start-monitor.js';
import { type Prometheus, startPrometheus } from './start-prometheus.js';

jest.setTimeout(15 * MINUTE);

const SCRAPED_EVERY_S = 5;

let receiver: Receiver;
let product: Replicated;
let alertmanager: Monitor;
let prometheus: Prometheus;
let ada: Person;

beforeAll(async () => {
  receiver = await startReceiver();
  product = await startReplicated(process.env);
  alertmanager = await startAlertmanager(tellingTheReceiver());
  prometheus = await startPrometheus(product.hosts, SCRAPED_EVERY_S, alertmanager.host);
  ada = await signUp(apiAt(product.endpoints.gateway));
  await eventually(
    async () =>
      expect(await prometheus.ask('count(junction_runbooks_info)')).toEqual([product.hosts.length]),
    { deadlineMs: MINUTE },
  );
});

afterAll(async () => {
  await prometheus?.stop();
  await alertmanager?.stop();
  await product?.stop();
  await receiver?.close();
});

it('two minutes without Kafka page once, within two minutes, while what follows alerts too', async () => {
  const beganMs = Date.now();
  const away = product.outage('kafka', 2 * MINUTE);
  // An outbox gets what it cannot send.
  const json = { url: `${receiver.url}/hook`, events: ['draft.created'], enabled: true };
  expect((await ada.call('POST', '/api/webhooks/configure', { json })).status).toBe(201);
  await firing('JunctionKafkaUnreachable');
  await firing('JunctionOutboxStuck');
  await firing('JunctionConsumerStopped');
  await away;
  await over('JunctionKafkaUnreachable');

  const [page, ...others] = begun();
  expect(others).toEqual([]);
  expect(page?.atMs).toBeLessThan(beganMs + 2 * MINUTE);
  expect(page?.alerts.map(({ labels }) => `${labels['alertname']} ${labels['service']}`)).toEqual([
    'JunctionKafkaUnreachable auth',
    'JunctionKafkaUnreachable integrations',
    'JunctionKafkaUnreachable webhook-dispatcher',
  ]);
  // This gateway has no documentation; the page is the one that PUBLIC_URL leads to.
  expect(page?.alerts[0]?.annotations['runbook_url']).toMatch(
    /^http:\/\/localhost:\d+\/docs\/runbooks#junctionkafkaunreachable$/,
  );
});

it('a transaction that is left open pages once, for all services that it holds up', async () => {
  const before = begun().length;
  const client = new pg.Client({ connectionString: product.adminUrl });
  await client.connect();
  try {
    await client.query('begin; select pg_current_xact_id()');
    await firing('JunctionReaderFenceOld');
    await eventually(() => expect(begun()).toHaveLength(before + 1), { deadlineMs: MINUTE });
  } finally {
    await client.end();
  }
  await over('JunctionReaderFenceOld');
  const [page, ...others] = begun().slice(before);
  expect(others).toEqual([]);
  expect(page?.alerts.map(({ labels }) => `${labels['alertname']} ${labels['service']}`)).toEqual([
    'JunctionReaderFenceOld auth',
    'JunctionReaderFenceOld integrations',
    'JunctionReaderFenceOld webhook-dispatcher',
  ]);
});

/** The configuration as it is, with webhooks in place of mail, and news of a group sooner. */
function tellingTheReceiver(): string {
  const file = path.join(ROOT, 'infra/observability/alertmanager.yaml');
  const {
    global: _,
    route,
    ...config
  } = parse(readFileSync(file, 'utf8')) as {
    readonly global: unknown;
    readonly route: object;
  };
  const receivers = ['page', 'ticket'].map((name) => ({
    name,
    webhook_configs: [{ url: `${receiver.url}/${name}`, send_resolved: true }],
  }));
  return stringify({ ...config, receivers, route: { ...route, group_interval: '10s' } });
}

interface Notification {
  readonly status: 'firing' | 'resolved';
  readonly groupKey: string;
  readonly alerts: readonly {
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  }[];
}

const pages = (status: Notification['status']) =>
  receiver.requests
    .filter((request) => request.path === '/page')
    .map(({ body, atMs }) => ({ ...(JSON.parse(body.toString()) as Notification), atMs }))
    .filter((page) => page.status === status);

/** The first page of each group: those that follow are news of the same trouble, such as that half of it is over. */
const begun = () =>
  pages('firing').filter(
    ({ groupKey }, place, all) => all.findIndex((page) => page.groupKey === groupKey) === place,
  );

const firing = (alert: string) =>
  eventually(
    async () => {
      const expression = `ALERTS{alertname="${alert}", alertstate="firing"}`;
      expect((await prometheus.ask(expression)).length).toBeGreaterThan(0);
    },
    { deadlineMs: 5 * MINUTE, pollMs: 1_000 },
  );

/** Resolves when the receiver was told that the alert is over, and nothing else fires any more. */
const over = (alert: string) =>
  eventually(
    async () => {
      const told = pages('resolved').flatMap(({ alerts }) => alerts);
      expect(told.map(({ labels }) => labels['alertname'])).toContain(alert);
      expect(await prometheus.ask('ALERTS{alertstate="firing", severity="page"}')).toEqual([]);
    },
    { deadlineMs: 8 * MINUTE, pollMs: 1_000 },
  );
