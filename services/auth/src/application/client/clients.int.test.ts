import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { authOnPostgres } from '../../../test/auth-on-postgres.js';
import { authSchema } from '../../../test/schema.js';
import type { ClientProof } from './authenticate-client.js';

const database = useDatabase(authSchema);
const ISSUER = 'https://junction.example';
const HOUR_MS = 3_600_000;
const visitor = { ip: '192.0.2.1', onLimit: () => {} };
const grants = [{ audience: 'integrations', scopes: ['tokens:read'] }];

async function opened() {
  const auth = await authOnPostgres(database());
  const { app } = auth;
  const token = async (proof: ClientProof) =>
    app.issueServiceToken({ proof, audience: 'integrations', visitor });
  /** 'token', or the code of the refusal. */
  const outcome = async (proof: ClientProof) =>
    token(proof).then(
      () => 'token',
      (error: { code: string }) => error.code,
    );
  return { ...auth, token, outcome };
}

describe('a client with a secret', () => {
  const registered = async () => {
    const auth = await opened();
    const { clientId, secret = '' } = await auth.app.clients.register({ name: 'worker', grants });
    return { ...auth, clientId, secret };
  };
  const bySecret = (clientId: string, secret: string): ClientProof => ({
    kind: 'secret',
    clientId,
    secret,
  });

  it('gets tokens for what it was granted', async () => {
    const { token, outcome, clientId, secret } = await registered();
    await expect(token(bySecret(clientId, secret))).resolves.toMatchObject({
      scopes: ['tokens:read'],
    });
    expect(await outcome(bySecret(clientId, `${secret}x`))).toBe('invalid_client');
    expect(await outcome(bySecret('cli_nobody', secret))).toBe('invalid_client');
  });

  it('has two secrets during the overlap of a rotation', async () => {
    const { app, outcome, later, clientId, secret } = await registered();
    const { secret: next = '' } = await app.clients.rotateSecret(clientId, 3_600);
    expect(await outcome(bySecret(clientId, secret))).toBe('token');
    expect(await outcome(bySecret(clientId, next))).toBe('token');
    later(HOUR_MS);
    expect(await outcome(bySecret(clientId, secret))).toBe('invalid_client');
    expect(await outcome(bySecret(clientId, next))).toBe('token');
  });

  it('gets none once it is revoked', async () => {
    const { app, outcome, clientId, secret } = await registered();
    await app.clients.revoke(clientId);
    await app.clients.revoke(clientId);
    expect(await outcome(bySecret(clientId, secret))).toBe('invalid_client');
    await expect(app.clients.rotateSecret(clientId, 0)).rejects.toMatchObject({
      code: 'client_not_found',
    });
  });
});

describe('a client with a key', () => {
  const registered = async () => {
    const auth = await opened();
    const { publicKey, privateKey } = await generateKeyPair('EdDSA', { extractable: true });
    const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k1' }] };
    const { clientId, secret } = await auth.app.clients.register({ name: 'worker', grants, jwks });
    expect(secret).toBeUndefined();
    const assertion = async (claims: JWTPayload = {}) => {
      const about = { iss: clientId, sub: clientId, aud: ISSUER, jti: randomUUID(), ...claims };
      const jwt = await new SignJWT(about)
        .setProtectedHeader({ alg: 'EdDSA', kid: 'k1' })
        .setExpirationTime('1m')
        .sign(privateKey);
      return { kind: 'assertion', jwt } as const;
    };
    return { ...auth, clientId, assertion };
  };

  it('gets a token for an assertion that it signed for the issuer or for the token endpoint', async () => {
    const { token, outcome, assertion, clientId } = await registered();
    for (const aud of [ISSUER, `${ISSUER}/oauth/token`]) {
      await expect(token(await assertion({ aud }))).resolves.toMatchObject({
        scopes: ['tokens:read'],
      });
    }
    expect(await outcome({ ...(await assertion()), clientId })).toBe('token');
  });

  it('gets one for an assertion once, also when it is shown to all replicas at once', async () => {
    const { token, assertion } = await registered();
    const proof = await assertion();
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => token(proof)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('does not get one in the name of another client', async () => {
    const { app, outcome, assertion } = await registered();
    const { clientId: victim } = await app.clients.register({ name: 'victim', grants });
    expect(await outcome(await assertion({ iss: victim, sub: victim }))).toBe('invalid_client');
    expect(await outcome(await assertion({ sub: victim }))).toBe('invalid_client');
    expect(await outcome({ ...(await assertion()), clientId: victim })).toBe('invalid_client');
  });
});
