import {
  type AuthAdminServiceServer,
  AuthAdminServiceService,
  SERVICE_SCOPES,
} from '@junction/contracts';
import { type GrpcService, unary } from '@junction/service-kit/grpc';
import type { AdminOptions } from './admin-options.js';
import { clientMethods } from './client-methods.js';
import { operatorMethods } from './operator-methods.js';
import { signOutMethod } from './sign-out-method.js';
import { userMethods } from './user-methods.js';

type Methods = {
  readonly [Name in keyof typeof AuthAdminServiceService]: AuthAdminServiceServer[Name];
};

const { readOps: READ, writeOps: WRITE } = SERVICE_SCOPES;

const SCOPES = {
  rotateSigningKeys: WRITE,
  listClients: READ,
  registerClient: WRITE,
  rotateClientSecret: WRITE,
  setClientKeys: WRITE,
  revokeClient: WRITE,
  listUsers: READ,
  getUser: READ,
  deleteUser: WRITE,
  signOutUsers: WRITE,
  removeFactors: WRITE,
  listOperators: READ,
  addOperator: WRITE,
  removeOperator: WRITE,
} as const satisfies Record<keyof Methods, string>;

/** AuthAdminService of proto/junction/auth/v1: the operations of operators that auth alone has. */
export function authAdminService(options: AdminOptions): GrpcService {
  const implementation: Methods = {
    ...signingKeyMethods(options),
    ...clientMethods(options),
    ...operatorMethods(options),
    ...userMethods(options),
    ...signOutMethod(options),
  };
  return {
    definition: AuthAdminServiceService,
    implementation: { ...implementation },
    scopes: SCOPES,
  };
}

const signingKeyMethods = ({
  app,
  journal,
  log,
}: AdminOptions): Pick<AuthAdminServiceServer, 'rotateSigningKeys'> => ({
  rotateSigningKeys: unary(log, async ({ compromised }, { caller }) =>
    journal.change(caller, 'RotateSigningKeys', { compromised }, async () => {
      const { kid, signsFrom, publishedUntil } = await app.rotateSigningKeys({
        hasLeaked: compromised,
      });
      return { answer: { kid, signsFrom, othersPublishedUntil: publishedUntil }, result: { kid } };
    }),
  ),
});
