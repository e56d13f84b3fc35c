import type { AuthAdminServiceServer } from '@junction/contracts';
import { unary } from '@junction/service-kit/grpc';
import { parse } from '@junction/service-kit/http';
import { z } from 'zod';
import { userNotFound } from '../../application/operator/change-role.js';
import type { ListedUser } from '../../application/operator/ports.js';
import { email } from '../http/credentials-schema.js';
import { originOf } from '../http/origin.js';
import { maskedEmail } from '../masked-email.js';
import { pageOf, userCursor } from '../user-page.js';
import type { AdminOptions } from './admin-options.js';
import { askedUser, namedUser } from './named-user.js';

type UserMethods = Pick<
  AuthAdminServiceServer,
  'listUsers' | 'getUser' | 'deleteUser' | 'removeFactors'
>;

const LIMIT_DEFAULT = 50;
const LIMIT_MAX = 100;

const none = z.literal('').transform(() => undefined);
const page = z.object({
  email: z.union([none, email]),
  limit: z
    .number()
    .int()
    .max(LIMIT_MAX)
    .transform((limit) => limit || LIMIT_DEFAULT),
  after: z.union([none, userCursor]),
});

/** Accounts as operators see and end them. */
export const userMethods = ({ app, users, journal, log }: AdminOptions): UserMethods => ({
  listUsers: unary(log, async (request, { caller }) => {
    const { email, limit, after: before } = parse(page, request);
    const asked = { byEmail: email !== undefined, after: before?.id ?? '', limit };
    await journal.read(caller, 'ListUsers', asked);
    const { items, next } = pageOf(await users.list({ email, before, limit: limit + 1 }), limit);
    return { users: items.map(view), next: next ?? '' };
  }),

  getUser: unary(log, async (request, { caller }) => {
    const { user } = parse(namedUser, request);
    await journal.read(caller, 'GetUser', askedUser(user));
    const found = await users.find(await app.userNamed(user));
    if (found === undefined) throw userNotFound();
    return { user: view(found), sessions: found.sessions, apiKeys: found.apiKeys };
  }),

  deleteUser: unary(log, async (request, { caller }) => {
    const { user } = parse(namedUser, request);
    return journal.change(caller, 'DeleteUser', askedUser(user), async () => {
      const userId = await app.userNamed(user);
      const receipt = await app.deleteUser(userId);
      if (receipt === undefined) throw userNotFound();
      return { answer: { userId, receiptId: receipt.receiptId }, result: { userId } };
    });
  }),

  removeFactors: unary(log, async (request, { caller }) => {
    const { user } = parse(namedUser, request);
    return journal.change(caller, 'RemoveFactors', askedUser(user), async () => {
      const userId = await app.userNamed(user);
      const result = { userId, ...(await app.removeFactors(userId)) };
      return { answer: result, result };
    });
  }),
});

const view = ({ id, email, origin, emailVerifiedAt, role, createdAt }: ListedUser) => ({
  userId: id,
  maskedEmail: email === null ? '' : maskedEmail(email),
  origin: originOf(origin),
  role,
  emailVerified: emailVerifiedAt !== null,
  createdAt,
});
