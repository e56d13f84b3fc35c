import type { AuthAdminServiceServer } from '@junction/contracts';
import { tell } from '@junction/ops';
import { serverStream } from '@junction/service-kit/grpc';
import { parse } from '@junction/service-kit/http';
import { z } from 'zod';
import type { UserDirectory } from '../../application/operator/ports.js';
import type { AdminOptions } from './admin-options.js';
import { askedUser, namedUser } from './named-user.js';

const PAGE = 100;

const whom = z.union([
  namedUser.extend({ everybody: z.literal(false), apiKeys: z.boolean() }),
  z.object({ user: z.literal(''), everybody: z.literal(true), apiKeys: z.boolean() }),
]);

/** Ends sessions by an operator's hand: of one whose device was lost, or of everybody after a restore. */
export const signOutMethod = ({
  app,
  users,
  journal,
  log,
}: AdminOptions): Pick<AuthAdminServiceServer, 'signOutUsers'> => ({
  signOutUsers: serverStream(log, async (request, send, { caller, signal }) => {
    const { user, apiKeys } = parse(whom, request);
    const asked = user === '' ? { everybody: true } : askedUser(user);
    await journal.change(caller, 'SignOutUsers', { ...asked, apiKeys }, async () => {
      const userIds = user === '' ? everybody(users) : only(await app.userNamed(user));
      const last = await tell(app.signOut(userIds, { withApiKeys: apiKeys, signal }), {
        signal,
        what: 'the end of sessions',
        send: (progress) => send({ ...progress, phase: 'ending' }),
      });
      const result = { ...(last ?? { users: 0, sessions: 0, apiKeys: 0 }) };
      await send({ ...result, phase: 'done' });
      return { answer: undefined, result };
    });
  }),
});

async function* only(userId: string): AsyncGenerator<string> {
  yield userId;
}

/** Newest first. Who signs up meanwhile is not among them. */
async function* everybody(users: UserDirectory): AsyncGenerator<string> {
  let page = await users.list({ limit: PAGE });
  while (page.length > 0) {
    for (const { id } of page) yield id;
    page = await users.list({ limit: PAGE, before: page.at(-1) });
  }
}
