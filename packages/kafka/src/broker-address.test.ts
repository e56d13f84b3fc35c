import { expect, it } from '@jest/globals';
import { hostOf, withoutColons } from './broker-address.js';

it.each([
  '[::1]:9092',
  '[2001:db8::7]:9092',
  '[::ffff:192.0.2.1]:9092',
  'kafka-0.kafka:9092',
  '192.0.2.1:9092',
])('a broker is reached at the host that was named: %s', (broker) => {
  const [host = '', port, ...rest] = withoutColons(broker).split(':');
  expect([port, rest]).toEqual(['9092', []]);
  expect(hostOf(host)).toBe(broker.replace(/:9092$/, '').replace(/^\[|\]$/g, ''));
});
