import { describe, expect, it } from '@jest/globals';
import type { ConnectionCommand } from '../../domain/connection/decider.js';
import type { ConnectionRecord, Ports, RevocableCredential } from '../ports.js';
import { disconnect } from './disconnect.js';

const READABLE: RevocableCredential = {
  kind: 'readable',
  token: { token: 'rt', hint: 'refresh_token' },
};

describe('a disconnect', () => {
  it('queues the token to be revoked, also of a provider that is not set up, and leaves the outcome open', async () => {
    const { commands, queued, deleted } = await disconnecting('active', READABLE);
    expect(commands).toEqual(['Disconnect']);
    expect(queued).toEqual(['rt']);
    expect(deleted).toEqual(['con_1']);
  });

  it('records at once that tokens which cannot be read are not revoked', async () => {
    const unreadable = { kind: 'unreadable', error: new Error('changed') } as const;
    const { commands, queued, deleted } = await disconnecting('active', unreadable);
    expect(commands).toEqual(['Disconnect', 'RecordRevocationOutcome']);
    expect(queued).toEqual([]);
    expect(deleted).toEqual(['con_1']);
  });

  it('has no outcome to record when the connection has no tokens any more', async () => {
    const { commands, queued } = await disconnecting('reconnect_required', undefined);
    expect(commands).toEqual(['Disconnect']);
    expect(queued).toEqual([]);
  });

  it('is no command when nothing was ever connected', async () => {
    const { commands } = await disconnecting(undefined, undefined);
    expect(commands).toEqual([]);
  });
});

/** Disconnects a connection of this status whose credentials are these; gives what was written. */
async function disconnecting(
  status: ConnectionRecord['status'] | undefined,
  credential: RevocableCredential | undefined,
) {
  const commands: string[] = [];
  const queued: string[] = [];
  const deleted: string[] = [];
  const connection = status && { connection_id: 'con_1', user_id: 'ada', status };
  const tx = {
    handle: async (_: string, { type }: ConnectionCommand) => {
      commands.push(type);
      return { events: [], repeated: false };
    },
    authorizations: { delete: async () => undefined },
    connections: { ofKind: async () => (connection ? [connection] : []) },
    credentials: {
      revocable: async () => credential,
      delete: async (connectionId: string) => void deleted.push(connectionId),
    },
    revocations: {
      add: async (_: unknown, { token }: { token: string }) => void queued.push(token),
    },
  };
  const ports = {
    unitOfWork: {
      inUserTurn: async (_: string, work: (within: typeof tx) => Promise<void>) => work(tx),
    },
    log: { error() {} },
    now: () => new Date(0),
  } as unknown as Ports;
  await disconnect(ports)('ada', 'mailbox');
  return { commands, queued, deleted };
}
