import { isUuid } from '../arguments.js';
import { Failure, usage } from '../failure.js';
import type { Words } from '../verbs.js';
import type { OpsContext } from '../world.js';

/** Argument that names a user. */
export const USER: Words = ['<user>', 'a user id or an e-mail address'];

/** Returns the id of the user with this id or e-mail address. An address is looked up with a token that may read. */
export async function userIdOf({ asOperator }: OpsContext, user: string): Promise<string> {
  if (isUuid(user)) return user.toLowerCase();
  if (!user.includes('@')) throw usage(`${user} is neither a user id nor an e-mail address.`);
  const params = { query: { email: user } };
  const { items } = await asOperator('read', async (ops) =>
    ops.get('/api/ops/auth/users', { params }),
  );
  const [found] = items;
  if (found) return found.id;
  throw new Failure('There is no user with this e-mail address. (user_not_found)');
}
