import { describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import type { StepUpProof } from '../src/application/second-factor/step-up.js';
import { codeOf, loggedIn } from './auth-on-postgres.js';
import { recoveryOf, signedIn, totpOf, withTotp } from './factors.js';
import { authSchema } from './schema.js';

const WRONG = 'not the password';
const database = useDatabase(authSchema);

/** Visitor who has a session, and not what it takes to change the account. */
const thief = { ip: '198.51.100.7', onLimit: () => {} };

describe('wrong passwords within a session', () => {
  it('end it at the fifth, wherever they were tried, and cost its owner nothing', async () => {
    const { app, person, caller, ports } = await signedIn(database());
    const password = WRONG;
    const tries = [
      () => app.stepUp(caller, { proof: { kind: 'password', password }, visitor: thief }),
      () => app.changeEmail(caller, { password, newEmail: 'x@example.com', visitor: thief }),
      () =>
        app.changePassword(caller, {
          currentPassword: password,
          newPassword: 'theirs, from now on',
          visitor: thief,
        }),
      () => app.deleteMe(caller, { password, visitor: thief }),
    ];
    for (const attempt of tries) expect(await codeOf(attempt())).toBe('invalid_password');
    expect(await ports.sessions.isOver(caller.sessionId, caller.userId)).toBe(false);
    const [stepUp = async () => undefined] = tries;
    expect(await codeOf(stepUp())).toBe('invalid_password');
    expect(await ports.sessions.isOver(caller.sessionId, caller.userId)).toBe(true);
    expect(await endOf(caller.sessionId)).toBe('guesses');

    expect(await counted()).toEqual(['session-password']);
    await expect(loggedIn(app, { ...person, visitor: thief })).resolves.toBeDefined();
  });

  it('are bounded when they are sent at once, and from several networks', async () => {
    const { app, caller } = await signedIn(database());
    const told = await Promise.all(
      Array.from({ length: 30 }, async (_, n) =>
        codeOf(
          app.stepUp(caller, {
            proof: { kind: 'password', password: WRONG },
            visitor: { ...thief, ip: `198.51.100.${n}` },
          }),
        ),
      ),
    );
    expect(told.filter((code) => code === 'invalid_password')).toHaveLength(5);
  });

  it('begin anew with the right one', async () => {
    const { app, person, caller, ports } = await signedIn(database());
    const stepUp = async (password: string) =>
      app.stepUp(caller, { proof: { kind: 'password', password }, visitor: thief });
    for (let round = 0; round < 2; round++) {
      for (let n = 0; n < 4; n++) expect(await codeOf(stepUp(WRONG))).toBe('invalid_password');
      await expect(stepUp(person.password)).resolves.toBeDefined();
    }
    expect(await ports.sessions.isOver(caller.sessionId, caller.userId)).toBe(false);
  });
});

describe('wrong second factors within a session', () => {
  it('end it at the fifth, and leave codes and recovery codes of the sign-in to its owner', async () => {
    const { app, current, ports, pending, finish, nextCode, added } = await withTotp(database());
    const [one = ''] = added.recoveryCodes ?? [];
    for (let round = 0; round < 5; round++) {
      const caller = await current();
      const guess = (proof: StepUpProof) => app.stepUp(caller, { proof, visitor: thief });
      for (let n = 0; n < 5; n++) {
        const proof = n % 2 === 0 ? totpOf('000000') : recoveryOf('nothing of the kind');
        expect(await codeOf(guess(proof))).toBe('invalid_second_factor');
      }
      expect(await ports.sessions.isOver(caller.sessionId, caller.userId)).toBe(true);
      const again = round === 0 ? recoveryOf(one) : totpOf(nextCode());
      await expect(finish((await pending()).mfaToken, again)).resolves.toBeDefined();
    }
  });

  it('are not forgotten for a right password', async () => {
    const { app, person, current, ports } = await withTotp(database());
    const caller = await current();
    const visitor = thief;
    const wrong = async () => codeOf(app.stepUp(caller, { proof: totpOf('000000'), visitor }));
    for (let n = 0; n < 4; n++) expect(await wrong()).toBe('invalid_second_factor');
    const { password } = person;
    await app.changeEmail(caller, { password, newEmail: 'theirs@example.com', visitor });
    expect(await wrong()).toBe('invalid_second_factor');
    expect(await ports.sessions.isOver(caller.sessionId, caller.userId)).toBe(true);
  });
});

/** The names of what was counted, of guesses alone. */
async function counted(): Promise<readonly string[]> {
  const { rows } = await database().pool.query<{ name: string }>(
    `select distinct split_part(key, ':', 1) as name from attempts
      where key like 'login%' or key like 'session-%' or key like 'second-factor%' order by name`,
  );
  return rows.map(({ name }) => name);
}

async function endOf(sessionId: string): Promise<unknown> {
  const { rows } = await database().pool.query<{ reason: string }>(
    `select data ->> 'reason' as reason from events
      where stream_id = $1 and type = 'session.revoked'`,
    [`session-${sessionId}`],
  );
  return rows[0]?.reason;
}
