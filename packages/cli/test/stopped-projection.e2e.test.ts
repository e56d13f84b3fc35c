import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SharedProduct, sharedProduct } from '@junction/demo';
import type { Event, EventCodec } from '@junction/eventsourcing';
import {
  EVENTS_APPENDED,
  eventStoreMigrations,
  migrate,
  postgresEventStore,
  postgresNotifier,
  rowProjection,
  startProjections,
} from '@junction/eventsourcing-postgres';
import { opsService } from '@junction/ops';
import { remoteKeys, tokenVerifier } from '@junction/service-kit/callers';
import { closeGrpc, grpcServer } from '@junction/service-kit/grpc';
import { logger, metrics } from '@junction/service-kit/process';
import { eventually, useDatabase } from '@junction/testing';
import { keyRing } from '@junction/vault';
import { startJunction, values } from './junction.js';

const MINUTE = 60_000;
/** The service in whose name the door of this file answers: auth gives tokens for it. */
const AUDIENCE = 'webhook-dispatcher';

type Noted = Event<'noted', { readonly text: string }>;

const codec: EventCodec<Noted> = {
  versions: { noted: 1 },
  encode: async (_, { data }) => ({ schemaVersion: 1, data }),
  decode: async (_, { data }) => ({ type: 'noted', data }) as Noted,
};

const notes = rowProjection<{ text: string }, Noted>({
  table: 'notes',
  key: 'note_id',
  aggregate: 'note',
  evolve: (_, { data }) => ({ text: data.text }),
});

const database = useDatabase({
  template: 'eventsourcing',
  migrate: (url) => migrate(url, eventStoreMigrations),
});
let product: SharedProduct;
beforeAll(async () => {
  product = await sharedProduct(process.env);
  await database().pool.query(
    `create table notes (note_id uuid primary key, text text not null check (text <> 'poison'))`,
  );
}, 4 * MINUTE);
afterAll(async () => {
  expect(await product?.stop()).toBe(0);
}, MINUTE);

describe('an asynchronous projection that stopped at an event', () => {
  it('tries it again, or goes on without it, when an operator says so', async () => {
    const service = await openService();
    try {
      const [first, second] = [await service.note('poison'), await service.note('fine')];
      const stopped = await service.stopped();
      expect(stopped).toMatchObject({ name: 'notes', mode: 'asynchronous', lagEvents: 2 });

      // Nothing was mended: it stops at the same event again.
      expect(await service.junction('retry', 'notes')).toMatchObject({ code: 0 });
      expect((await service.stopped())['stop']).toEqual(stopped['stop']);
      await database().pool.query('alter table notes drop constraint notes_text_check');
      expect(await service.junction('retry', 'notes')).toMatchObject({ code: 0 });
      await eventually(async () => expect(await service.rows()).toEqual([first, second].sort()));

      await database().pool.query(
        `alter table notes add constraint notes_text_check check (text <> 'venom')`,
      );
      await service.note('venom');
      const third = await service.note('fine');
      const { position } = (await service.stopped())['stop'] as { position: number };
      expect(await service.junction('skip', 'notes', `${position + 1}`)).toMatchObject({ code: 1 });
      expect(await service.junction('skip', 'notes', `${position}`)).toMatchObject({ code: 0 });
      await eventually(async () =>
        expect(await service.rows()).toEqual([first, second, third].sort()),
      );
      expect(await service.state()).toMatchObject({ status: 'running', skipped: 1, lagEvents: 0 });
    } finally {
      await service.close();
    }
  });
});

/** A service of one asynchronous projection, with the door that operators come by. */
async function openService() {
  const { pool } = database();
  const log = logger('notes', 'silent');
  const notifier = postgresNotifier({ pool, onError: () => undefined });
  const projections = { pool, notifier, codec, inline: [], asynchronous: [notes] };
  const store = postgresEventStore<Noted>({
    pool,
    codec,
    source: 'junction/test',
    afterCommit: () => notifier.notify(EVENTS_APPENDED),
  });
  const running = startProjections({ ...projections, owner: 'test', log });
  const ring = keyRing(`k1:${randomBytes(32).toString('base64url')}`);
  const ops = opsService({
    name: 'notes',
    projections,
    maintenance: pool,
    codec,
    folds: {},
    closing: [],
    sealed: { ring, places: [] },
    log,
  });
  const { gateway } = product.endpoints;
  const keys = remoteKeys(new URL('/.well-known/jwks.json', gateway).href);
  const issuer = new URL(gateway).origin;
  const grpc = await grpcServer({
    log,
    metrics: metrics('notes'),
    host: '127.0.0.1',
    port: 0,
    security: { plaintext: true },
    verify: tokenVerifier({ keys, issuer, audience: AUDIENCE, kind: 'service' }),
    services: [ops.service],
  });
  const junction = (verb: string, ...args: readonly string[]) => {
    const { client_id, client_secret } = product.endpoints.operator;
    return startJunction(undefined, ['projections', verb, '-s', 'webhooks', ...args], {
      JUNCTION_ENV: 'development',
      JUNCTION_CLIENT_ID: client_id,
      JUNCTION_CLIENT_SECRET: client_secret,
      JUNCTION_TOKEN_URL: new URL('/oauth/token', gateway).href,
      WEBHOOKS_GRPC_ADDRESS: `127.0.0.1:${grpc.port}`,
      GRPC_PLAINTEXT: 'true',
    }).ended;
  };
  const state = async () => values(await junction('list', '--json'))[0] ?? {};
  return {
    junction,
    state,
    async note(text: string): Promise<string> {
      const id = randomUUID();
      const events: Noted[] = [{ type: 'noted', data: { text } }];
      await store.append([{ streamId: `note-${id}`, expected: 'none', events }]);
      return id;
    },
    stopped: () =>
      eventually(async () => {
        const found = await state();
        expect(found).toMatchObject({ status: 'stopped' });
        return found;
      }),
    async rows(): Promise<readonly string[]> {
      const { rows } = await pool.query<{ note_id: string }>(
        'select note_id from notes order by 1',
      );
      return rows.map(({ note_id: id }) => id);
    },
    async close() {
      ops.stop();
      await closeGrpc(grpc);
      await running.stop();
      await notifier.close();
    },
  };
}
