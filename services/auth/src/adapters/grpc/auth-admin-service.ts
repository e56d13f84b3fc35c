import type { AuthAdminServiceServer } from '@junction/contracts';
import type { Journal } from '@junction/ops';
import { unary } from '@junction/service-kit/grpc';
import type { Logger } from '@junction/service-kit/process';
import type { Application } from '../../application/application.js';

interface AdminOptions {
  readonly app: Application;
  readonly journal: Journal;
  readonly log: Logger;
}

export const authAdminService = ({
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
