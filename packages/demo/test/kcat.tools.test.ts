import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
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

it('a record written by kcat is delivered byte for byte, like one from our SDK', async () => {
  const data =
    '{"total_emails":1.0,"categorized":{"tasks":0,"meetings":0,"important":9007199254740993},"é":"☕"}';
  // 1.0 is an integer to JSON; the digits of a number beyond 2^53 must not be rounded on the way.
  publish(data);
  const { body } = await receiver.waitFor(({ path }) => path === '/hook', MINUTE);
  expect(body.toString()).toContain(`"data":${data},`);
});

function publish(data: string): void {
  const headers = {
    ce_specversion: '1.0',
    ce_id: randomUUID(),
    ce_source: '/kcat',
    ce_type: 'inbox.organized',
    ce_subject: ada.id,
    'content-type': 'application/json',
  };
  const args = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}=${value}`]);
  const { status, stderr, error } = spawnSync(
    'kcat',
    ['-P', '-b', product.endpoints.kafka, '-t', TOPIC, '-k', ada.id, ...args],
    { input: data, encoding: 'utf8' },
  );
  if (error) throw new Error(`kcat could not be run (${error.message}): apt-get install -y kcat`);
  expect({ status, stderr }).toMatchObject({ status: 0 });
}
