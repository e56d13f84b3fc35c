import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Product, startProduct } from '@junction/demo';
import { apart } from '@junction/local-stack';

const MINUTE = 60_000;
/** Below the ports of other tests; runs at the same time take different ones. */
const OFFSET = 10_000 + 200 * (process.pid % 4);
const PORTS = Object.keys(apart({}, '')).filter((name) => name.endsWith('_PORT'));
/** Every port where it is by default, and not a free one. */
const BY_DEFAULT = Object.fromEntries(PORTS.map((name) => [name, '']));

let products: readonly Product[] = [];
beforeAll(async () => {
  for (const offset of [OFFSET, OFFSET + 100]) {
    const moved = { ...BY_DEFAULT, PORT_OFFSET: `${offset}` };
    products = [...products, await startProduct(process.env, moved)];
  }
}, 5 * MINUTE);
afterAll(async () => {
  expect(await Promise.all(products.map(({ stop }) => stop()))).toEqual([0, 0]);
}, MINUTE);

it('two products run side by side whose offsets are neighbouring multiples of 100', async () => {
  const gateways = products.map(({ endpoints }) => endpoints.gateway);
  expect(gateways).toEqual([8080, 8180].map((port) => `http://localhost:${port + OFFSET}`));
  for (const { endpoints } of products) {
    const health = Object.values(endpoints.http).map((url) =>
      fetch(`${url}/internal/health/ready`),
    );
    expect((await Promise.all(health)).map(({ status }) => status)).toEqual([200, 200, 200]);
  }
});
