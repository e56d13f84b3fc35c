import { describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import { decodeJwt } from 'jose';
import { portalLinks } from '../src/application/portal/portal-links.js';
import { accountOwner, useMail, visitor } from './account-owner.js';
import { codeOf } from './auth-on-postgres.js';
import { authSchema } from './schema.js';

const ORIGIN = 'https://app.example.com';
const NEW_PASSWORD = 'another horse battery';

const database = useDatabase(authSchema);
const mail = useMail();

describe('a portal', () => {
  it('has one id, which all of its access tokens carry', async () => {
    const { open, portals } = await owner();
    const first = await open();
    const second = await portals.exchange(first.nextToken);
    const ids = [first, second, await open()].map(
      ({ accessToken }) => decodeJwt(accessToken)['portal_id'],
    );
    expect(ids[0]).toMatch(/^ptl_/);
    expect(ids[1]).toBe(ids[0]);
    expect(ids[2]).not.toBe(ids[0]);
  });

  it('ends with the reset of its user, as do links that nobody has opened', async () => {
    const ada = await owner();
    const opened = await ada.open();
    const link = await ada.link();
    await ada.reset();
    expect(await codeOf(ada.portals.exchange(opened.nextToken))).toBe('portal_token_invalid');
    expect(await codeOf(ada.portals.exchange(link.token))).toBe('portal_token_invalid');
    expect(await ada.ended()).toEqual([decodeJwt(opened.accessToken)['portal_id']]);
    await expect(ada.open()).resolves.toBeDefined();
  });

  it('ends with the link that takes changes back', async () => {
    const ada = await owner();
    const { accessToken } = await ada.open();
    await ada.newKey();
    await ada.undo(await ada.tokenOf('An API key was made'));
    expect(await ada.ended()).toEqual([decodeJwt(accessToken)['portal_id']]);
  });

  it('is carried on no more once an operator has signed its user out', async () => {
    const ada = await owner();
    const { nextToken } = await ada.open();
    const [userIds, signal] = [each(ada.userId), new AbortController().signal];
    await ada.app.signOut(userIds, { withApiKeys: false, signal }).next();
    expect(await codeOf(ada.portals.exchange(nextToken))).toBe('portal_token_invalid');
  });

  it('does not outlive the reset when it is carried on at that moment', async () => {
    const ada = await owner();
    const portals = await Promise.all([1, 2, 3, 4].map(ada.open));
    const carryOn = async (token: string) => ada.portals.exchange(token).catch(() => undefined);
    const token = await ada.resetToken();
    const carried = portals.map(async ({ nextToken }) => carryOn(nextToken));
    await Promise.all([ada.app.resetPassword(token, NEW_PASSWORD, visitor), ...carried]);
    const left = await database().pool.query('select from portal_tokens where user_id = $1', [
      ada.userId,
    ]);
    expect(left.rowCount).toBe(0);
    expect(await ada.ended()).toHaveLength(4);
  });
});

async function* each(userId: string): AsyncGenerator<string> {
  yield userId;
}

/** An owner, in whose name a service opens portals. */
async function owner() {
  const they = await accountOwner(database(), mail());
  const { app, person, userId, store } = they;
  const grants = [{ audience: 'auth', scopes: ['portals:open'] }];
  const client = { clientId: 'cli_shop', grants };
  const declaredClients = new Map([[client.clientId, client]]);
  const portals = portalLinks({ ...they.ports, declaredClients } as never, [ORIGIN]);
  const link = async () =>
    portals.create({ userId, clientId: client.clientId, origin: ORIGIN, appearance: {} });
  const resetToken = async () => {
    await app.forgotPassword(person.email, visitor);
    return they.tokenOf('Reset your password');
  };
  return {
    ...they,
    portals,
    link,
    open: async () => portals.exchange((await link()).token),
    resetToken,
    reset: async () => app.resetPassword(await resetToken(), NEW_PASSWORD, visitor),
    /** Ids of the portals that the last recovery has ended. */
    ended: async () => {
      const { history } = await store.load(`user-${userId}`);
      const event = history.findLast(({ type }) => type === 'user.recovered');
      return event?.type === 'user.recovered' ? event.data.portalIds : [];
    },
  };
}
