import { describe, expect, it } from '@jest/globals';
import { Router } from 'express';
import { z } from 'zod';
import { type Exchange, mount, routesOf } from './mount.js';

const route = { id: 'getThing', method: 'get', path: '/things/:id', summary: 'Get' } as const;

describe('a router', () => {
  it('keeps what is said of its routes, in their order, apart from those of others', () => {
    const [router, other] = [Router(), Router()];
    mount(router, route, () => undefined);
    mount(router, { ...route, id: 'makeThing', method: 'post' }, () => undefined);

    expect(routesOf(router).map(({ id }) => id)).toEqual(['getThing', 'makeThing']);
    expect(routesOf(other)).toEqual([]);
  });

  it('answers with what a handler gives back, checked input in hand', async () => {
    const query = z.object({ limit: z.coerce.number() });
    const answers = await exchange({ ...route, query, status: 202 }, ({ req, query }) => ({
      id: req.params.id,
      ...query(),
    }));

    expect(answers).toEqual([
      ['status', 202],
      ['json', { id: '7', limit: 3 }],
    ]);
  });

  it('answers without a body where a handler gives nothing back', async () => {
    expect(await exchange({ ...route, status: [204, 200] }, () => undefined)).toEqual([
      ['status', 204],
      ['end', undefined],
    ]);
  });

  it('refuses a path, and a query, that holds what cannot be stored, by the name of the place', async () => {
    const query = z.looseObject({});
    const asked = async (url: string) => exchange({ ...route, query }, ({ query }) => query(), url);
    const fault = (code: string, field: string) =>
      expect.objectContaining({ code, fields: [expect.objectContaining({ field })] });
    await expect(asked('/things/a%00b')).rejects.toEqual(fault('unstorable_text', 'id'));
    await expect(asked('/things/7?limit=3&q=%ED%A0%80')).rejects.toEqual(
      fault('invalid_request', 'q'),
    );
    await expect(asked('/things/7?q=%C3%A9+100%')).resolves.toBeDefined();
  });

  it('refuses to read what is not described', async () => {
    await expect(exchange(route, ({ body }) => void body())).rejects.toThrow(/getThing/);
  });
});

/** Runs a handler for GET /things/7?limit=3 and tells what it did to its answer. */
async function exchange(
  described: typeof route & {
    readonly query?: z.ZodType<object>;
    readonly status?: number | number[];
  },
  handle: (exchange: Exchange<'/things/:id', object, object>) => unknown,
  url = '/things/7',
): Promise<readonly (readonly [string, unknown])[]> {
  const router = Router();
  mount(router, described, handle as () => undefined);
  const told: [string, unknown][] = [];
  return new Promise((resolve, reject) => {
    const tell = (name: string) => (value?: unknown) => {
      told.push([name, value]);
      if (name !== 'status') resolve(told);
    };
    const res = {
      status: tell('status'),
      hasHeader: () => true,
      send: (text: string) => tell('json')(JSON.parse(text)),
      end: tell('end'),
      once: () => undefined,
      headersSent: false,
    };
    const req = { method: 'GET', url, query: { limit: '3' } };
    router(req as never, res as never, reject);
  });
}
