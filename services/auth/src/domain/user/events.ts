import { type EventsOf, personal } from '@junction/eventsourcing';
import { z } from 'zod';

const about = { userId: z.uuid(), at: z.iso.datetime() };
const email = personal(z.string());

const namedFactor = {
  factor: z.enum(['totp', 'passkey']),
  /** Absent but for a passkey, of which a user may have several. */
  passkeyId: z.string().optional(),
};
export type NamedFactor = Readonly<z.infer<z.ZodObject<typeof namedFactor>>>;

/**
 * The way a password was changed: by somebody who knew the password before, or who has the mailbox and used the link
 * of a reset or of an undo.
 */
const passwordChange = z.enum(['changed', 'reset', 'undo']);
export type PasswordChange = z.infer<typeof passwordChange>;

/** The cause of a change that was not the user's own wish. */
const byUndo = z.literal('undo').optional();

/** The end, outside of the account, of what somebody else may have made who was in it. */
const recovery = {
  reason: z.enum(['reset', 'undo']),
  /** Absent: all of the user. */
  webhookIds: z.array(z.string()).readonly().optional(),
  portalIds: z.array(z.string()).readonly(),
};
export type Recovery = Readonly<z.infer<z.ZodObject<typeof recovery>>>;

/** Operators may ask the operators' routes of each service. Accounts begin as users. */
const role = z.enum(['user', 'operator']);
export type Role = z.infer<typeof role>;

/**
 * Stored forever: add types and fields, but never rename one or give it a second meaning.
 * `email` is sealed with the user's own key wherever it is stored, and gone with it.
 */
export const userEvents = {
  /** With an address and a password, or with the trusted issuer (its id) whose user this is. */
  'user.registered': z.object({
    ...about,
    email: personal(email.optional()),
    origin: z.string().optional(),
  }),
  'user.email_verified': z.object(about),
  'user.email_changed': z.object({ ...about, email, reason: byUndo }),
  'user.password_changed': z.object({ ...about, reason: passwordChange }),
  'user.second_factor_added': z.object({ ...about, ...namedFactor, reason: byUndo }),
  'user.second_factor_removed': z.object({
    ...about,
    ...namedFactor,
    reason: z.enum(['operator', 'undo']).optional(),
  }),
  'user.recovery_codes_generated': z.object(about),
  /** `by`: the client of the operator who did it. */
  'user.role_changed': z.object({ ...about, role, by: z.string() }),
  'user.recovery_code_used': z.object(about),
  /** The counter of a passkey went back: a copy of the passkey may exist. */
  'user.passkey_suspected': z.object({ ...about, passkeyId: z.string() }),
  /** Whether the user wants mails about webhooks and connections that need them; until then they do. */
  'user.trouble_mails_changed': z.object({ ...about, wanted: z.boolean() }),
  /** The account is its owner's again: whose portals were closed, and whose webhooks are to be disabled. */
  'user.recovered': z.object({ ...about, ...recovery }),
  /** The user has deleted the account, and can bring it back by a link until it is deleted for good. */
  'user.closed': z.object(about),
  'user.reopened': z.object(about),
  'user.deleted': z.object(about),
};

export type UserEvent = EventsOf<typeof userEvents>;
