import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiAt, type Product, startProduct } from '@junction/demo';
import { type KafkaPort, kafkaClient, type ProducerPort } from '@junction/messaging';
import { eventually } from '@junction/testing';
import { junction, values } from './junction.js';

const MINUTE = 60_000;
const TOPIC = 'assistant.events.v1';
const CONSUMER = 'webhook-dispatcher.assistant';
const UUID = /^[0-9a-f-]{36}$/;

const log = { debug() {}, info() {}, warn() {}, error() {} };

let product: Product;
let kafka: KafkaPort;
let producer: ProducerPort;

beforeAll(async () => {
  product = await startProduct(process.env);
  kafka = kafkaClient({ brokers: [product.endpoints.kafka], clientId: 'junction-test', log });
  producer = await kafka.producer();
}, 4 * MINUTE);

afterAll(async () => {
  await producer?.close();
  expect(await product?.stop()).toBe(0);
}, MINUTE);

const webhooks = (...args: readonly string[]) => junction(product, [...args, '-s', 'webhooks']);

describe('junction dlq', () => {
  it('lists, shows, redrives and drops a record that could not be handled', async () => {
    const userId = randomUUID();
    await publishUnknownKind(userId);
    const letter = await eventually(async () => {
      const [found] = values(await webhooks('dlq', 'list', '--user', userId, '--json'));
      expect(found).toMatchObject({ reason: { code: 'ce_type_unknown' }, state: 'open' });
      return found;
    });
    const id = String(letter?.['id']);
    expect(letter).toMatchObject({
      id: expect.stringMatching(UUID),
      consumer: CONSUMER,
      topic: TOPIC,
    });

    const people = await webhooks('dlq', 'list');
    expect(people).toMatchObject({ code: 0, err: '' });
    expect(people.out).toContain(id);

    const shown = await webhooks('dlq', 'show', id);
    expect(shown.out).toContain('ce_type_unknown');
    expect(shown.out).not.toContain('for her eyes only');
    const record = await webhooks('dlq', 'show', id, '--record');
    expect(record.out).toContain('for her eyes only');

    // The handler has not learnt that kind meanwhile, so it fails again, and says so.
    const redriven = await webhooks('dlq', 'redrive', id, '--json');
    expect(redriven.code).toBe(1);
    expect(values(redriven)).toMatchObject([
      { id, outcome: 'failed', reason: { code: 'ce_type_unknown' } },
    ]);

    const dropped = await webhooks('dlq', 'drop', '--user', userId, '--note', 'a broken producer');
    expect(dropped).toMatchObject({ code: 0, out: expect.stringContaining('dropped') });
    expect(values(await webhooks('dlq', 'show', id, '--json'))).toMatchObject([
      { state: 'discarded', resolved_by: 'cli_operator', note: 'a broken producer', redrives: 1 },
    ]);
    expect(values(await webhooks('dlq', 'list', '--user', userId, '--json'))).toEqual([]);
  });

  it('leaves an event of each change, with what came of it and no text', async () => {
    const streams = values(await webhooks('events', 'streams', 'ops-', '--json'));
    const count = String(streams.length);
    const followed = await webhooks(
      'events',
      'follow',
      '-c',
      'ops',
      '--beginning',
      '--json',
      '-n',
      count,
    );
    expect(followed.out).not.toContain('broken producer');
    const events = values(followed);
    const methods = events.map(({ data }) => (data as { method?: string }).method);
    expect(methods).toContain('ListDeadLetters');
    const asked = events.find(({ type }) => type === 'ops.requested');
    expect(asked).toMatchObject({
      data: { method: 'RedriveDeadLetters', clientId: 'cli_operator' },
      metadata: { actor: 'service cli_operator' },
    });
    const stream = String(asked?.['stream_id']);
    const [state] = values(await webhooks('events', 'state', stream, '--json'));
    expect(state).toMatchObject({ state: { status: 'completed', result: { failed: 1 } } });
  });

  it.each([
    [['dlq', 'redrive'], 2, 'Name ids, or else'],
    [['dlq', 'drop', randomUUID()], 2, "'--note <why>' not specified"],
    [['dlq', 'show', randomUUID()], 1, 'There is no dead letter'],
    [['dlq', 'redrive', randomUUID()], 1, '1 of 1 did not come to that'],
  ])('says what is wrong with %j', async (args, code, words) => {
    const ended = await webhooks(...args);
    expect(ended.code).toBe(code);
    expect(ended.err).toContain(words);
  });

  it('says that auth consumes nothing', async () => {
    const ended = await junction(product, ['dlq', 'list', '-s', 'auth']);
    expect(ended).toMatchObject({ code: 1, err: expect.stringContaining('consumes no topics') });
  });
});

describe('junction consumers', () => {
  it('lists partitions, and resets one only when it must or is forced', async () => {
    const mine = await eventually(async () => {
      const listed = values(await webhooks('consumers', 'list', '--json'));
      const found = listed.find(
        ({ consumer, offset }) => consumer === CONSUMER && Number(offset) > 0,
      );
      expect(found).toMatchObject({ topic: TOPIC, state: 'running', lag: 0 });
      return found;
    });
    const reset = ['consumers', 'reset', CONSUMER, TOPIC, String(mine?.['partition'])];
    expect(await webhooks(...reset, '--beginning')).toMatchObject({
      code: 1,
      err: expect.stringContaining('FAILED_PRECONDITION'),
    });
    expect(await webhooks(...reset)).toMatchObject({ code: 2 });
    const forced = await webhooks(
      ...reset,
      '--offset',
      String(mine?.['offset']),
      '--force',
      '--json',
    );
    expect(values(forced)).toMatchObject([{ from: mine?.['offset'], offset: mine?.['offset'] }]);
    const beyond = await webhooks(...reset, '--offset', '999999', '--force');
    expect(beyond).toMatchObject({ code: 2, err: expect.stringContaining('within the log') });
  });
});

describe('junction projections', () => {
  it('lists them, and rebuilds one beside the one that answers', async () => {
    const api = apiAt(product.endpoints.gateway);
    const json = { email: `${randomUUID()}@example.com`, password: `pass ${randomUUID()}` };
    expect((await api('POST', '/api/auth/register', { json })).status).toBe(201);
    const list = async () =>
      values(await junction(product, ['projections', 'list', '-s', 'auth', '--json']));
    expect(await list()).toContainEqual(
      expect.objectContaining({ name: 'users', mode: 'inline', version: 1, status: 'running' }),
    );
    const rebuilt = await junction(product, ['projections', 'rebuild', '-s', 'auth', 'users']);
    expect(rebuilt).toMatchObject({ code: 0, out: expect.stringContaining('from version 2') });
    expect(await list()).toContainEqual(expect.objectContaining({ name: 'users', version: 2 }));
    const login = await api('POST', '/api/auth/login', { json });
    expect(login.status).toBe(200);
  });

  it.each([
    [['rebuild', 'nothing'], 'There is no projection "nothing"'],
    [['retry', 'users'], 'is not stopped'],
    [['skip', 'users', '1'], 'is not stopped'],
    [['discard', 'users'], 'is not being rebuilt'],
  ])('refuses %j', async ([verb = '', ...args], words) => {
    const ended = await junction(product, ['projections', verb, '-s', 'auth', ...args]);
    expect(ended.code).toBe(1);
    expect(ended.err).toContain(words);
  });
});

describe('junction doctor and partitions', () => {
  it('finds every stream well', async () => {
    const ended = await junction(product, ['doctor', '-s', 'auth', '--json']);
    expect(ended.code).toBe(0);
    expect(values(ended)).toMatchObject([{ streams: expect.any(Number), problems: [] }]);
  });

  it('lists the partitions, and archives none that is still written', async () => {
    const [first] = values(await webhooks('partitions', 'list', '--json'));
    expect(first).toMatchObject({ number: 0, state: 'attached', bytes: expect.any(Number) });
    expect(await webhooks('partitions', 'archive', '0')).toMatchObject({
      code: 1,
      err: expect.stringContaining('still being written'),
    });
    expect(await webhooks('partitions', 'attach', '0')).toMatchObject({
      code: 1,
      err: expect.stringContaining('no table archived_events.events_p0'),
    });
  });
});

const publishUnknownKind = async (userId: string): Promise<void> =>
  producer.sendBatch([
    {
      topic: TOPIC,
      key: userId,
      value: Buffer.from('{"note":"for her eyes only"}'),
      headers: {
        ce_specversion: '1.0',
        ce_id: randomUUID(),
        ce_source: '/junction-test',
        ce_type: 'inbox.exploded',
        ce_subject: userId,
        'content-type': 'application/json',
      },
    },
  ]);
