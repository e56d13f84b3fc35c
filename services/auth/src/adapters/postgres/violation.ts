import { DatabaseError } from 'pg';

const UNIQUE_VIOLATION = '23505';
const FOREIGN_KEY_VIOLATION = '23503';

/** Whether another account has the e-mail address. */
export const isTakenEmail = (error: unknown): boolean =>
  isViolation(error, UNIQUE_VIOLATION, 'users_email_key');

/** Whether an account has a passkey with this id already. */
export const isTakenPasskey = (error: unknown): boolean =>
  isViolation(error, UNIQUE_VIOLATION, 'passkeys_credential_id_key');

/** Whether the user of the row has just been deleted. */
export const isUserGone = (error: unknown): boolean =>
  isViolation(error, FOREIGN_KEY_VIOLATION, '_user_id_fkey');

const isViolation = (error: unknown, code: string, constraint: string): boolean =>
  error instanceof DatabaseError &&
  error.code === code &&
  error.constraint?.endsWith(constraint) === true;
