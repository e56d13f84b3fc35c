import type { RevocableToken } from '../oauth-provider.js';
import { openRevocable, revocableOf } from '../revoke-unused.js';
import type { DueCheck } from './ports.js';

/**
 * Returns the token to ask about; undefined when the connection ended since. After an answer that was lost the refresh
 * token may be inactive because there is a newer one, and proving it would use the old one twice. The access token is
 * inactive when the grant is.
 */
export const tokenToCheck = async ({
  answerLost,
  open,
}: Pick<DueCheck, 'answerLost' | 'open'>): Promise<RevocableToken | undefined> =>
  answerLost ? revocableOf({ accessToken: await open('access_token') }) : openRevocable(open);
