import { expect, it } from '@jest/globals';
import { signUp, useProduct } from '@junction/demo';
import { apiAt } from '@junction/testing';
import { values } from './junction.js';
import { commandsOf } from './operator.js';

const product = useProduct();

const { cli } = commandsOf(product);

it('junction users lists and shows them with their addresses masked, signs one out, and deletes one by a receipt', async () => {
  const api = apiAt(product().endpoints.gateway);
  const { id, email } = await signUp(api);
  // The newest first, and others register meanwhile.
  const newest = values(await cli('users list -n 100 --json'));
  expect(newest.find((one) => one['user_id'] === id)).toMatchObject({
    origin: 'password',
    role: 'user',
  });
  const shown = await cli(`users show ${email} --json`);
  expect(values(shown)[0]).toMatchObject({ user_id: id, sessions: 1, api_keys: 0 });
  expect(shown.out).not.toContain(email);

  expect(await cli(`users sign-out ${email}`)).toMatchObject({
    code: 0,
    out: 'Users: 1. Sessions ended: 1. API keys ended: 0.\n',
  });
  expect(await cli(`users sign-out ${email} --everybody`)).toMatchObject({ code: 2 });

  expect(await cli('users remove-factors nobody@example.com')).toMatchObject({ code: 1 });

  const [deleted] = values(await cli(`users delete ${email} --json`));
  const receipt = `/api/auth/deletion-receipts/${String(deleted?.['receipt_id'])}`;
  expect((await api('GET', receipt)).status).toBe(200);
  expect(await cli(`users show ${id}`)).toMatchObject({ code: 1 });
});

it('junction keys lists the key ring and what its keys have sealed, and has nothing to rotate', async () => {
  const list = await cli('keys list -s auth --json');
  expect(values(list)).toMatchObject([
    {
      inRing: true,
      newest: true,
      uses: expect.arrayContaining([
        { table: 'signing_keys', column: 'private_jwk_sealed', rows: 1 },
      ]),
    },
  ]);
  const people = await cli('keys list -s auth');
  expect(people.out).toMatch(/KEY +IT +HAS SEALED\n\w+ +seals/);
  expect(await cli('keys rotate -s auth')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/has sealed anew/),
  });
});
