import { describe, it } from '@jest/globals';
import { specification } from '@junction/eventsourcing/testing';
import { type ApiKeyCommand, apiKeyDecider } from './decider.js';
import type { ApiKeyEvent } from './events.js';

const { given } = specification(apiKeyDecider);
const AT = '2030-01-02T03:04:05.000Z';
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
