import { AppError } from '@junction/errors';
import type { Command, Decider } from '@junction/eventsourcing';
import type { RetirementReason, SigningKeyEvent } from './events.js';

/** Times are ISO 8601 in UTC. */
export type SigningKeyCommand =
  | Command<'CreateSigningKey', { kid: string; signsFrom: string; at: string }>
  | Command<'RetireSigningKey', { publishedUntil: string; reason: RetirementReason; at: string }>;

export type SigningKeyState =
  | { readonly status: 'unknown' }
  | { readonly status: 'active'; readonly kid: string }
  | { readonly status: 'retired'; readonly kid: string; readonly publishedUntil: string };

export const signingKeyDecider: Decider<SigningKeyState, SigningKeyCommand, SigningKeyEvent> = {
  initialState: { status: 'unknown' },
  decide,
  evolve,
};

function decide(command: SigningKeyCommand, key: SigningKeyState): readonly SigningKeyEvent[] {
  switch (command.type) {
    case 'CreateSigningKey': {
      if (key.status !== 'unknown') {
        throw new AppError('signing_key_exists', 'This signing key exists.');
      }
      return [{ type: 'signing_key.created', data: command.data }];
    }

    case 'RetireSigningKey': {
      if (key.status === 'unknown') return [];
      // A key that leaked may end sooner than its rotation said, never later.
      if (key.status === 'retired' && key.publishedUntil <= command.data.publishedUntil) return [];
      return [{ type: 'signing_key.retired', data: { kid: key.kid, ...command.data } }];
    }
  }
}

function evolve(_: SigningKeyState, { type, data }: SigningKeyEvent): SigningKeyState {
  const { kid } = data;
  switch (type) {
    case 'signing_key.created':
      return { status: 'active', kid };
    case 'signing_key.retired':
      return { status: 'retired', kid, publishedUntil: data.publishedUntil };
  }
}
