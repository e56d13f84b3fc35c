import { describe, expect, it } from '@jest/globals';
import { specification } from '@junction/eventsourcing/testing';
import { signingKeyDecider } from './decider.js';
import type { RetirementReason, SigningKeyEvent } from './events.js';
import { atOnce, inTime, isDue, JWKS_MAX_AGE_MS, RELOAD_MS } from './rotation.js';

const { given } = specification(signingKeyDecider);
const AT = '2030-01-02T03:04:05.000Z';
const LATER = '2030-01-02T04:04:05.000Z';
const NOW = new Date(AT);
const DAY_MS = 24 * 60 * 60_000;
const kid = 'thumbprint';

describe('a signing key', () => {
  it('is created once', () => {
    given().when(create).thenEvents(created);
    given(created).when(create).thenRefused('signing_key_exists');
  });

  it('is retired by a rotation, and sooner when it has leaked', () => {
    given(created).when(retire(LATER, 'rotated')).thenEvents(retired(LATER, 'rotated'));
    given(created, retired(LATER, 'rotated'))
      .when(retire(AT, 'compromised'))
      .thenEvents(retired(AT, 'compromised'));
  });

  it('is retired once for one moment', () => {
    given(created, retired(AT, 'rotated')).when(retire(AT, 'compromised')).thenNothing();
  });

  it('never ends later than was said', () => {
    given(created, retired(AT, 'compromised')).when(retire(LATER, 'rotated')).thenNothing();
    given().when(retire(LATER, 'rotated')).thenNothing();
  });
});

describe('a rotation', () => {
  it('lets every cache end before the new key signs', () => {
    const { signsFrom } = inTime(NOW);
    expect(signsFrom.getTime() - NOW.getTime()).toBeGreaterThanOrEqual(
      RELOAD_MS + 2 * JWKS_MAX_AGE_MS,
    );
  });

  it('lets the last token of the old key end before the key does', () => {
    const { signsFrom, publishedUntil } = inTime(NOW);
    expect(publishedUntil.getTime() - signsFrom.getTime()).toBeGreaterThan(RELOAD_MS + 600_000);
  });

  it('because of a leak waits for nobody', () => {
    expect(atOnce(NOW)).toEqual({ signsFrom: NOW, publishedUntil: NOW });
  });

  it('is due when the newest key is old, and not again after it', () => {
    const old = { createdAt: new Date(NOW.getTime() - 90 * DAY_MS) };
    const young = { createdAt: new Date(NOW.getTime() - 90 * DAY_MS + 1) };
    expect(isDue([old], NOW, 90 * DAY_MS)).toBe(true);
    expect(isDue([young], NOW, 90 * DAY_MS)).toBe(false);
    expect(isDue([{ ...old, publishedUntil: NOW }, young], NOW, 90 * DAY_MS)).toBe(false);
    expect(isDue([{ ...young, publishedUntil: NOW }, old], NOW, 90 * DAY_MS)).toBe(true);
  });
});

const create = { type: 'CreateSigningKey' as const, data: { kid, signsFrom: AT, at: AT } };
const created: SigningKeyEvent = {
  type: 'signing_key.created',
  data: { kid, signsFrom: AT, at: AT },
};

function retire(publishedUntil: string, reason: RetirementReason) {
  return { type: 'RetireSigningKey' as const, data: { publishedUntil, reason, at: AT } };
}

function retired(publishedUntil: string, reason: RetirementReason): SigningKeyEvent {
  return { type: 'signing_key.retired', data: { kid, publishedUntil, reason, at: AT } };
}
