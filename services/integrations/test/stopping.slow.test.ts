import type { ServerResponse } from 'node:http';
import { status } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import { refusalOf } from './started-integrations.js';
import { useWorld } from './world.js';

const world = useWorld();
/** Lifetime in seconds that no token of the provider has: a token that came with a connect is refreshed first. */
const FORCED = 86_400;
/** Milliseconds after which other services would be given up already (15 s). */
const LATE_MS = 18_000;
/** Later than the servers wait, and within what a code's exchange may take. */
const LATE_FOR_A_CODE_MS = 8_000;

describe('a stop', () => {
  it('does not wait when nothing is under way', async () => {
    const { service } = world();
    const beganMs = performance.now();
    expect(await service.end('SIGTERM')).toBe(0);
    expect(performance.now() - beganMs).toBeLessThan(10_000);
    await service.startAgain();
  });

  it('waits for a late answer, and saves the refresh token that came in it', async () => {
    const { service, provider, connected, changeCredentials } = world();
    const [{ userId }, other] = [await connected(), await connected()];
    await provider.control.reset();
    let answeredMs = 0;
    provider.alter(late(LATE_MS, () => (answeredMs = performance.now())));
    const underWay = refusalOf(service.vend({ userId, minLifetimeS: FORCED }));
    await eventually(async () => expect((await provider.control.calls()).token).toBe(1));

    const ended = service.end('SIGTERM');
    expect(await underWay).toEqual({ code: status.UNAVAILABLE, reason: 'stopping' });
    // The stopping service serves no call any more, and the provider gets no further request.
    expect(
      await refusalOf(service.vend({ userId: other.userId, minLifetimeS: FORCED })),
    ).toMatchObject({
      code: status.UNAVAILABLE,
    });
    expect(answeredMs).toBe(0);
    expect(await ended).toBe(0);
    expect(answeredMs).toBeGreaterThan(0);
    expect((await provider.control.calls()).token).toBe(1);

    // This provider ends the whole grant when the old refresh token is brought to it again.
    provider.alter();
    await service.startAgain();
    expect((await service.vend({ userId })).credentialVersion).toBe(2);
    await changeCredentials(userId, 'expires_at = now()');
    expect((await service.vend({ userId })).credentialVersion).toBe(3);
  });

  it('waits for a late answer to a code, and connects with the tokens that came in it', async () => {
    const { service, provider, newPerson, consent, postCode } = world();
    const person = newPerson();
    const { userId } = person;
    const { code: auth_code } = await consent(person);
    await provider.control.reset();
    let hasAnswered = false;
    provider.alter(late(LATE_FOR_A_CODE_MS, () => (hasAnswered = true)));
    const posted = Promise.allSettled([postCode(person, { auth_code })]);
    await eventually(async () => expect((await provider.control.calls()).token).toBe(1));

    const ended = service.end('SIGTERM');
    // The server closes the connection before the provider has answered.
    const [{ status: outcome }] = await posted;
    expect([outcome, hasAnswered]).toEqual(['rejected', false]);
    expect(await ended).toBe(0);
    expect(hasAnswered).toBe(true);

    provider.alter();
    await service.startAgain();
    expect((await service.vend({ userId })).credentialVersion).toBe(1);
    expect((await service.vend({ userId, minLifetimeS: FORCED })).credentialVersion).toBe(2);
  });
});

const late = (ms: number, onAnswer: () => void) => (answer: object) => (res: ServerResponse) => {
  setTimeout(() => {
    onAnswer();
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end(JSON.stringify(answer));
  }, ms);
};
