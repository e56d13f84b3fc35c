import { describe, it } from '@jest/globals';
import { specification } from '@junction/eventsourcing/testing';
import { type UserCommand, userDecider } from './decider.js';
import type { NamedFactor, PasswordChange, Role, UserEvent } from './events.js';

const { given } = specification(userDecider);
const AT = '2030-01-02T03:04:05.000Z';
const userId = 'b2f7c1de-6f1c-4c0e-9a3b-0d7d5c1a2b3c';

describe('a user', () => {
  it('begins by registering an address', () => {
    given().when(register).thenEvents(registered);
  });

  it('cannot register under an id that is taken', () => {
    given(registered).when(register).thenRefused('user_exists');
  });

  it('verifies its address once', () => {
    given(registered).when(verify).thenEvents(verified);
    given(registered, verified).when(verify).thenNothing();
  });

  it('has a verified address after a change of it, because the change is confirmed there', () => {
    given(registered).when(changeEmail).thenEvents(emailChanged);
    given(registered, emailChanged).when(verify).thenNothing();
  });

  it('changes its password, by itself or by a mail', () => {
    given(registered).when(changePassword('changed')).thenEvents(passwordChanged('changed'));
    given(registered, verified).when(changePassword('reset')).thenEvents(passwordChanged('reset'));
    given(registered, passwordChanged('reset')).when(verify).thenEvents(verified);
  });

  it('gets a role once, and loses it', () => {
    given(registered).when(promote).thenEvents(roleChanged('operator'));
    given(registered, roleChanged('operator')).when(promote).thenNothing();
    given(registered, roleChanged('operator')).when(demote).thenEvents(roleChanged('user'));
    given(registered, roleChanged('operator'), verified).when(promote).thenNothing();
    given(registered).when(demote).thenNothing();
  });

  it('gets mails about webhooks and connections unless it turns them off', () => {
    given(registered).when(chooseMails(true)).thenNothing();
    given(registered).when(chooseMails(false)).thenEvents(mailsChanged(false));
    given(registered, mailsChanged(false)).when(chooseMails(false)).thenNothing();
    given(registered, mailsChanged(false)).when(chooseMails(true)).thenEvents(mailsChanged(true));
  });

  it('that is its owner’s again says what ends outside of it, if anything does', () => {
    const recovered = (ended: { webhookIds?: string[]; portalIds: string[] }) =>
      ({ reason: 'reset', ...ended, at: AT }) as const;
    for (const ended of [
      recovered({ portalIds: [] }),
      recovered({ webhookIds: ['wh_1'], portalIds: [] }),
      recovered({ webhookIds: [], portalIds: ['ptl_1'] }),
    ]) {
      given(registered)
        .when({ type: 'RecoverUser', data: ended })
        .thenEvents({ type: 'user.recovered', data: { userId, ...ended } });
    }
    given(registered)
      .when({ type: 'RecoverUser', data: recovered({ webhookIds: [], portalIds: [] }) })
      .thenNothing();
  });

  it('becomes what it was, each change of that with its reason, and gets another password', () => {
    given(registered, verified)
      .when(undo)
      .thenEvents(
        factorChanged('user.second_factor_removed', { factor: 'passkey', passkeyId: 'pky_1' }),
        factorChanged('user.second_factor_added', { factor: 'totp' }),
        { type: 'user.email_changed', data: { userId, email, reason: 'undo', at: AT } },
        passwordChanged('undo'),
      );
    given(registered)
      .when({ type: 'UndoChanges', data: { removed: [], returned: [], at: AT } })
      .thenEvents(passwordChanged('undo'));
    given(admitted).when(undo).thenRefused('account_elsewhere');
  });

  it.each<[UserCommand['type'], UserEvent['type'], object]>([
    ['AddFactor', 'user.second_factor_added', { factor: 'totp' }],
    ['RemoveFactor', 'user.second_factor_removed', { factor: 'passkey', passkeyId: 'pky_1' }],
    ['NewRecoveryCodes', 'user.recovery_codes_generated', {}],
    ['UseRecoveryCode', 'user.recovery_code_used', {}],
    ['SuspectPasskey', 'user.passkey_suspected', { passkeyId: 'pky_1' }],
  ])('has each %s recorded as %s, which changes nothing else', (asked, recorded, data) => {
    const command = { type: asked, data: { ...data, at: AT } } as UserCommand;
    const event = { type: recorded, data: { ...data, userId, at: AT } } as UserEvent;
    given(registered).when(command).thenEvents(event);
    given(registered, event).when(verify).thenEvents(verified);
    given(registered, deleted).when(command).thenRefused('unauthenticated');
  });

  it('says of factors that an operator removes who did it', () => {
    given(registered)
      .when({ type: 'RemoveFactors', data: { factors: [{ factor: 'totp' }], at: AT } })
      .thenEvents({
        type: 'user.second_factor_removed',
        data: { userId, factor: 'totp', reason: 'operator', at: AT },
      });
  });

  it('changes nothing once it is closed or deleted', () => {
    for (const command of [verify, changeEmail, changePassword('reset'), promote, undo, close]) {
      given(registered, deleted).when(command).thenRefused('unauthenticated');
      given(registered, closed).when(command).thenRefused('unauthenticated');
    }
  });

  it('can be closed, and then comes back as it was or is deleted', () => {
    given(registered, verified).when(close).thenEvents(closed);
    given(registered, closed).when(reopen).thenEvents(reopened);
    given(registered, verified, closed, reopened).when(verify).thenNothing();
    given(registered, closed, reopened).when(remove).thenEvents(deleted);
    given(registered, closed).when(remove).thenEvents(deleted);
    for (const history of [[registered], [registered, deleted]]) {
      given(...history)
        .when(reopen)
        .thenNothing();
    }
  });

  it('can be deleted', () => {
    given(registered).when(remove).thenEvents(deleted);
  });

  it('is deleted once, however often it is asked', () => {
    given(registered, deleted).when(remove).thenNothing();
  });

  it('has nothing to delete before registering', () => {
    given().when(remove).thenNothing();
  });

  it('does not come back under the same id', () => {
    given(registered, deleted).when(register).thenRefused('user_exists');
  });
});

describe('a user of a trusted issuer', () => {
  it('begins when she is seen first', () => {
    given().when(admit('acme')).thenEvents(admitted);
    given(admitted).when(admit('acme')).thenNothing();
  });

  it('is nobody that another issuer, or a password, has begun', () => {
    given(admitted).when(admit('globex')).thenRefused('user_of_another_origin');
    given(registered).when(admit('acme')).thenRefused('user_of_another_origin');
    given(admitted).when(register).thenRefused('user_exists');
  });

  it('stays deleted, whatever tokens her issuer gives out', () => {
    given(admitted).when(remove).thenEvents(deleted);
    given(admitted, deleted).when(admit('acme')).thenRefused('account_deleted');
  });

  it('has address, password and second factor elsewhere', () => {
    const addTotp: UserCommand = { type: 'AddFactor', data: { factor: 'totp', at: AT } };
    for (const command of [changeEmail, changePassword('changed'), addTotp]) {
      given(admitted).when(command).thenRefused('account_elsewhere');
    }
    given(admitted).when(promote).thenEvents(roleChanged('operator'));
  });
});

const email = 'ada@example.com';
const register: UserCommand = { type: 'RegisterUser', data: { userId, email, at: AT } };
const remove: UserCommand = { type: 'DeleteUser', data: { at: AT } };
const registered: UserEvent = {
  type: 'user.registered',
  data: { userId, email, at: AT },
};
const admit = (origin: string): UserCommand => ({
  type: 'AdmitUser',
  data: { userId, origin, at: AT },
});
const admitted: UserEvent = {
  type: 'user.registered',
  data: { userId, origin: 'acme', at: AT },
};
const verify: UserCommand = { type: 'VerifyEmail', data: { at: AT } };
const verified: UserEvent = { type: 'user.email_verified', data: { userId, at: AT } };
const changeEmail: UserCommand = {
  type: 'ChangeEmail',
  data: { email: 'lovelace@example.com', at: AT },
};
const emailChanged: UserEvent = {
  type: 'user.email_changed',
  data: { userId, email: 'lovelace@example.com', at: AT },
};
const changePassword = (reason: PasswordChange): UserCommand => ({
  type: 'ChangePassword',
  data: { reason, at: AT },
});
const passwordChanged = (reason: PasswordChange): UserEvent => ({
  type: 'user.password_changed',
  data: { userId, reason, at: AT },
});
const by = 'cli_operator';
const promote: UserCommand = { type: 'ChangeRole', data: { role: 'operator', by, at: AT } };
const demote: UserCommand = { type: 'ChangeRole', data: { role: 'user', by, at: AT } };
const chooseMails = (wanted: boolean): UserCommand => ({
  type: 'ChooseTroubleMails',
  data: { wanted, at: AT },
});
const mailsChanged = (wanted: boolean): UserEvent => ({
  type: 'user.trouble_mails_changed',
  data: { userId, wanted, at: AT },
});
const roleChanged = (role: Role): UserEvent => ({
  type: 'user.role_changed',
  data: { userId, role, by, at: AT },
});
const undo: UserCommand = {
  type: 'UndoChanges',
  data: {
    email,
    removed: [{ factor: 'passkey', passkeyId: 'pky_1' }],
    returned: [{ factor: 'totp' }],
    at: AT,
  },
};
const factorChanged = (
  type: 'user.second_factor_added' | 'user.second_factor_removed',
  factor: NamedFactor,
): UserEvent => ({ type, data: { userId, ...factor, reason: 'undo', at: AT } });
const close: UserCommand = { type: 'CloseUser', data: { at: AT } };
const closed: UserEvent = { type: 'user.closed', data: { userId, at: AT } };
const reopen: UserCommand = { type: 'ReopenUser', data: { at: AT } };
const reopened: UserEvent = { type: 'user.reopened', data: { userId, at: AT } };
const deleted: UserEvent = { type: 'user.deleted', data: { userId, at: AT } };
