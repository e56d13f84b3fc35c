import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiAt, type Receiver, startReceiver } from '@junction/testing';
import { type SharedProduct, sharedProduct } from '../src/index.js';
import { type Person, signUp } from '../src/person.js';

const MINUTE = 60_000;
const TOPIC = 'assistant.events.v1';

let product: SharedProduct;
let receiver: Receiver;
let ada: Person;

beforeAll(async () => {
  receiver = await startReceiver();
  product = await sharedProduct(process.env);
  ada = await signUp(apiAt(product.endpoints.gateway));
  const json = { url: `${receiver.url}/hook`, events: ['inbox.organized'], enabled: true };
  const configured = await ada.call('POST', '/api/webhooks/configure', { json });
  expect(configured.status).toBe(201);
}, 4 * MINUTE);

afterAll(async () => {
  expect(await product?.stop()).toBe(0);
  await receiver?.close();
}, MINUTE);

describe('a record written by kcat', () => {
  it('is delivered byte for byte, like one from our SDK', async () => {
    const data =
      '{"total_emails":1.0,"categorized":{"tasks":0,"meetings":0,"important":9007199254740993},"é":"☕"}';
    // 1.0 is an integer to JSON; the digits of a number beyond 2^53 must not be rounded on the way.
    publish(randomUUID(), data);
    const { body } = await receiver.waitFor(({ path }) => path === '/hook', MINUTE);
    expect(body.toString()).toContain(`"data":${data},`);
  });

  it('is delivered once when it is written twice, and a broken one before it stops nothing', async () => {
    publish('broken', '{"total_emails":-1}');
    const id = randomUUID();
    const data = '{"total_emails":2,"categorized":{"important":0,"meetings":0,"tasks":0}}';
    publish(id, data);
    publish(id, data);
    publish('last', data.replace('2', '3'));
    const isLast = ({ body }: { body: Buffer }) => body.includes('"total_emails":3');
    await receiver.waitFor(isLast, MINUTE);
    const twos = receiver.requests.filter(({ body }) => body.includes('"total_emails":2'));
    expect(twos).toHaveLength(1);
    expect(receiver.requests.some(({ body }) => body.includes('"total_emails":-1'))).toBe(false);
  });

  it.each(['gzip', 'snappy', 'lz4', 'zstd'])(
    'is delivered byte for byte when it is compressed with %s',
    async (codec) => {
      const pad = codec.repeat(500);
      const data = `{"total_emails":0,"categorized":{"tasks":0,"meetings":0,"important":0},"pad":"${pad}"}`;
      publish(randomUUID(), data, '-z', codec);
      const { body } = await receiver.waitFor(({ body }) => body.includes(pad), MINUTE);
      expect(body.toString()).toContain(`"data":${data},`);
    },
  );
});

function publish(id: string, data: string, ...options: readonly string[]): void {
  const headers = {
    ce_specversion: '1.0',
    ce_id: id,
    ce_source: '/kcat',
    ce_type: 'inbox.organized',
    ce_subject: ada.id,
    'content-type': 'application/json',
  };
  const args = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}=${value}`]);
  const { status, stderr, error } = spawnSync(
    'kcat',
    ['-P', '-b', product.endpoints.kafka, '-t', TOPIC, '-k', ada.id, ...args, ...options],
    { input: data, encoding: 'utf8' },
  );
  if (error) throw new Error(`kcat could not be run (${error.message}): apt-get install -y kcat`);
  expect({ status, stderr }).toMatchObject({ status: 0 });
}
