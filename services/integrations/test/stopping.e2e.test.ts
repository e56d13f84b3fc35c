import type { ServerResponse } from 'node:http';
import { status } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import { refusalOf } from './started-integrations.js';
import { useWorld } from './world.js';

const world = useWorld();
/** Longer than any token of the provider lives: refreshed first, whatever there is. */
const FORCED = 86_400;
/** Later than other services are given up at (15 s). */
const LATE_MS = 18_000;

describe('a stop', () => {
  it('does not wait when nothing is under way', async () => {
    const { service } = world();
    const beganMs = performance.now();
    expect(await service.end('SIGTERM')).toBe(0);
    expect(performance.now() - beganMs).toBeLessThan(10_000);
    await service.startAgain();
  });

  it('waits for a late answer, and saves the refresh token that came in it', async () => {
    const { service, provider, connected } = world();
    const [{ userId }, other] = [await connected(), await connected()];
    await provider.control.reset();
    let answeredMs = 0;
    provider.bend((answer) => (res: ServerResponse) => {
      setTimeout(() => {
        answeredMs = performance.now();
        res.writeHead(200, { 'content-type': 'application/json' });
        res.end(JSON.stringify(answer));
      }, LATE_MS);
    });
    const underWay = refusalOf(service.vend({ userId, minLifetimeS: FORCED }));
    await eventually(async () => expect((await provider.control.calls()).token).toBe(1));

    const ended = service.end('SIGTERM');
    expect(await underWay).toEqual({ code: status.UNAVAILABLE, reason: 'stopping' });
    // Nobody is served any more, and the provider hears nothing new.
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
    provider.bend();
    await service.startAgain();
    expect((await service.vend({ userId })).credentialVersion).toBe(2);
    expect((await service.vend({ userId, minLifetimeS: FORCED })).credentialVersion).toBe(3);
  });
});
