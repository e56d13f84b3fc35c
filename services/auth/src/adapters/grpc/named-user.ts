import { z } from 'zod';
import type { Named } from '../../application/operator/change-role.js';
import { email } from '../http/credentials-schema.js';

/** A user whom an operator names by id or by address. */
export const namedUser = z.object({
  user: z.union([
    z.uuid().transform((userId) => ({ userId: userId.toLowerCase() })),
    email.transform((email) => ({ email })),
  ]),
});

/** Returns the user as the journal may name one: an address is personal, and the journal is kept for ever. */
export const askedUser = (user: Named) => ('userId' in user ? user : { byEmail: true });
