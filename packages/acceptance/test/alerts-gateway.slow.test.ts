import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type Product, startProduct } from '@junction/demo';
import { eventually, type Nginx, startNginx } from '@junction/testing';
import { parse, stringify } from 'yaml';
import { MINUTE, standingStill } from './alerting.js';
import { ROOT } from './manifests.js';
import { type Monitor, startMonitor } from './start-monitor.js';

const FOLDER = path.join(ROOT, 'infra/observability');

interface Config {
  readonly scrape_configs: readonly { readonly job_name: string }[];
}
interface Rules {
  readonly groups: readonly { readonly rules: readonly { alert?: string; expr: string }[] }[];
}

jest.setTimeout(8 * MINUTE);
let product: Product;
let nginx: Nginx;
let blackbox: Monitor;
let prometheus: Monitor;

beforeAll(async () => {
  product = await startProduct(process.env);
  const { auth, integrations, webhooks } = product.endpoints.http;
  const hosts = [auth, integrations, webhooks].map((url) => [new URL(url).host]);
  const [ofAuth = [], ofIntegrations = [], ofWebhooks = []] = hosts;
  nginx = await startNginx({
    upstreams: { auth: ofAuth, integrations: ofIntegrations, webhooks: ofWebhooks },
    siteDir: path.join(ROOT, 'packages/dashboard/dist/site'),
  });
  blackbox = await startMonitor('prometheus-blackbox-exporter', {}, () => [
    `--config.file=${path.join(FOLDER, 'blackbox/blackbox.yml')}`,
  ]);
  const files = { 'prometheus.yml': scraping(blackbox.host) };
  prometheus = await startMonitor('prometheus', files, (folder) => [
    `--config.file=${path.join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${path.join(folder, 'data')}`,
  ]);
});

afterAll(async () => {
  await prometheus?.stop();
  await blackbox?.stop();
  await nginx?.stop();
  expect(await product?.stop()).toBe(0);
});

describe('the probe of the gateway', () => {
  it('finds the page and all services, and no alert', async () => {
    await eventually(async () => expect(await ask('probe_success == 1')).toHaveLength(4));
    await eventually(async () => expect(await ask('junction_gateway_connections')).toHaveLength(3));
    expect(await found('JunctionGatewayUnreachable')).toEqual([]);
    expect(await found('JunctionGatewayFailing')).toEqual([]);
    expect(await found('JunctionExporterDown')).toEqual([]);
  });

  it('finds a service that the gateway gets no answer of: JunctionGatewayFailing', async () => {
    await standingStill(product, 'webhook-dispatcher', async () => {
      await finds('JunctionGatewayFailing', ['webhook-dispatcher']);
      expect(await found('JunctionGatewayUnreachable')).toEqual([]);
    });
  });

  it('finds a gateway that is away: JunctionGatewayUnreachable alone, and its numbers missing', async () => {
    await nginx.stop();
    await finds('JunctionGatewayUnreachable', ['junction-probe']);
    expect(await found('JunctionGatewayFailing')).toEqual([]);
    await finds('JunctionExporterDown', ['junction-gateway']);
  });
});

const finds = (alert: string, wanted: readonly string[]) =>
  eventually(async () => expect({ alert, of: await found(alert) }).toEqual({ alert, of: wanted }), {
    deadlineMs: 3 * MINUTE,
    pollMs: 500,
  });

/** The services, or else the jobs, of which the expression of an alert is true now. */
async function found(alert: string): Promise<readonly string[]> {
  const { groups } = parse(read('alerts-infrastructure.yaml')) as Rules;
  const rule = groups.flatMap(({ rules }) => rules).find((one) => one.alert === alert);
  if (rule === undefined) throw new Error(`There is no alert ${alert}.`);
  return (await ask(rule.expr)).map(({ service, job = '' }) => service ?? job);
}

async function ask(query: string): Promise<readonly Readonly<Record<string, string>>[]> {
  const body = new URLSearchParams({ query });
  const answer = await fetch(`${prometheus.url}/api/v1/query`, { method: 'POST', body });
  const { data } = (await answer.json()) as {
    readonly data: { readonly result: readonly { readonly metric: Record<string, string> }[] };
  };
  return data.result.map(({ metric }) => metric);
}

/** The jobs of prometheus.yml that look at the gateway, at the addresses of this test. */
function scraping(blackboxHost: string): string {
  const { scrape_configs: jobs } = parse(read('prometheus.yml')) as Config;
  const ofGateway = jobs.filter(({ job_name: name }) => /gateway|probe/.test(name));
  expect(ofGateway).toHaveLength(2);
  // An interval that leaves a busy machine time to answer.
  return stringify({ global: { scrape_interval: '4s' }, scrape_configs: ofGateway })
    .replaceAll('gateway:8080', new URL(nginx.url).host)
    .replaceAll('gateway:8081', new URL(nginx.metricsUrl).host)
    .replaceAll('blackbox:9115', blackboxHost);
}

function read(file: string): string {
  return readFileSync(path.join(FOLDER, file), 'utf8');
}
