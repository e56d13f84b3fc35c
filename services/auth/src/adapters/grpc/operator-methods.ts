import type { AuthAdminServiceServer } from '@junction/contracts';
import { unary } from '@junction/service-kit/grpc';
import { parse } from '@junction/service-kit/http';
import { z } from 'zod';
import type { Role } from '../../domain/user/events.js';
import { email } from '../http/credentials-schema.js';
import { maskedEmail } from '../masked-email.js';
import type { AdminOptions } from './admin-options.js';

type OperatorMethods = Pick<
  AuthAdminServiceServer,
  'listOperators' | 'addOperator' | 'removeOperator'
>;

const named = z.object({
  user: z.union([
    z.uuid().transform((userId) => ({ userId: userId.toLowerCase() })),
    email.transform((email) => ({ email })),
  ]),
});

/** Who operates the installation. No route grants a role: these methods alone do. */
export function operatorMethods({ app, journal, log }: AdminOptions): OperatorMethods {
  const changing = (method: string, role: Role) =>
    unary(log, async (request: { user: string }, { caller }) => {
      const { user } = parse(named, request);
      // An address is personal, and the journal is kept for ever: the result names the user.
      const asked = 'userId' in user ? user : { byEmail: true };
      return journal.change(caller, method, asked, async () => {
        const userId = await app.userNamed(user);
        await app.changeRole(userId, role, caller.clientId);
        return { answer: { userId }, result: { userId } };
      });
    });

  return {
    listOperators: unary(log, async (_, { caller }) => {
      await journal.read(caller, 'ListOperators', {});
      const operators = await app.listOperators();
      return {
        operators: operators.map(({ id, email }) => ({
          userId: id,
          maskedEmail: maskedEmail(email),
        })),
      };
    }),
    addOperator: changing('AddOperator', 'operator'),
    removeOperator: changing('RemoveOperator', 'user'),
  };
}
