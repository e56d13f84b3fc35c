import { describe, expect, it } from '@jest/globals';
import { type Event, jsonCodec, schema } from '@junction/eventsourcing';
import { closedVault, hideSealed } from './closed-vault.js';
import { personalFields } from './personal-fields.js';

type Registered = Event<'user.registered', { userId: string; email: string }>;

const sealed = { subject: 'user-1', sealed: 'AAAA' };

describe('data with sealed fields', () => {
  it('shows [sealed] in their place, at any depth, and the rest as it is', () => {
    const data = { userId: 'user-1', email: sealed, deeper: { list: [sealed, 1, null] } };
    expect(hideSealed(data)).toEqual({
      userId: 'user-1',
      email: '[sealed]',
      deeper: { list: ['[sealed]', 1, null] },
    });
  });

  it('decodes with a closed vault, which needs no key', async () => {
    const stored = {
      type: 'user.registered',
      schemaVersion: 1,
      data: { userId: 'u', email: sealed },
    };
    await expect(codec.decode('user-1', stored)).resolves.toEqual({
      type: 'user.registered',
      data: { userId: 'u', email: '[sealed]' },
    });
  });
});

it('a closed vault seals nothing', async () => {
  const event: Registered = {
    type: 'user.registered',
    data: { userId: 'u', email: 'a@b.example' },
  };
  await expect(codec.encode('user-1', event)).rejects.toThrow('closed vault');
});

const codec = personalFields<Registered>(
  jsonCodec<Registered>({ 'user.registered': schema((data) => data as Registered['data']) }),
  {
    vault: closedVault,
    subjectOf: (_, { data }) => data.userId,
    fields: { 'user.registered': ['email'] },
  },
);
