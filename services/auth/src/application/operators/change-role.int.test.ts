import { beforeEach, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import { decodeJwt } from 'jose';
import {
  type AuthOnPostgres,
  authOnPostgres,
  loggedIn,
  newcomer,
} from '../../../test/auth-on-postgres.js';
import { authSchema } from '../../../test/schema.js';
import { operators } from '../../adapters/postgres/operators/user-reads.js';

const database = useDatabase(authSchema);
let auth: AuthOnPostgres;
beforeEach(async () => {
  auth = await authOnPostgres(database());
});

const BY = 'cli_operator';

it('gives the role with the next refresh, and takes it away with the sessions', async () => {
  const { app } = auth;
  const ada = newcomer();
  const { id } = await app.register(ada);
  const first = await loggedIn(app, ada);
  const claims = decodeJwt(first.accessToken);
  expect(claims).not.toHaveProperty('role');

  expect(await app.userNamed({ email: ada.email })).toBe(id);
  await app.changeRole(id, 'operator', BY);
  const refreshed = await app.refresh(first.refreshToken);
  expect(decodeJwt(refreshed.accessToken)).toMatchObject({ sub: id, role: 'operator' });
  expect(await operators.rows(database().pool, {})).toEqual([{ id, email: ada.email }]);
  expect(await app.me(id)).toMatchObject({ role: 'operator' });

  await app.changeRole(id, 'user', BY);
  expect(await app.listSessions(id)).toEqual([]);
  expect(await app.isRevoked([id, String(claims['sid'])])).toBe(true);
  const again = await loggedIn(app, ada);
  expect(decodeJwt(again.accessToken)).not.toHaveProperty('role');

  await app.changeRole(id, 'user', BY);
  expect(await app.listSessions(id)).toHaveLength(1);
});

it('finds nobody who is not there', async () => {
  const unknown = auth.app.userNamed({ email: 'nobody@example.com' });
  await expect(unknown).rejects.toMatchObject({ code: 'user_not_found' });
});
