import { describe, it } from '@jest/globals';
import { specification } from '@junction/eventsourcing/testing';
import { type SessionCommand, sessionDecider } from './decider.js';
import type { RevocationReason, SessionEvent } from './events.js';

const { given } = specification(sessionDecider);
const AT = '2030-01-02T03:04:05.000Z';
const sessionId = 'ses_0190d9a0-7a1e-7cc0-8c3e-2b1f4d5e6a7b';
const userId = 'b2f7c1de-6f1c-4c0e-9a3b-0d7d5c1a2b3c';

describe('a session', () => {
  it('starts with a login', () => {
    given().when(start).thenEvents(started);
  });

  it('cannot start twice', () => {
    given(started).when(start).thenRefused('session_exists');
  });

  it('ends with a log-out', () => {
    given(started).when(revoke('logout')).thenEvents(revoked('logout'));
  });

  it('keeps the first reason it was ended for', () => {
    given(started, revoked('refresh_token_reused')).when(revoke('logout')).thenNothing();
  });

  it('that never started has nothing to end', () => {
    given().when(revoke('logout')).thenNothing();
  });

  it('does not start again after its end', () => {
    given(started, revoked('logout')).when(start).thenRefused('session_exists');
  });
});

const start: SessionCommand = { type: 'StartSession', data: { sessionId, userId, at: AT } };
const started: SessionEvent = {
  type: 'session.started',
  data: { sessionId, userId, at: AT },
};

function revoke(reason: RevocationReason): SessionCommand {
  return { type: 'RevokeSession', data: { reason, at: AT } };
}

function revoked(reason: RevocationReason): SessionEvent {
  return { type: 'session.revoked', data: { sessionId, userId, reason, at: AT } };
}
