import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import { parse } from 'yaml';
import { followsOf } from './follows-of.js';
import { ROOT, run } from './manifests.js';
import { type Monitor, startAlertmanager } from './start-monitor.js';

interface Rule {
  readonly alert?: string;
  readonly expr: string;
  readonly labels?: Labels & { readonly cause?: string; readonly follows?: string };
}
type Labels = Readonly<Record<string, string>>;

const CONFIG = path.join(ROOT, 'infra/observability/alertmanager.yaml');
const rules = ['alerts.yaml', 'alerts-infrastructure.yaml'].flatMap((file) => {
  const text = readFileSync(path.join(ROOT, 'infra/observability', file), 'utf8');
  const { groups } = parse(text) as {
    readonly groups: readonly { readonly rules: readonly Rule[] }[];
  };
  return groups.flatMap((group) => group.rules);
});
/** Labels of each alert that the rules can make, but for those that say what it is about. */
const alerts: readonly Labels[] = rules.flatMap(({ alert, expr, labels = {} }) =>
  alert === undefined
    ? []
    : followsOf({ expr, labels }).map((follows) => ({
        ...labels,
        ...(follows && { follows }),
        alertname: alert,
      })),
);

/** The alert that keeps back what follows from Kafka in every service. */
const OF_ALL = 'JunctionPartitionsOffline';

/** Alerts that are kept back while a cause alerts, in the words of the rules without `Junction`. */
const FOLLOWERS: Readonly<Record<string, string>> = {
  kafka: 'ConsumerBehind ConsumerStopped NotReady OutboxStuck',
  postgres:
    'AnswersSlow ConsumerBehind ConsumerStopped DeliveriesLate FirstAttemptsLate FirstAttemptsLate GatewayFailing LeasesFlap MailStuck NotReady NumbersMissing OutboxStuck PoolExhausted RefreshesLate RevocationsNoticedLate ServerErrors ServerErrors ServiceDown ServiceDown ShardsUnowned TokensRefused TokensRefused',
  disk: 'ConsumerBehind ConsumerStopped DeliveriesLate FirstAttemptsLate FirstAttemptsLate MailStuck OutboxStuck RefreshesLate ServerErrors ServerErrors TokensRefused TokensRefused',
  service:
    'ConsumerBehind DeliveriesLate FirstAttemptsLate FirstAttemptsLate GatewayFailing LeasesFlap MailStuck NumbersMissing RefreshesLate RevocationsNoticedLate ServiceDown ShardsUnowned',
  auth: 'AnswersSlow NotReady ServerErrors ServerErrors TokensRefused TokensRefused',
  transaction:
    'AnswersSlow DeliveriesLate FirstAttemptsLate FirstAttemptsLate OutboxStuck PoolExhausted ServerErrors ServerErrors ShardsUnowned TokensRefused TokensRefused',
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
      const ofOneService = alerts.filter((labels) => labels['alertname'] !== OF_ALL);
      const together = ofOneService.filter(
        (labels) =>
          labels['cause'] === undefined ||
          labels['cause'] === cause ||
          labels['follows']?.split(' ').includes(cause),
      );
      const others = ofOneService.filter((labels) => labels['cause'] === undefined);
      await alert([
        ...together.map((labels) => ({ ...labels, service })),
        ...others.map((labels) => ({ ...labels, service: `beside-${cause}` })),
      ]);
      // Alertmanager takes alerts in, and then looks what each of them keeps back.
      await eventually(async () => expect(await keptBack(service)).toEqual(followers.split(' ')));
      expect(await keptBack(`beside-${cause}`)).toEqual([]);
    },
  );

  it('tells of a service that cannot reach auth, unless auth is down itself', async () => {
    const [unreachable] = named('JunctionAuthUnreachable');
    const [down, oneReplica] = named('JunctionServiceDown');
    await alert([
      { ...unreachable, service: 'integrations' },
      { ...down, service: 'webhook-dispatcher' },
      { ...oneReplica, service: 'auth' },
    ]);
    expect(await keptBack('integrations')).toEqual([]);
    await alert([{ ...down, service: 'auth' }]);
    await eventually(async () =>
      expect(await keptBack('integrations')).toEqual(['AuthUnreachable']),
    );
  });

  it('tells of partitions without a leader alone, whichever services they stop', async () => {
    const follows = alerts.filter((labels) => labels['follows']?.includes('kafka'));
    const all = [...named('JunctionKafkaUnreachable'), ...follows];
    await alert(all.map((labels) => ({ ...labels, service: 'all-partitions' })));
    await alert(named(OF_ALL));
    await eventually(async () => expect(await keptBack('all-partitions')).toHaveLength(all.length));
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

const named = (name: string): readonly Labels[] =>
  alerts.filter((labels) => labels['alertname'] === name);
