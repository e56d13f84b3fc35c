import { describe, expect, it } from '@jest/globals';
import { eventually, freePort } from '@junction/testing';
import { consentedAt, mailboxAt, notLate, useFaultyProvider } from '../../../test/on-provider.js';
import type { OAuthProviderOptions } from './oauth-provider.js';
import type { ProviderSettings } from './provider-settings.js';

const faulty = useFaultyProvider({ accessTokenS: 600 });

describe('a revocation', () => {
  it('ends the grant, and again it is no error', async () => {
    const { provider, refreshToken: token } = await renewable();
    const revoke = () => provider.revoke({ token, hint: 'refresh_token' });
    expect(await revoke()).toBe('revoked');
    await expect(provider.refresh(token, notLate)).rejects.toMatchObject({ failure: 'refused' });
    expect(await revoke()).toBe('revoked');
  });

  it('waits for a provider whose description lacks its endpoint just now', async () => {
    let nowMs = Date.now();
    const { refreshToken: token } = await renewable();
    faulty().describe((description) => ({ ...description, revocation_endpoint: undefined }));
    const provider = at({}, { nowMs: () => nowMs });
    const revoke = async () => provider.revoke({ token, hint: 'refresh_token' });
    await expect(revoke()).rejects.toMatchObject({
      failure: 'unavailable',
      reason: 'no_revocation_endpoint',
      sent: false,
    });
    // Everything else goes on meanwhile.
    expect(await provider.isIssuer(faulty().issuer)).toBe(true);

    faulty().describe();
    nowMs += 60_000;
    await eventually(async () => expect(await revoke()).toBe('revoked'));
  });

  it('goes on with the older description when a newer one lacks its endpoint', async () => {
    let nowMs = Date.now();
    const { refreshToken: token } = await renewable();
    const said: object[] = [];
    const provider = at(
      {},
      { nowMs: () => nowMs, log: { warn: (fields) => said.push(fields), error() {} } },
    );
    await provider.isIssuer(undefined);
    faulty().describe((description) => ({ ...description, revocation_endpoint: undefined }));
    nowMs += 2 * 3_600_000;
    await provider.isIssuer(undefined);
    await eventually(() => expect(said).toMatchObject([{ reason: 'no_revocation_endpoint' }]));
    expect(await provider.revoke({ token, hint: 'refresh_token' })).toBe('revoked');
  });

  it('is not asked of a provider that cannot', async () => {
    const provider = at({ revocation: 'none' });
    expect(await provider.revoke({ token: 't', hint: 'access_token' })).toBe('unsupported');
    expect((await faulty().control.calls()).revocation).toBe(0);
  });
});

describe('a provider that is asked about a token', () => {
  it('knows a good one from one that was revoked there', async () => {
    const { provider, refreshToken: token, email } = await renewable();
    const asked = async () => provider.introspect({ token, hint: 'refresh_token' });
    expect(await asked()).toBe('active');
    await faulty().control.revokeAccount(email);
    expect(await asked()).toBe('inactive');
  });

  it('is not asked where the settings say no, and failing says nothing about the token', async () => {
    const { provider, refreshToken: token } = await renewable();
    const mute = at({ introspectionsPerS: undefined });
    expect(await mute.introspect({ token, hint: 'refresh_token' })).toBe('unsupported');
    await faulty().control.fail({ endpoint: 'introspection', calls: 1, status: 503 });
    await expect(provider.introspect({ token, hint: 'refresh_token' })).rejects.toMatchObject({
      failure: 'unavailable',
    });
  });
});

describe('a provider', () => {
  it('may be down when it is set up, and come later', async () => {
    const provider = mailboxAt(`http://localhost:${await freePort()}`);
    await expect(provider.isIssuer(undefined)).rejects.toMatchObject({
      failure: 'unavailable',
      reason: 'unreachable',
      sent: false,
    });
  });

  it('is known from its last description while it is down', async () => {
    let nowMs = Date.now();
    const provider = at({}, { nowMs: () => nowMs });
    expect(await provider.isIssuer(faulty().issuer)).toBe(true);
    await faulty().hangUp();
    try {
      nowMs += 2 * 3_600_000;
      expect(await provider.isIssuer(faulty().issuer)).toBe(true);
    } finally {
      await faulty().answerAgain();
    }
  });

  it('that cannot describe itself anew is in the log, once for each reason', async () => {
    const said: object[] = [];
    let nowMs = Date.now();
    const provider = at(
      {},
      { nowMs: () => nowMs, log: { warn: (fields) => said.push(fields), error() {} } },
    );
    /**
     * Waits until a description was fetched anew. The old description serves meanwhile. Each look is hours later, so
     * whatever was fetched is old.
     */
    const askedAnew = async () => {
      const before = described;
      await eventually(async () => {
        nowMs += 2 * 3_600_000;
        expect(await provider.isIssuer(faulty().issuer)).toBe(true);
        expect(described).toBeGreaterThan(before);
      });
    };
    let described = 0;
    let found: unknown = faulty().issuer;
    faulty().describe((description) => {
      described += 1;
      return { ...description, issuer: found };
    });
    await provider.isIssuer(undefined);
    expect(said).toEqual([]);

    found = 'https://other.example';
    await askedAnew();
    await askedAnew();
    const mismatch = { reason: 'issuer_mismatch', issuer: faulty().issuer, found_issuer: found };
    await eventually(() => expect(said).toEqual([mismatch]));
    found = 7;
    await askedAnew();
    const malformed = { reason: 'malformed_answer', issuer: faulty().issuer };
    await eventually(() => expect(said).toEqual([mismatch, malformed]));

    found = faulty().issuer;
    await askedAnew();
    found = 7;
    await askedAnew();
    await eventually(() => expect(said).toEqual([mismatch, malformed, malformed]));
  });

  it('is asked again when its description lacks what nobody can connect without', async () => {
    const provider = at();
    faulty().describe((description) => ({ ...description, authorization_endpoint: undefined }));
    const request = { state: 's', nonce: 'n', verifier: 'v'.repeat(43), userId: 'u1' };
    await expect(provider.authorizationUrl(request)).rejects.toMatchObject({
      failure: 'unavailable',
      reason: 'no_authorization_endpoint',
      sent: false,
    });
    faulty().describe();
    expect(await provider.authorizationUrl(request)).toContain('/auth');
  });

  it('that is another one than the one set up cannot be used, and says so', async () => {
    const said: object[] = [];
    const provider = at({}, { log: { warn: (fields) => said.push(fields), error() {} } });
    faulty().describe((description) => ({ ...description, issuer: 'https://other.example' }));
    await expect(provider.isIssuer(undefined)).rejects.toMatchObject({
      failure: 'misconfigured',
      reason: 'issuer_mismatch',
      sent: false,
    });
    expect(said).toMatchObject([{ found_issuer: 'https://other.example' }]);
    faulty().describe();
    expect(await provider.isIssuer(faulty().issuer)).toBe(true);
  });
});

describe('a provider that takes pushed authorization requests alone', () => {
  const pushing = useFaultyProvider({ needsPushed: true });

  it('gets them when its description says so', async () => {
    const unpushed = await consentedAt(pushing().issuer);
    await expect(unpushed.exchange()).rejects.toMatchObject({ sent: false });
    pushing().describe((description) => ({
      ...description,
      require_pushed_authorization_requests: true,
    }));
    const { exchange, email } = await consentedAt(pushing().issuer);
    expect(await exchange()).toMatchObject({ account: email });
  });
});

async function renewable() {
  const { provider, exchange, email } = await consented();
  const { refreshToken = '' } = await exchange();
  return { provider, refreshToken, email };
}

const at = (changes: Partial<ProviderSettings> = {}, options: Partial<OAuthProviderOptions> = {}) =>
  mailboxAt(faulty().issuer, changes, options);

const consented = async (allow: boolean | readonly string[] = true) =>
  consentedAt(faulty().issuer, allow);
