import { AppError } from '@junction/errors';
import type { Command, Decider } from '@junction/eventsourcing';
import type { NamedFactor, PasswordChange, Recovery, Role, UserEvent } from './events.js';
import type { Undoing } from './undoing.js';

/** `at` is ISO 8601 in UTC. */
export type UserCommand =
  | Command<'RegisterUser', { userId: string; email: string; at: string }>
  /** A user of a trusted issuer, seen here. Nothing for one who was seen before. */
  | Command<'AdmitUser', { userId: string; origin: string; at: string }>
  | Command<'VerifyEmail', { at: string }>
  | Command<'ChangeEmail', { email: string; at: string }>
  | Command<'ChangePassword', { reason: PasswordChange; at: string }>
  | Command<'AddFactor', NamedFactor & { at: string }>
  | Command<'RemoveFactor', NamedFactor & { at: string }>
  | Command<'RemoveFactors', { factors: readonly NamedFactor[]; at: string }>
  | Command<'UndoChanges', Undoing & { at: string }>
  | Command<'RecoverUser', Recovery & { at: string }>
  | Command<'NewRecoveryCodes', { at: string }>
  | Command<'ChangeRole', { role: Role; by: string; at: string }>
  | Command<'UseRecoveryCode', { at: string }>
  | Command<'SuspectPasskey', { passkeyId: string; at: string }>
  | Command<'ChooseTroubleMails', { wanted: boolean; at: string }>
  | Command<'CloseUser', { at: string }>
  | Command<'ReopenUser', { at: string }>
  | Command<'DeleteUser', { at: string }>;

export type User =
  | { readonly status: 'unknown' }
  | RegisteredUser
  /** Nothing changes until it is brought back. */
  | { readonly status: 'closed'; readonly before: RegisteredUser }
  | { readonly status: 'deleted' };

interface RegisteredUser {
  readonly status: 'registered';
  readonly userId: string;
  readonly isVerified: boolean;
  readonly role: Role;
  readonly wantsTroubleMails: boolean;
  /** The trusted issuer that has the password and second factor of the user; undefined for a user of our own. */
  readonly origin: string | undefined;
}

export const userDecider: Decider<User, UserCommand, UserEvent> = {
  initialState: { status: 'unknown' },
  decide,
  evolve,
};

function decide(command: UserCommand, user: User): readonly UserEvent[] {
  switch (command.type) {
    case 'RegisterUser':
      return newlyRegistered(user, command.data);

    case 'AdmitUser':
      return admitted(user, command.data);

    case 'VerifyEmail': {
      const { userId, isVerified } = registered(user);
      return isVerified ? [] : [{ type: 'user.email_verified', data: { userId, ...command.data } }];
    }

    case 'ChangeEmail':
      ownUser(user);
      return [{ type: 'user.email_changed', data: { ...idOf(user), ...command.data } }];

    case 'ChangePassword':
      ownUser(user);
      return [{ type: 'user.password_changed', data: { ...idOf(user), ...command.data } }];

    case 'AddFactor':
      ownUser(user);
      return [{ type: 'user.second_factor_added', data: { ...idOf(user), ...command.data } }];

    case 'RemoveFactor':
      return [{ type: 'user.second_factor_removed', data: { ...idOf(user), ...command.data } }];

    case 'RemoveFactors':
      return removedByOperator(user, command.data);

    case 'UndoChanges':
      return undone(user, command.data);

    case 'RecoverUser':
      return recovered(user, command.data);

    case 'NewRecoveryCodes':
      return [{ type: 'user.recovery_codes_generated', data: { ...idOf(user), ...command.data } }];

    case 'UseRecoveryCode':
      return [{ type: 'user.recovery_code_used', data: { ...idOf(user), ...command.data } }];

    case 'SuspectPasskey':
      return [{ type: 'user.passkey_suspected', data: { ...idOf(user), ...command.data } }];

    case 'ChangeRole':
      return roleChanged(user, command.data);

    case 'ChooseTroubleMails':
      return mailsChosen(user, command.data);

    case 'CloseUser':
      ownUser(user);
      return [{ type: 'user.closed', data: { ...idOf(user), ...command.data } }];

    case 'ReopenUser':
      if (user.status !== 'closed') return [];
      return [{ type: 'user.reopened', data: { ...idOf(user.before), ...command.data } }];

    case 'DeleteUser':
      return deleted(user, command.data);
  }
}

function newlyRegistered(
  { status }: User,
  { userId, email, at }: DataOf<'RegisterUser'>,
): readonly UserEvent[] {
  if (status === 'unknown') return [{ type: 'user.registered', data: { userId, email, at } }];
  throw new AppError('user_exists', 'This user id is taken; register again.');
}

function deleted(user: User, { at }: DataOf<'DeleteUser'>): readonly UserEvent[] {
  if (user.status === 'unknown' || user.status === 'deleted') return [];
  const { userId } = user.status === 'closed' ? user.before : user;
  return [{ type: 'user.deleted', data: { userId, at } }];
}

type DataOf<Type extends UserCommand['type']> = Extract<UserCommand, { type: Type }>['data'];

function admitted(user: User, data: DataOf<'AdmitUser'>): readonly UserEvent[] {
  if (user.status === 'unknown') return [{ type: 'user.registered', data }];
  if (user.status !== 'registered') {
    throw new AppError('account_deleted', 'This account was deleted here.');
  }
  if (user.origin === data.origin) return [];
  throw new AppError(
    'user_of_another_origin',
    'The token names a user whose account was not opened by its issuer.',
  );
}

function roleChanged(user: User, data: DataOf<'ChangeRole'>): readonly UserEvent[] {
  const { userId, role } = registered(user);
  return role === data.role ? [] : [{ type: 'user.role_changed', data: { userId, ...data } }];
}

function mailsChosen(user: User, data: DataOf<'ChooseTroubleMails'>): readonly UserEvent[] {
  const { userId, wantsTroubleMails } = registered(user);
  if (wantsTroubleMails === data.wanted) return [];
  return [{ type: 'user.trouble_mails_changed', data: { userId, ...data } }];
}

const removedByOperator = (
  user: User,
  { factors, at }: DataOf<'RemoveFactors'>,
): readonly UserEvent[] =>
  factors.map((factor) => ({
    type: 'user.second_factor_removed',
    data: { ...idOf(user), ...factor, reason: 'operator', at },
  }));

function undone(user: User, data: DataOf<'UndoChanges'>): readonly UserEvent[] {
  const { email, removed, returned, at } = data;
  const why = { userId: ownUser(user).userId, reason: 'undo' as const, at };
  return [
    ...removed.map((factor) => ({
      type: 'user.second_factor_removed' as const,
      data: { ...why, ...factor },
    })),
    ...returned.map((factor) => ({
      type: 'user.second_factor_added' as const,
      data: { ...why, ...factor },
    })),
    ...(email === undefined
      ? []
      : [{ type: 'user.email_changed' as const, data: { ...why, email } }]),
    { type: 'user.password_changed', data: why },
  ];
}

function recovered(user: User, data: DataOf<'RecoverUser'>): readonly UserEvent[] {
  const { webhookIds, portalIds } = data;
  if (webhookIds?.length === 0 && portalIds.length === 0) return [];
  return [{ type: 'user.recovered', data: { ...idOf(user), ...data } }];
}

function registered(user: User): RegisteredUser {
  if (user.status === 'registered') return user;
  throw new AppError('unauthenticated', 'This account no longer exists.');
}

function ownUser(user: User): RegisteredUser {
  const own = registered(user);
  if (own.origin === undefined) return own;
  throw accountElsewhere();
}

/** The answer wherever a password, an address or a second factor of another issuer's user is to change. */
export const accountElsewhere = (): AppError =>
  new AppError(
    'account_elsewhere',
    'This account signs in at another issuer. Its address, password and second factor are kept there.',
  );

const idOf = (user: User) => ({ userId: registered(user).userId });

function evolve(user: User, event: UserEvent): User {
  switch (event.type) {
    case 'user.registered':
      return {
        status: 'registered',
        userId: event.data.userId,
        isVerified: false,
        role: 'user',
        wantsTroubleMails: true,
        origin: event.data.origin,
      };
    case 'user.email_verified':
    case 'user.email_changed':
      return { ...registered(user), isVerified: true };
    case 'user.password_changed':
    case 'user.second_factor_added':
    case 'user.second_factor_removed':
    case 'user.recovery_codes_generated':
    case 'user.recovery_code_used':
    case 'user.passkey_suspected':
    case 'user.recovered':
      return user;
    case 'user.role_changed':
      return { ...registered(user), role: event.data.role };
    case 'user.trouble_mails_changed':
      return { ...registered(user), wantsTroubleMails: event.data.wanted };
    case 'user.closed':
      return { status: 'closed', before: registered(user) };
    case 'user.reopened':
      return user.status === 'closed' ? user.before : user;
    case 'user.deleted':
      return { status: 'deleted' };
  }
}
