import { describe, it } from '@jest/globals';
import { specification } from '@junction/eventsourcing/testing';
import { type ConnectionCommand, connectionDecider } from './decider.js';
import type { Connected, ConnectionEvent, DisconnectReason } from './events.js';

const { given } = specification(connectionDecider);

describe('a connection', () => {
  it('begins with the first version of its credentials', () => {
    given().when(connect).thenEvents(connected(1));
  });

  it('continues under the next version when the user connects again', () => {
    given(connected(1), disconnected()).when(connect).thenEvents(connected(2));
    given(connected(1), refreshed(2), reconnectRequired).when(connect).thenEvents(connected(3));
  });

  it('ends once', () => {
    given(connected(1)).when(disconnect).thenEvents(disconnected());
    given(connected(1), disconnected()).when(disconnect).thenNothing();
    given().when(disconnect).thenNothing();
  });

  it('can be ended when it waits for the user', () => {
    given(connected(1), reconnectRequired).when(disconnect).thenEvents(disconnected());
  });
});

describe('a revocation at the provider', () => {
  it('ends a connection that has tokens, or waits for its user', () => {
    given(connected(1)).when(revoke()).thenEvents(revoked(1));
    given(connected(1), degraded).when(revoke()).thenEvents(revoked(1));
    given(connected(1), reconnectRequired).when(revoke()).thenEvents(revoked(1));
  });

  it('ends nothing that ended before, or never began', () => {
    given().when(revoke()).thenNothing();
    given(connected(1), disconnected()).when(revoke()).thenNothing();
    given(connected(1), revoked(1)).when(revoke()).thenNothing();
  });

  it('of older credentials says nothing about the newer ones', () => {
    given(connected(1), refreshed(2)).when(revoke(1)).thenNothing();
    given(connected(1), refreshed(2)).when(revoke(2)).thenEvents(revoked(2));
  });

  it('lets the user disconnect, or connect again', () => {
    given(connected(1), revoked(1)).when(disconnect).thenEvents(disconnected());
    given(connected(1), revoked(1)).when(connect).thenEvents(connected(2));
  });

  it('sends the tokens of a refresh under way back', () => {
    given(connected(1), revoked(1)).when(refresh(1)).thenRefused('connection_ended');
  });
});

describe('what became of revoking its tokens there', () => {
  it('is told of a connection that is ended here, and of no other', () => {
    given(connected(1), disconnected()).when(settle).thenEvents(settled);
    given(connected(1), disconnected(), connected(2)).when(settle).thenNothing();
    given(connected(1), disconnected('user_deleted'), forgotten).when(settle).thenNothing();
    given().when(settle).thenNothing();
  });
});

describe('the connection of a user who is deleted', () => {
  it('ends and is forgotten', () => {
    given(connected(1)).when(forget).thenEvents(disconnected('user_deleted'), forgotten);
  });

  it('is forgotten also when it had ended before', () => {
    given(connected(1), disconnected()).when(forget).thenEvents(forgotten);
    given(connected(1), disconnected(), forgotten).when(forget).thenNothing();
  });

  it('does not come back', () => {
    given(connected(1), disconnected('user_deleted'), forgotten)
      .when(connect)
      .thenRefused('user_deleted');
  });
});

describe('a refresh', () => {
  it('makes the next version', () => {
    given(connected(1)).when(refresh(1)).thenEvents(refreshed(2));
  });

  it('ends a degradation', () => {
    given(connected(1), degraded).when(refresh(1)).thenEvents(refreshed(2), recovered);
  });

  it('is refused when the connection ended meanwhile, so that its tokens get revoked', () => {
    given(connected(1), disconnected()).when(refresh(1)).thenRefused('connection_ended');
    given(connected(1), reconnectRequired).when(refresh(1)).thenRefused('connection_ended');
  });

  it('is refused when there are newer credentials', () => {
    given(connected(1), connected(2)).when(refresh(1)).thenRefused('credentials_replaced');
    given(connected(1), refreshed(2)).when(refresh(1)).thenRefused('credentials_replaced');
  });
});

describe('a failed refresh', () => {
  it('degrades the connection once', () => {
    given(connected(1)).when(failure(1)).thenEvents(degraded);
    given(connected(1), degraded).when(failure(1)).thenNothing();
  });

  it('ends in reconnect_required when the provider refused for good', () => {
    given(connected(1)).when(refusal(1)).thenEvents(reconnectRequired);
    given(connected(1), degraded).when(refusal(1)).thenEvents(reconnectRequired);
  });

  it('says nothing about newer credentials', () => {
    given(connected(1), refreshed(2)).when(refusal(1)).thenNothing();
  });
});

const AT = '2030-01-02T03:04:05.678Z';
const OWNER = { userId: '5f0c1c1e-0000-4000-8000-000000000001', provider: 'mailbox' as const };
const ABOUT = { ...OWNER, at: AT };
const SCOPES = { grantedScopes: ['mailbox.readonly'], missingScopes: ['mailbox.send'] };
const CONNECT: Omit<Connected, 'credentialVersion'> = {
  ...ABOUT,
  ...SCOPES,
  account: 'ada@example.com',
  accountId: 'account-1',
  renewable: true,
  expiresAt: '2030-01-02T04:04:05.678Z',
};
const REFRESH = { ...SCOPES, expiresAt: '2030-01-02T05:04:05.678Z', at: AT };

const connect: ConnectionCommand = { type: 'Connect', data: CONNECT };
const disconnect: ConnectionCommand = { type: 'Disconnect', data: { at: AT } };
const forget: ConnectionCommand = { type: 'Forget', data: { at: AT } };
const forgotten: ConnectionEvent = { type: 'integration.forgotten', data: ABOUT };
const settle: ConnectionCommand = {
  type: 'SettleRevocation',
  data: { outcome: 'done', at: AT },
};
const settled: ConnectionEvent = {
  type: 'integration.revocation_settled',
  data: { ...ABOUT, outcome: 'done' },
};
const recovered: ConnectionEvent = { type: 'integration.recovered', data: ABOUT };
const degraded: ConnectionEvent = {
  type: 'integration.degraded',
  data: { ...ABOUT, credentialVersion: 1, reason: 'timeout' },
};
const reconnectRequired: ConnectionEvent = {
  type: 'integration.reconnect_required',
  data: { ...ABOUT, credentialVersion: 1, reason: 'invalid_grant' },
};

function revoke(revokedVersion?: number): ConnectionCommand {
  const of = revokedVersion === undefined ? {} : { revokedVersion };
  return { type: 'RecordRevocation', data: { reason: 'tokens_revoked', at: AT, ...of } };
}

function revoked(credentialVersion: number): ConnectionEvent {
  const data = { ...ABOUT, credentialVersion, reason: 'tokens_revoked' as const };
  return { type: 'integration.revoked', data };
}

function connected(credentialVersion: number): ConnectionEvent {
  return { type: 'integration.connected', data: { ...CONNECT, credentialVersion } };
}

function disconnected(reason: DisconnectReason = 'user'): ConnectionEvent {
  return { type: 'integration.disconnected', data: { ...ABOUT, reason } };
}

function refreshed(credentialVersion: number): ConnectionEvent {
  return { type: 'integration.refreshed', data: { ...OWNER, ...REFRESH, credentialVersion } };
}

function refresh(refreshedVersion: number): ConnectionCommand {
  return { type: 'RecordRefresh', data: { ...REFRESH, refreshedVersion } };
}

function failure(refreshedVersion: number): ConnectionCommand {
  const data = { refreshedVersion, reason: 'timeout', final: false, at: AT };
  return { type: 'RecordRefreshFailure', data };
}

function refusal(refreshedVersion: number): ConnectionCommand {
  const data = { refreshedVersion, reason: 'invalid_grant', final: true, at: AT };
  return { type: 'RecordRefreshFailure', data };
}
