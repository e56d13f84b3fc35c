import type { UserEvent } from '../../domain/user/events.js';
import type { ApiKeyRow } from '../api-key/ports.js';
import { me } from '../me.js';
import type { Ports } from '../ports.js';
import type { SecondFactors } from '../second-factor/ports.js';
import type { LiveSession } from '../session/ports.js';
import type { User } from './ports.js';

/** Everything that is known here of a user, besides what only they may know. */
export interface AccountExport {
  readonly user: User;
  readonly sessions: readonly LiveSession[];
  readonly apiKeys: readonly ApiKeyRow[];
  readonly secondFactors: SecondFactors;
  /** The events of the account, oldest first. */
  readonly history: readonly UserEvent[];
}

/** For its user (GDPR, article 20). Holds no secret. AppError `unauthenticated` for one who is gone. */
export const exportAccount =
  (ports: Ports) =>
  async (userId: string): Promise<AccountExport> => ({
    user: await me(ports)(userId),
    sessions: await ports.sessions.list(userId),
    apiKeys: await ports.apiKeys.list(userId),
    secondFactors: await ports.factors.of(userId),
    history: await ports.accounts.history(userId),
  });
