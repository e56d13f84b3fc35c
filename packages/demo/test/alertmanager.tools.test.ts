import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { ROOT, run } from './manifests.js';
import { type Monitor, startAlertmanager } from './start-monitor.js';

interface Rule {
  readonly alert: string;
  readonly labels: Labels & { readonly cause?: string; readonly follows?: string };
}
type Labels = Readonly<Record<string, string>>;

const CONFIG = path.join(ROOT, 'infra/observability/alertmanager.yaml');
const { groups } = parse(
  readFileSync(path.join(ROOT, 'infra/observability/alerts.yaml'), 'utf8'),
) as { readonly groups: readonly { readonly rules: readonly Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

/** Alerts that are kept back while a cause alerts, in the words of the rules without `Junction`. */
const FOLLOWERS: Readonly<Record<string, string>> = {
  kafka: 'ConsumerBehind ConsumerStopped NotReady OutboxStuck',
  postgres:
    'AnswersSlow ConsumerBehind ConsumerStopped DeliveriesLate LeasesFlap MailStuck NotReady NumbersMissing OutboxStuck PoolExhausted RefreshesLate RevocationsNoticedLate ServerErrors ServiceDown ShardsUnowned',
  disk: 'ConsumerBehind ConsumerStopped DeliveriesLate MailStuck OutboxStuck RefreshesLate ServerErrors',
  service:
    'ConsumerBehind DeliveriesLate LeasesFlap MailStuck NumbersMissing RefreshesLate RevocationsNoticedLate ShardsUnowned',
  auth: 'AnswersSlow NotReady ServerErrors',
  // The last one: what it keeps back is not of one service.
  transaction: 'AnswersSlow DeliveriesLate OutboxStuck PoolExhausted ServerErrors ShardsUnowned',
};

describe('amtool', () => {
  it('accepts the configuration, and finds that pages and tickets go to their receivers', () => {
    expect(run('amtool', ['check-config', CONFIG])).toContain('SUCCESS');
    const receiverOf = (labels: Labels) => {
      const pairs = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
      return run('amtool', ['config', 'routes', 'test', `--config.file=${CONFIG}`, ...pairs]);
    };
    expect(receiverOf({ severity: 'page', alertname: 'JunctionServiceDown' }).trim()).toBe('page');
    expect(receiverOf({ severity: 'ticket', alertname: 'JunctionMailStuck' }).trim()).toBe(
      'ticket',
    );
  });
});

describe('Alertmanager', () => {
  let alertmanager: Monitor;
  beforeAll(async () => {
    alertmanager = await startAlertmanager(readFileSync(CONFIG, 'utf8'));
  });
  afterAll(() => alertmanager?.stop());

  it.each(Object.entries(FOLLOWERS))(
    'keeps back what follows from %s in the same service, and nothing else',
    async (cause, followers) => {
      const service = `without-${cause}`;
      const together = rules.filter(
        ({ labels }) =>
          labels.cause === undefined ||
          labels.cause === cause ||
          labels.follows?.split(' ').includes(cause),
      );
      await alert(together.map((rule) => ({ ...labelsOf(rule), service })));
      expect(await keptBack(service)).toEqual(followers.split(' '));
    },
  );

  it('tells of a service that cannot reach auth, unless auth is down itself', async () => {
    const [down, unreachable] = ['JunctionServiceDown', 'JunctionAuthUnreachable'].map((name) =>
      labelsOf(rules.find((rule) => rule.alert === name)),
    );
    await alert([
      { ...unreachable, service: 'integrations' },
      { ...down, service: 'webhook-dispatcher' },
    ]);
    expect(await keptBack('integrations')).toEqual([]);
    await alert([{ ...down, service: 'auth' }]);
    expect(await keptBack('integrations')).toEqual(['AuthUnreachable']);
  });

  async function alert(all: readonly Labels[]): Promise<void> {
    const { status } = await fetch(`${alertmanager.url}/api/v2/alerts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(all.map((labels) => ({ labels }))),
    });
    expect(status).toBe(200);
  }

  async function keptBack(service: string): Promise<readonly string[]> {
    const filter = encodeURIComponent(`service="${service}"`);
    const answer = await fetch(`${alertmanager.url}/api/v2/alerts?filter=${filter}`);
    const all = (await answer.json()) as readonly {
      readonly labels: Labels;
      readonly status: { readonly inhibitedBy: readonly string[] };
    }[];
    return all
      .filter(({ status }) => status.inhibitedBy.length > 0)
      .map(({ labels }) => labels['alertname']?.replace('Junction', '') ?? '')
      .sort();
  }
});

const labelsOf = (rule?: Rule): Labels => ({ ...rule?.labels, alertname: rule?.alert ?? '' });
