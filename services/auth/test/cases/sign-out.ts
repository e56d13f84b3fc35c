import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { eventually, type SentEvent } from '@junction/testing';
import { logIn, type Person, signUp } from '../http-client.js';
import { asTool } from '../operator-client.js';
import type { UsedAuth } from '../started-auth.js';

export function signOutCases({ auth, ask }: UsedAuth): void {
  const asked = (json: object) => asTool(auth(), ask, { method: 'POST', path: 'sign-outs', json });

  /** All that is told. */
  const signOut = async (json: object) => {
    const { body } = await asked(json);
    return (body as { events: SentEvent[] }).events.map(({ data }) => data);
  };

  const me = async (token: string) => (await ask('GET', '/api/auth/me', { token })).status;

  const refreshed = async ({ refreshToken }: Person) =>
    (await ask('POST', '/api/auth/refresh', { json: { refresh_token: refreshToken } })).status;

  const newKey = async ({ accessToken: token }: Person): Promise<string> => {
    const { body } = await ask('POST', '/api/auth/api-keys', { token, json: { name: 'laptop' } });
    return (body as { key: string }).key;
  };

  describe('operators sign out', () => {
    it('a user, whose API keys stay', async () => {
      const [ada, bob] = [await signUp(ask), await signUp(ask)];
      const key = await newKey(ada);

      const said = await signOut({ user_id: ada.id });

      expect(said.at(-1)).toEqual(ended({ users: 1, sessions: 1 }));
      await eventually(async () => expect(await me(ada.accessToken)).toBe(401));
      expect(await refreshed(ada)).toBe(401);
      expect([await me(key), await me(bob.accessToken)]).toEqual([200, 200]);
      expect((await signOut({ user_id: ada.id })).at(-1)).toEqual(ended({ users: 1 }));
      expect(await me((await logIn(ask, ada)).accessToken)).toBe(200);
    });

    it('everybody, whose API keys end as well where that is asked', async () => {
      const [ada, bob] = [await signUp(ask), await signUp(ask)];
      const held = [ada.accessToken, bob.accessToken, await newKey(ada), await newKey(bob)];

      const said = await signOut({ everybody: true, api_keys: true });
      expect(said.at(-1)).toMatchObject({ phase: 'done' });
      const refused = [401, 401, 401, 401];
      await eventually(async () => expect(await Promise.all(held.map(me))).toEqual(refused));
    });

    it('no user, when the request names none', async () => {
      for (const json of [{}, { user_id: randomUUID(), everybody: true }, { everybody: false }]) {
        expect((await asked(json)).status).toBe(400);
      }
      expect(await asked({ user_id: randomUUID() })).toMatchObject({
        status: 404,
        body: { code: 'user_not_found' },
      });
    });
  });
}

const ended = (counts: object) => ({
  phase: 'done',
  users: 0,
  sessions: 0,
  api_keys: 0,
  ...counts,
});
