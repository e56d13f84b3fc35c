import { describe, it } from '@jest/globals';
import { specification } from '@junction/eventsourcing/testing';
import { type ConnectionCommand, connectionDecider } from './decider.js';
import type { Connected, ConnectionEvent } from './events.js';

const { given } = specification(connectionDecider);

describe('a connection', () => {
  it('begins with the credentials it is given', () => {
    given().when(connect(1)).thenEvents(connected(1));
  });

  it('continues when the user connects again', () => {
    given(connected(1), disconnected()).when(connect(2)).thenEvents(connected(2));
    given(connected(1), reconnectRequired).when(connect(3)).thenEvents(connected(3));
  });

  it('ends once', () => {
    given(connected(1)).when(disconnect).thenEvents(disconnected());
    given(connected(1), disconnected()).when(disconnect).thenNothing();
    given(connected(1), disconnected('user_deleted'), deleted).when(disconnect).thenNothing();
    given().when(disconnect).thenNothing();
  });

  it('does not begin with what is told of one that began', () => {
    given(degraded).when(refresh).thenNothing();
  });

  it('can be ended when it waits for the user', () => {
    given(connected(1), reconnectRequired).when(disconnect).thenEvents(disconnected());
  });
});

describe('a revocation at the provider', () => {
  it('ends a connection that has tokens, or waits for its user', () => {
    given(connected(1)).when(revoke).thenEvents(revoked);
    given(connected(1), degraded).when(revoke).thenEvents(revoked);
    given(connected(1), reconnectRequired).when(revoke).thenEvents(revoked);
  });

  it('ends nothing that ended before, or never began', () => {
    given().when(revoke).thenNothing();
    given(connected(1), disconnected()).when(revoke).thenNothing();
    given(connected(1), revoked).when(revoke).thenNothing();
  });

  it('lets the user disconnect, or connect again', () => {
    given(connected(1), revoked).when(disconnect).thenEvents(disconnected());
    given(connected(1), revoked).when(connect(2)).thenEvents(connected(2));
  });
});

describe('the outcome of revoking its tokens there', () => {
  it('is recorded for a connection that is ended here, and for no other', () => {
    given(connected(1), disconnected()).when(recordOutcome).thenEvents(outcome);
    given(connected(1), disconnected(), outcome).when(connect(2)).thenEvents(connected(2));
    given(connected(1), disconnected(), connected(2)).when(recordOutcome).thenNothing();
    given(connected(1), disconnected('user_deleted'), deleted).when(recordOutcome).thenNothing();
    given().when(recordOutcome).thenNothing();
  });
});

describe('the connection of a user who is deleted', () => {
  it('ends and is deleted', () => {
    given(connected(1)).when(deletion).thenEvents(disconnected('user_deleted'), deleted);
  });

  it('is deleted also when it had ended before', () => {
    given(connected(1), disconnected()).when(deletion).thenEvents(deleted);
    given(connected(1), disconnected(), deleted).when(deletion).thenNothing();
  });

  it('does not come back', () => {
    given(connected(1), disconnected('user_deleted'), deleted)
      .when(connect(2))
      .thenRefused('user_deleted');
  });
});

describe('the primary one of its kind', () => {
  it('is one that stands', () => {
    given(connected(1)).when(makePrimary).thenEvents(madePrimary);
    given(connected(1), reconnectRequired).when(makePrimary).thenEvents(madePrimary);
    given(connected(1), revoked).when(makePrimary).thenRefused('integration_ended');
    given(connected(1), disconnected()).when(makePrimary).thenRefused('integration_ended');
    given(connected(1), deleted).when(makePrimary).thenRefused('integration_ended');
    given(connected(1), madePrimary).when(disconnect).thenEvents(disconnected());
    given().when(makePrimary).thenNothing();
  });
});

describe('a refresh', () => {
  it('is no event while all is well', () => {
    given(connected(1)).when(refresh).thenNothing();
    given().when(refresh).thenNothing();
  });

  it('ends a degradation', () => {
    given(connected(1), degraded).when(refresh).thenEvents(recovered);
  });
});

describe('a failed refresh', () => {
  it('degrades the connection once', () => {
    given(connected(1)).when(failure).thenEvents(degraded);
    given(connected(1), degraded).when(failure).thenNothing();
    given(connected(1), degraded, recovered).when(failure).thenEvents(degraded);
  });

  it('ends in reconnect_required when the provider refused for good', () => {
    given(connected(1)).when(refusal).thenEvents(reconnectRequired);
    given(connected(1), degraded).when(refusal).thenEvents(reconnectRequired);
  });

  it('means nothing once the connection ended', () => {
    given(connected(1), disconnected()).when(refusal).thenNothing();
  });
});

const AT = '2030-01-02T03:04:05.678Z';
const ABOUT = {
  userId: '5f0c1c1e-0000-4000-8000-000000000001',
  identityProvider: 'acme',
  provider: 'mailbox' as const,
  account: 'ada@example.com',
  at: AT,
};
const CONNECT: Omit<Connected, 'credentialVersion'> = {
  ...ABOUT,
  grantedScopes: ['mailbox.readonly'],
  missingScopes: ['mailbox.send'],
  accountId: 'account-1',
  renewable: true,
  expiresAt: '2030-01-02T04:04:05.678Z',
};
const TIMEOUT = { credentialVersion: 1, reason: 'timeout', at: AT };
const REFUSED = { credentialVersion: 1, reason: 'invalid_grant', at: AT };
const REVOKED = { credentialVersion: 1, reason: 'tokens_revoked' as const, at: AT };

const disconnect: ConnectionCommand = { type: 'Disconnect', data: { at: AT } };
const deletion: ConnectionCommand = { type: 'Delete', data: { at: AT } };
const refresh: ConnectionCommand = { type: 'RecordRefresh', data: { at: AT } };
const failure: ConnectionCommand = {
  type: 'RecordRefreshFailure',
  data: { ...TIMEOUT, final: false },
};
const refusal: ConnectionCommand = {
  type: 'RecordRefreshFailure',
  data: { ...REFUSED, final: true },
};
const revoke: ConnectionCommand = { type: 'RecordRevocation', data: REVOKED };
const recordOutcome: ConnectionCommand = {
  type: 'RecordRevocationOutcome',
  data: { outcome: 'done', at: AT },
};

const makePrimary: ConnectionCommand = { type: 'MakePrimary', data: { at: AT } };

const madePrimary: ConnectionEvent = { type: 'integration.made_primary', data: ABOUT };
const deleted: ConnectionEvent = { type: 'integration.deleted', data: ABOUT };
const recovered: ConnectionEvent = { type: 'integration.recovered', data: ABOUT };
const degraded: ConnectionEvent = {
  type: 'integration.degraded',
  data: { ...ABOUT, ...TIMEOUT },
};
const reconnectRequired: ConnectionEvent = {
  type: 'integration.reconnect_required',
  data: { ...ABOUT, ...REFUSED },
};
const revoked: ConnectionEvent = { type: 'integration.revoked', data: { ...ABOUT, ...REVOKED } };
const outcome: ConnectionEvent = {
  type: 'integration.revocation_settled',
  data: { ...ABOUT, outcome: 'done' },
};

function connect(credentialVersion: number): ConnectionCommand {
  return { type: 'Connect', data: { ...CONNECT, credentialVersion } };
}

function connected(credentialVersion: number): ConnectionEvent {
  return { type: 'integration.connected', data: { ...CONNECT, credentialVersion } };
}

function disconnected(reason: 'user' | 'user_deleted' = 'user'): ConnectionEvent {
  return { type: 'integration.disconnected', data: { ...ABOUT, reason } };
}
