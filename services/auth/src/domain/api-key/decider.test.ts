import { describe, it } from '@jest/globals';
import { specification } from '@junction/eventsourcing/testing';
import { type ApiKeyCommand, apiKeyDecider } from './decider.js';
import type { ApiKeyEvent } from './events.js';

const { given } = specification(apiKeyDecider);
const AT = '2030-01-02T03:04:05.000Z';
const DAY_LATER = '2030-01-03T03:04:05.000Z';
const keyId = 'key_0190d9a0-7a1e-7cc0-8c3e-2b1f4d5e6a7b';
const OWNER = 'b2f7c1de-6f1c-4c0e-9a3b-0d7d5c1a2b3c';
const STRANGER = '11111111-2222-4333-8444-555555555555';

describe('an API key', () => {
  it('is created for its owner', () => {
    given().when(create).thenEvents(created);
  });

  it('cannot be created twice', () => {
    given(created).when(create).thenRefused('api_key_exists');
  });

  it('is revoked by its owner', () => {
    given(created).when(revokedBy(OWNER)).thenEvents(revoked);
  });

  it('is revoked once, however often its owner asks', () => {
    given(created, revoked).when(revokedBy(OWNER)).thenNothing();
  });

  it('does not exist for anybody else', () => {
    given(created).when(revokedBy(STRANGER)).thenRefused('api_key_not_found');
    given(created, revoked).when(revokedBy(STRANGER)).thenRefused('api_key_not_found');
  });

  it('gets a new secret beside its last one, and has two at most', () => {
    given(created)
      .when(rotate(DAY_LATER))
      .thenEvents(rotated(2, DAY_LATER, []));
    given(created, rotated(2, DAY_LATER, []))
      .when(rotate(DAY_LATER))
      .thenEvents(rotated(3, DAY_LATER, [1]));
  });

  it('loses its last secret at once when it is rotated without an overlap', () => {
    given(created)
      .when(rotate(AT))
      .thenEvents(rotated(2, AT, [1]));
    given(created, rotated(2, AT, [1]))
      .when(rotate(AT))
      .thenEvents(rotated(3, AT, [2]));
    given(created, rotated(2, DAY_LATER, []))
      .when(rotate(AT))
      .thenEvents(rotated(3, AT, [1, 2]));
  });

  it('is not rotated by a stranger, nor after its end', () => {
    given(created).when(rotate(DAY_LATER, STRANGER)).thenRefused('api_key_not_found');
    given(created, revoked).when(rotate(DAY_LATER)).thenRefused('api_key_not_found');
    given().when(rotate(DAY_LATER)).thenRefused('api_key_not_found');
  });

  it('is revoked after a rotation as before', () => {
    given(created, rotated(2, DAY_LATER, []))
      .when(revokedBy(OWNER))
      .thenEvents(revoked);
  });

  it('that was never created is not found', () => {
    given().when(revokedBy(OWNER)).thenRefused('api_key_not_found');
  });
});

const facts = { keyId, userId: OWNER, name: 'laptop', scopes: ['api'] };
const create: ApiKeyCommand = { type: 'CreateApiKey', data: { ...facts, at: AT } };
const created: ApiKeyEvent = { type: 'api_key.created', data: { ...facts, at: AT } };
const revoked: ApiKeyEvent = {
  type: 'api_key.revoked',
  data: { keyId, userId: OWNER, reason: 'user', at: AT },
};

function revokedBy(userId: string): ApiKeyCommand {
  return { type: 'RevokeApiKey', data: { userId, reason: 'user', at: AT } };
}

function rotate(previousValidUntil: string, userId = OWNER): ApiKeyCommand {
  return { type: 'RotateApiKey', data: { userId, previousValidUntil, at: AT } };
}

function rotated(
  secretVersion: number,
  previousValidUntil: string,
  endedSecretVersions: readonly number[],
): ApiKeyEvent {
  const data = { keyId, userId: OWNER, secretVersion, previousValidUntil, endedSecretVersions };
  return { type: 'api_key.rotated', data: { ...data, at: AT } };
}
