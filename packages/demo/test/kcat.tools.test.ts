import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { apiAt, type Receiver, startReceiver } from '@junction/testing';
import { useProduct } from '../src/index.js';
import { type Person, signUp } from '../src/person.js';
import { writeWithKcat } from './kcat.js';

const MINUTE = 60_000;

const product = useProduct();
let receiver: Receiver;
let ada: Person;

beforeAll(async () => {
  receiver = await startReceiver();
  ada = await signUp(apiAt(product().endpoints.gateway));
  const json = { url: `${receiver.url}/hook`, events: ['inbox.organized'], enabled: true };
  const configured = await ada.call('POST', '/api/webhooks/configure', { json });
  expect(configured.status).toBe(201);
});

afterAll(async () => {
  await receiver?.close();
});

it('a record written by kcat is delivered byte for byte, like one from our SDK', async () => {
  const data =
    '{"total_emails":1.0,"categorized":{"tasks":0,"meetings":0,"important":9007199254740993},"é":"☕"}';
  // 1.0 is an integer to JSON; the digits of a number beyond 2^53 must not be rounded on the way.
  writeWithKcat(product(), { userId: ada.id, type: 'inbox.organized', lines: data });
  const { body } = await receiver.waitFor(({ path }) => path === '/hook', MINUTE);
  expect(body.toString()).toContain(`"data":${data},`);
});
