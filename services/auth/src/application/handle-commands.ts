import {
  type Command,
  commandHandler,
  type Decider,
  type EventStore,
  type StreamAppend,
} from '@junction/eventsourcing';
import { type ApiKeyCommand, apiKeyDecider } from '../domain/api-key/decider.js';
import type { ApiKeyEvent, ApiKeyRevocationReason } from '../domain/api-key/events.js';
import type { AuthEvent } from '../domain/auth-event.js';
import { type ClientCommand, clientDecider } from '../domain/client/decider.js';
import type { ClientEvent } from '../domain/client/events.js';
import { type SessionCommand, sessionDecider } from '../domain/session/decider.js';
import type { RevocationReason, SessionEvent } from '../domain/session/events.js';
import { type SigningKeyCommand, signingKeyDecider } from '../domain/signing-key/decider.js';
import type { SigningKeyEvent } from '../domain/signing-key/events.js';
import { type UserCommand, userDecider } from '../domain/user/decider.js';
import type { UserEvent } from '../domain/user/events.js';
import type { OwnedApiKey } from './api-key/ports.js';
import type { OwnedSession } from './session/ports.js';
import { streamOf } from './streams.js';

type Handle<C extends Command, E extends AuthEvent> = (
  id: string,
  command: C,
) => Promise<readonly E[]>;

interface End<Reason> {
  readonly userId: string;
  readonly reason: Reason;
  readonly at: string;
}

/**
 * The only way from a command to an event. A mail about a change is queued with its event, and the link of that mail
 * brings back the second factors of that moment: handle a command before the tables of factors are changed.
 * AppError of the deciders; `email_taken`; `unauthenticated` for a user who is gone.
 */
export interface Commands {
  readonly handleUser: Handle<UserCommand, UserEvent>;
  readonly handleSession: Handle<SessionCommand, SessionEvent>;
  readonly handleApiKey: Handle<ApiKeyCommand, ApiKeyEvent>;
  readonly handleClient: Handle<ClientCommand, ClientEvent>;
  readonly handleSigningKey: Handle<SigningKeyCommand, SigningKeyEvent>;
  /** Starts a session with an id that nobody has, and spares reading its stream. */
  startSession(session: { sessionId: string; userId: string; at: string }): Promise<void>;
  /** Ends these live sessions of a user together. */
  endSessions(sessions: readonly OwnedSession[], end: End<RevocationReason>): Promise<void>;
  /** Ends these keys of a user together, with a single mail. */
  endApiKeys(apiKeys: readonly OwnedApiKey[], end: End<ApiKeyRevocationReason>): Promise<void>;
}

export function commandsOn(store: EventStore<AuthEvent>): Commands {
  const append = async (appends: readonly StreamAppend<AuthEvent>[]) => {
    if (appends.length > 0) await store.append(appends);
  };
  return {
    handleUser: handler(store, 'user', userDecider),
    handleSession: handler(store, 'session', sessionDecider),
    handleApiKey: handler(store, 'api_key', apiKeyDecider),
    handleClient: handler(store, 'client', clientDecider),
    handleSigningKey: handler(store, 'signing_key', signingKeyDecider),

    async startSession(data) {
      const events = sessionDecider.decide(
        { type: 'StartSession', data },
        sessionDecider.initialState,
      );
      await append([{ streamId: streamOf.session(data.sessionId), expected: 'none', events }]);
    },

    endSessions: async (sessions, { userId, ...data }) =>
      append(
        sessions.map(({ sessionId, version }) => ({
          streamId: streamOf.session(sessionId),
          expected: version,
          events: sessionDecider.decide(
            { type: 'RevokeSession', data },
            { status: 'active', sessionId, userId },
          ),
        })),
      ),

    endApiKeys: async (apiKeys, data) =>
      append(
        apiKeys.map(({ keyId, version }) => ({
          streamId: streamOf.apiKey(keyId),
          expected: version,
          events: apiKeyDecider.decide(
            { type: 'RevokeApiKey', data },
            // The version of its newest secret does not matter to the end of a key.
            { status: 'active', keyId, userId: data.userId, secretVersion: 1 },
          ),
        })),
      ),
  };
}

type Aggregate = 'user' | 'session' | 'api_key' | 'client' | 'signing_key';
type EventOf<A extends Aggregate> = Extract<AuthEvent, { readonly type: `${A}.${string}` }>;

/** Returns whether an event is in a stream of this aggregate. */
export const isEventOf =
  <A extends Aggregate>(aggregate: A) =>
  (event: AuthEvent): event is EventOf<A> =>
    event.type.startsWith(`${aggregate}.`);

/** The store holds the events of all aggregates, and each stream those of its own: the decider gets these alone. */
function handler<A extends Aggregate, State, C extends Command>(
  store: EventStore<AuthEvent>,
  aggregate: A,
  decider: Decider<State, C, EventOf<A>>,
): Handle<C, EventOf<A>> {
  const isOwn = isEventOf(aggregate);
  const handle = commandHandler<State, C, AuthEvent>(store, {
    ...decider,
    evolve: (state, event) => (isOwn(event) ? decider.evolve(state, event) : state),
  });
  return async (id, command) => (await handle(`${aggregate}-${id}`, command)).events.filter(isOwn);
}
