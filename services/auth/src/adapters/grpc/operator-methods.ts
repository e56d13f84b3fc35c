import type { AuthAdminServiceServer } from '@junction/contracts';
import { unary } from '@junction/service-kit/grpc';
import { parse } from '@junction/service-kit/http';
import type { Role } from '../../domain/user/events.js';
import { maskedEmail } from '../masked-email.js';
import type { AdminOptions } from './admin-options.js';
import { askedUser, namedUser } from './named-user.js';

type OperatorMethods = Pick<
  AuthAdminServiceServer,
  'listOperators' | 'addOperator' | 'removeOperator'
>;

/** Grants and withdraws the role of operator. No HTTP route does: these methods alone do. */
export function operatorMethods({ app, journal, log }: AdminOptions): OperatorMethods {
  const changing = (method: string, role: Role) =>
    unary(log, async (request: { user: string }, { caller }) => {
      const { user } = parse(namedUser, request);
      return journal.change(caller, method, askedUser(user), async () => {
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
          maskedEmail: email === null ? '' : maskedEmail(email),
        })),
      };
    }),
    addOperator: changing('AddOperator', 'operator'),
    removeOperator: changing('RemoveOperator', 'user'),
  };
}
