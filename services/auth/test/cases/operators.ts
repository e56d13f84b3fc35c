import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { addTotp } from '../add-totp.js';
import { logIn, type Person, signUp } from '../http-client.js';
import { asTool } from '../operator-client.js';
import type { UsedAuth } from '../started-auth.js';

const ROUTES = ['health', 'consumers', 'dead-letters', 'projections', 'keys', 'audit', 'users'].map(
  (name) => `/api/ops/auth/${name}`,
);

export function operatorCases({ auth, ask }: UsedAuth): void {
  let user: Person;
  let operator: Person;
  /** The token of the operator's session, which has shown a second factor. */
  let token: string;
  const makeOperator = async ({ email }: Person): Promise<void> => {
    const made = await asTool(auth(), ask, { method: 'POST', path: 'operators', json: { email } });
    expect(made.status).toBe(200);
  };

  describe("the operators' routes", () => {
    beforeAll(async () => {
      [user, operator] = [await signUp(ask), await signUp(ask)];
      await makeOperator(operator);
      token = (await addTotp(ask, (await logIn(ask, operator)).accessToken)).accessToken;
    });

    it('page through users, and find one by the exact address, and operators, at a retired path too', async () => {
      const list = async (query: string) =>
        (await ask('GET', `/api/ops/auth/users?${query}`, { token })).body as {
          items: { id: string }[];
          next_cursor: string | null;
        };
      const first = await list('limit=1');
      const second = await list(`limit=1&cursor=${first.next_cursor}`);
      const both = [...first.items, ...second.items].map(({ id }) => id);
      expect(both).toEqual([operator.id, user.id]);
      const found = await list(`email=${encodeURIComponent(user.email)}`);
      expect(found.items.map(({ id }) => id)).toEqual([user.id]);
      const operators = await list('role=operator');
      expect(operators.items.map(({ id }) => id)).toEqual([operator.id]);
      const retired = async (path: string) => asTool(auth(), ask, { method: 'GET', path });
      expect((await retired('operators')).body).toMatchObject({
        items: [{ user_id: operator.id }],
      });
      const event = await retired(`streams/user-${user.id}/events/1`);
      expect(event.body).toMatchObject({ type: 'user.registered' });
    });

    it('act once for each Idempotency-Key', async () => {
      const headers = { 'idempotency-key': 'billing' };
      const post = async (path: string, json: object) =>
        asTool(auth(), ask, { method: 'POST', path, json, headers });
      const grants = [{ audience: 'integrations', scopes: ['tokens:read'] }];
      const made = await post('clients', { name: 'billing', grants });
      expect(await post('clients', { name: 'billing', grants })).toMatchObject({
        status: 201,
        body: made.body,
      });
      const { client_id: id } = made.body as { client_id: string };
      const rotated = await post(`clients/${id}/rotate-secret`, { overlap_s: 60 });
      const again = await post(`clients/${id}/rotate-secret`, { overlap_s: 60 });
      expect(again).toMatchObject({ status: 200, body: rotated.body });
      const rotate = async () =>
        ask('POST', '/api/ops/auth/keys/rotate', { token, json: {}, headers });
      const first = await rotate();
      expect(first.status).toBeLessThan(300);
      const second = await rotate();
      expect(second).toMatchObject({ status: first.status, body: first.body });
      expect(second.headers.get('idempotent-replayed')).toBe('true');
    });

    it('answer operators, without an address in full or a token, and record each access', async () => {
      for (const route of [...ROUTES, ...ROUTES, `/api/ops/auth/users/${user.id}`]) {
        const { status, body } = await ask('GET', route, { token });
        expect([route, status]).toEqual([route, 200]);
        const text = JSON.stringify(body);
        for (const secret of [user.email, operator.email, user.refreshToken, token])
          expect(text).not.toContain(secret);
      }
      const audit = await ask('GET', `/api/ops/auth/audit?actor=${operator.id}`, { token });
      const { items } = audit.body as { items: { method: string }[] };
      const times = (name: string) => items.filter(({ method }) => method === name).length;
      expect(items[0]).toMatchObject({
        actor: { kind: 'user', id: operator.id },
        method: 'ListAccesses',
        outcome: 'read',
      });
      // Health alone is answered without a record.
      expect([times('GetHealth'), times('ListProjections'), times('GetUser')]).toEqual([0, 2, 1]);
    });

    it('remove the factors of a user who has lost them', async () => {
      const lost = await signUp(ask);
      await addTotp(ask, lost.accessToken);
      const remove = async (id: string) =>
        ask('POST', `/api/ops/auth/users/${id}/remove-factors`, { token, json: {} });
      expect(await remove(lost.id)).toMatchObject({
        status: 200,
        body: { factors: 1, sessions: 1 },
      });
      expect((await logIn(ask, lost)).accessToken).toEqual(expect.any(String));
      expect(await remove(randomUUID())).toMatchObject({ status: 404 });
    });
  });
}
