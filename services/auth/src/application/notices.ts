import type { AuthEvent } from '../domain/auth-event.js';

export interface NoticeWords {
  readonly subject: string;
  /** The change, as a sentence that goes on with `on <day> at <time>.` */
  readonly done: string;
  /** Present: a link takes it back, but for this. */
  readonly undo?: { readonly but?: string };
  /** Advice where no link takes it back; absent: to reset the password. */
  readonly otherwise?: string;
  /** Advice to who wanted it; absent: to do nothing. */
  readonly wanted?: {
    readonly advice: string;
    /** The same where the link may also end the account at once. */
    readonly orAtOnce: string;
  };
}

/** Mails to the user of an account after a change, by the kind of the change. */
export const NOTICES = {
  factor_added: {
    subject: 'A second factor was added',
    done: 'A passkey or an authenticator was added to your account at Junction',
    undo: {},
  },
  factor_removed: {
    subject: 'A second factor was removed',
    done: 'A passkey or the authenticator of your account at Junction was removed',
    undo: { but: 'Recovery codes that ended with it do not come back: make new ones.' },
  },
  factors_removed: {
    subject: 'An operator removed your second factors',
    done: 'An operator removed every second factor of your account at Junction, and ended its sessions,',
    undo: { but: 'Recovery codes do not come back: make new ones.' },
  },
  recovery_codes_made: {
    subject: 'New recovery codes were made',
    done: 'New recovery codes, in place of the old ones, were made for your account at Junction',
    undo: {
      but: 'The old codes do not come back: make new ones.',
    },
  },
  recovery_code_used: {
    subject: 'A recovery code was used',
    done: 'A recovery code of your account at Junction was used in place of a second factor',
    undo: { but: 'The code does not count again.' },
  },
  passkey_suspected: {
    subject: 'Somebody may have a copy of your passkey',
    done: 'A passkey of your account at Junction was refused, because it may be a copy,',
    otherwise: 'Remove that passkey on the page Account, and add another one.',
  },
  password_changed: {
    subject: 'Your password was changed',
    done: 'The password of your account at Junction was changed, and other sessions were ended,',
    undo: {},
  },
  email_changed: {
    subject: 'Your e-mail address was changed',
    done: 'Your account at Junction got another e-mail address, and lost this one,',
    undo: {},
    otherwise:
      'If it was not you, somebody else has access to your account: ask your operator for help.',
  },
  api_key_created: {
    subject: 'An API key was made',
    done: 'An API key for your account at Junction was made',
    undo: {},
  },
  api_key_rotated: {
    subject: 'An API key got a new secret',
    done: 'An API key of your account at Junction got a new secret',
    undo: {
      but: 'The key is revoked: its old secret does not come back.',
    },
  },
  api_key_revoked: {
    subject: 'An API key was revoked',
    done: 'An API key of your account at Junction was revoked',
    undo: { but: 'The key does not come back: make a new one.' },
  },
  account_deleted: {
    subject: 'Your account was deleted',
    done: 'Your account at Junction was deleted, and its sessions, API keys, webhooks and connections ended,',
    undo: { but: 'Sessions, API keys, webhooks and connections do not come back.' },
    wanted: {
      advice:
        'If you wanted this, do nothing: what is left of the account, with its address, ends 72 hours later.',
      orAtOnce:
        'If you wanted this, do nothing: what is left of the account, with its address, ends 72 hours later, or at once where you say so on the page below.',
    },
    otherwise: 'If it was not you, ask your operator for help.',
  },
  webhooks_changed: {
    subject: 'Webhooks were made or changed',
    done: 'Webhooks of your account at Junction were made or changed',
    undo: {
      but: 'Webhooks that were made or changed since are disabled, so that you can look at each: what they were before does not come back.',
    },
  },
  undone: {
    subject: 'Changes of your account were taken back',
    done: 'Changes of your account at Junction were taken back by a link that we had mailed, every session was ended, and another password was set',
    otherwise:
      'If it was not you, somebody else reads your mail: secure your mailbox, and then reset the password.',
  },
} as const satisfies Readonly<Record<string, NoticeWords>>;

export type NoticeKind = keyof typeof NOTICES;

/** Changes that a link takes back. */
export type UndoableKind = {
  [Kind in NoticeKind]: (typeof NOTICES)[Kind] extends { readonly undo: object } ? Kind : never;
}[NoticeKind];

/**
 * Returns the notice of an event of an account. An event of a new type does not compile until it stands here. The
 * events of an undo are a single notice, and the end of an account that was closed before is none.
 */
export function noticeOf({ type, data }: AuthEvent): NoticeKind | 'none' {
  switch (type) {
    case 'user.email_changed':
      return data.reason === 'undo' ? 'none' : 'email_changed';
    case 'user.password_changed':
      return data.reason === 'undo' ? 'undone' : 'password_changed';
    case 'user.second_factor_added':
      return data.reason === 'undo' ? 'none' : 'factor_added';
    case 'user.second_factor_removed':
      if (data.reason === 'undo') return 'none';
      return data.reason === 'operator' ? 'factors_removed' : 'factor_removed';
    case 'user.recovery_codes_generated':
      return 'recovery_codes_made';
    case 'user.recovery_code_used':
      return 'recovery_code_used';
    case 'user.passkey_suspected':
      return 'passkey_suspected';
    case 'api_key.created':
      return 'api_key_created';
    case 'api_key.rotated':
      return 'api_key_rotated';
    case 'api_key.revoked':
      return ['undo', 'user_deleted'].includes(data.reason) ? 'none' : 'api_key_revoked';
    case 'user.closed':
      return 'account_deleted';
    case 'user.registered':
    case 'user.email_verified':
    case 'user.role_changed':
    case 'user.trouble_mails_changed':
    case 'user.reopened':
    case 'user.recovered':
    case 'user.deleted':
    case 'session.started':
    case 'session.revoked':
    case 'client.registered':
    case 'client.secret_added':
    case 'client.keys_set':
    case 'client.revoked':
    case 'signing_key.created':
    case 'signing_key.retired':
      return 'none';
  }
}

export const isUndoable = (kind: NoticeKind): kind is UndoableKind => 'undo' in NOTICES[kind];

export const UNDOABLE_KINDS = (Object.keys(NOTICES) as NoticeKind[]).filter(isUndoable);
