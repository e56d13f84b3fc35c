import { AppError } from '@junction/errors';
import type { Ports } from './ports.js';
import { hashOfSecret } from './secret-hash.js';
import type { WantedChange } from './undo/ports.js';

/** The change that the link of a mail with this token is about. */
export const wantedBy = ({ now }: Pick<Ports, 'now'>, token: string): WantedChange => ({
  tokenHash: hashOfSecret(token),
  now: now(),
});

export const linkOver = (): AppError =>
  new AppError(
    'invalid_or_used_token',
    'This link has expired, was used before, or is incomplete. The mail about another change may have one that still counts. Otherwise choose "Forgot password" where you sign in.',
  );
