import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { newSite, readEndpoints, type Site, tellStory } from '@junction/demo';
import {
  allowInKafka,
  gatewayProgram,
  type KafkaAcl,
  migrationJob,
  type NodeProgram,
  openDatabases,
  providerPrograms,
  runNode,
  type Served,
  serviceProgram,
  startKafka,
  startPostgres,
  topicsJob,
  writeEndpoints,
} from '@junction/local-stack';
import { freePort } from '@junction/local-stack/process';
import { eventually } from '@junction/testing';
import pg from 'pg';
import { parseAllDocuments } from 'yaml';

const MINUTE = 60_000;
const SERVICES = ['auth', 'integrations', 'webhooks'] as const;
const MANIFESTS = path.resolve(import.meta.dirname, '../../../infra/k8s/strimzi/kafka-users.yaml');

const acls = aclsOf(readFileSync(MANIFESTS, 'utf8'));
const dispatcher = 'webhook-dispatcher-kafka';
const withheld: Readonly<Record<string, readonly string[]>> = {
  'assistant.events.v1': ['Write'],
  'user.events.v1.dlq': ['Write', 'DescribeConfigs'],
  'webhooks.events.v1': ['DescribeConfigs'],
};
const givenLater = acls.filter(
  ({ user, type, name, operation }) =>
    user === dispatcher && (type === 'group' || withheld[name]?.includes(operation)),
);
jest.setTimeout(4 * MINUTE);

let site: Site;
let loginPort: number;

beforeAll(async () => {
  site = await newSite(process.env);
  loginPort = await freePort();
  const { dataDir, ports, secrets } = site.world;
  const passwords = Object.fromEntries(acls.map(({ user }) => [user, passwordOf(user)]));
  const logins = { port: loginPort, passwords };
  const kafka = await startKafka({ dataDir, port: ports.KAFKA_PORT, logins });
  site.closeLater(() => kafka.stop());
  const postgres = await startPostgres({ dataDir, port: ports.POSTGRES_PORT });
  site.closeLater(() => postgres.stop());
  await openDatabases(postgres.adminUrl, {}, secrets);
  await allowInKafka(
    kafka.brokers,
    acls.filter((acl) => !givenLater.includes(acl)),
  );
});

afterAll(async () => {
  await site?.close();
});

it('the rights of infra/k8s/strimzi/kafka-users.yaml are all that the product needs of Kafka, and what is missing is said by name', async () => {
  const { world } = site;
  const signal = AbortSignal.timeout(2 * MINUTE);
  await runNode(loggedIn(topicsJob(world)), signal);
  for (const service of SERVICES) await runNode(migrationJob(world, service), signal);
  const served = SERVICES.map((service) => serviceProgram(world, service));
  const ready = served.map(async ({ child, readyUrl }) =>
    site.start({ child: loggedIn(child), readyUrl }),
  );

  await refusedTo('Read', 'group webhook-dispatcher.user');
  await refusedTo('Read', 'group webhook-dispatcher.assistant');
  expect(await doctor('webhooks')).toEqual([
    'problem  topics: The Kafka user webhook-dispatcher-kafka may not see user.events.v1.dlq, whether they exist or not.',
    `         Give it Read or Write on each: ${GIVE}`,
    'problem  topics: The Kafka user webhook-dispatcher-kafka has no right to Write assistant.events.v1.',
    `         Give it Write on each: ${GIVE}`,
    'warning  topics: The Kafka user webhook-dispatcher-kafka has no right to DescribeConfigs webhooks.events.v1: retention, clean-up and replicas in sync were not looked at.',
    `         Give it DescribeConfigs on each: ${GIVE}`,
  ]);
  await allowInKafka(world.kafkaBrokers, givenLater);
  await Promise.all(ready);
  for (const service of SERVICES) {
    expect(await doctor(service)).toEqual([
      expect.stringMatching(
        /^ok       topics: All \d are there, with the settings and the rights that/,
      ),
    ]);
  }
  const refusals = logOf('webhook-dispatcher').length;

  const others: readonly Served[] = [...providerPrograms(world), gatewayProgram(world)];
  await Promise.all(others.map(site.start));
  writeEndpoints(world);
  await tellStory(readEndpoints(world.dataDir), () => undefined);
  for (const service of SERVICES) await nothingWaits(world.databaseUrls[service]);

  expect(logOf('webhook-dispatcher').slice(refusals)).not.toMatch(/not authorized/i);
  for (const name of ['auth', 'integrations']) expect(logOf(name)).not.toMatch(/not authorized/i);
});

const passwordOf = (user: string): string => `password-of-${user}`;

/** Returns the program with the login of the Kafka user that is named after it. */
const loggedIn = (child: NodeProgram): NodeProgram => {
  const user = `${child.name}-kafka`;
  return {
    ...child,
    env: {
      ...child.env,
      KAFKA_BROKERS: `127.0.0.1:${loginPort}`,
      KAFKA_SASL_MECHANISM: 'plain',
      KAFKA_SASL_USERNAME: user,
      KAFKA_SASL_PASSWORD: passwordOf(user),
    },
  };
};

const GIVE =
  'docs/configuration.md lists under "Rights in Kafka" all that it needs, infra/k8s/strimzi/kafka-users.yaml the same for Strimzi.';

/** Returns the lines that the doctor of a service says of Kafka's topics. */
async function doctor(service: (typeof SERVICES)[number]): Promise<readonly string[]> {
  const child = loggedIn(serviceProgram(site.world, service).child);
  const name = `${child.name}-doctor`;
  rmSync(path.join(child.logsDir, `${name}.log`), { force: true });
  // Other checks may have problems while the product starts.
  await runNode({ ...child, name, args: ['doctor'] }, AbortSignal.timeout(MINUTE)).catch(() => {});
  const lines = logOf(name).split('\n');
  const isOfTopics = (line?: string) => line?.slice(9).startsWith('topics: ') ?? false;
  return lines.filter(
    (line, place) => isOfTopics(line) || (line.startsWith(' ') && isOfTopics(lines[place - 1])),
  );
}

const logOf = (name: string): string =>
  readFileSync(path.join(site.world.dataDir, 'logs', `${name}.log`), 'utf8');

async function refusedTo(operation: string, resource: string): Promise<void> {
  await eventually(
    () => {
      const lines = logOf('webhook-dispatcher')
        .split('\n')
        .filter((line) => line.startsWith('{'));
      expect(lines.map((line) => JSON.parse(line) as object)).toContainEqual(
        expect.objectContaining({
          msg: 'kafka: not authorized',
          principal: `User:${dispatcher}`,
          operation,
          resource,
        }),
      );
    },
    { deadlineMs: MINUTE },
  );
}

/** Waits until the outbox of a service is empty: every record is in Kafka. */
async function nothingWaits(databaseUrl: string): Promise<void> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    await eventually(async () => {
      const { rows } = await client.query('select count(*)::int as waiting from outbox');
      expect(rows).toEqual([{ waiting: 0 }]);
    });
  } finally {
    await client.end();
  }
}

interface KafkaUserManifest {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly authorization: {
      readonly acls: readonly {
        readonly resource: Pick<KafkaAcl, 'type' | 'name'>;
        readonly operations: readonly KafkaAcl['operation'][];
      }[];
    };
  };
}

function aclsOf(manifests: string): readonly KafkaAcl[] {
  const users = parseAllDocuments(manifests).map((each) => each.toJS() as KafkaUserManifest);
  return users.flatMap(({ metadata: { name: user }, spec }) =>
    spec.authorization.acls.flatMap(({ resource, operations }) =>
      operations.map((operation) => ({ user, ...resource, operation })),
    ),
  );
}
