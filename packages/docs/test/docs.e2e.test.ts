import { expect, it } from '@jest/globals';
import { useProduct } from '@junction/demo';
import { apiAt } from '@junction/testing';

const product = useProduct();
const get = (path: string) => fetch(new URL(path, product().endpoints.gateway));

it.each([
  ['/docs', 'text/html; charset=utf-8', '<h1>Junction</h1>'],
  ['/docs/errors', 'text/html; charset=utf-8', '<h1>Problem codes</h1>'],
  ['/docs/api/try', 'text/html; charset=utf-8', 'id="main"'],
  ['/docs/receive.md', 'text/markdown; charset=utf-8', '# Receive webhooks'],
  ['/llms.txt', 'text/plain; charset=utf-8', '(/docs/receive.md)'],
])('a started product serves %s as %s', async (path, type, text) => {
  const answer = await get(path);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type]);
  expect(await answer.text()).toContain(text);
});

it.each(['/api/auth/me', '/api/webhooks/wh_1', '/api/nothing'])(
  'the type of the problem at %s leads to its explanation',
  async (path) => {
    const { body } = await apiAt(product().endpoints.gateway)('GET', path);
    const { type, code } = body as { type: string; code: string };
    const page = await get(type);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain(` id="${code}"`);
  },
);
