import Broker, { type FetchRequest } from 'kafkajs/src/broker/index.js';
import apiKeys from 'kafkajs/src/protocol/requests/apiKeys.js';
import protocol from 'kafkajs/src/protocol/requests/index.js';

/** Errors that end a session on the broker's side: it is not known, or a request of it was lost. */
const SESSION_ERRORS: ReadonlySet<number> = new Set([70, 71]);
const EPOCH_MAX = 2 ** 31 - 1;
/** Id of no session: in a response, the broker gave none. */
const NONE = 0;

/** Session of a consumer with a broker. */
interface Session {
  readonly id: number;
  readonly epoch: number;
  /** Offset from which each partition is fetched, as the broker knows it. */
  readonly offsets: Offsets;
}

type Offsets = ReadonlyMap<string, string>;

let isPatched = false;

/**
 * Makes the consumers of kafkajs 2.2.4 fetch in sessions (KIP-227): a request names the partitions whose offsets have
 * changed, and a response those that have records, where each would otherwise name all, also for a single record. A
 * broker that has no room for another session is asked as before.
 */
export function fetchInSessions(): void {
  if (isPatched) return;
  isPatched = true;
  const { fetch } = Broker.prototype;
  /** Undefined: the next fetch opens a session. Null: the broker gives none. */
  const sessions = new WeakMap<Broker, Session | null>();

  Broker.prototype.fetch = async function inSession(request) {
    const session = sessions.get(this);
    if (session === null) return fetch.call(this, request);
    sessions.delete(this);
    const response = await send(this, partOf(request, session));
    const { errorCode = 0, sessionId = NONE } = response;
    if (SESSION_ERRORS.has(errorCode) && session !== undefined) return this.fetch(request);
    const epoch = session === undefined || session.epoch === EPOCH_MAX ? 1 : session.epoch + 1;
    const next = { id: sessionId, epoch, offsets: offsetsOf(request) };
    sessions.set(this, sessionId === NONE ? null : next);
    return response;
  };
}

/** Returns the request with what the session does not know yet. */
function partOf(request: FetchRequest, session: Session | undefined): FetchRequest {
  if (session === undefined) return { ...request, sessionId: NONE, sessionEpoch: 0 };
  const { id: sessionId, epoch: sessionEpoch, offsets } = session;
  const topics = request.topics
    .map(({ topic, partitions }) => ({
      topic,
      partitions: partitions.filter(
        ({ partition, fetchOffset }) => offsets.get(nameOf(topic, partition)) !== fetchOffset,
      ),
    }))
    .filter(({ partitions }) => partitions.length > 0);
  return {
    ...request,
    topics,
    sessionId,
    sessionEpoch,
    forgottenTopics: forgotten(request, offsets),
  };
}

/** Returns the partitions that the session knows and the request does not name. */
function forgotten(
  request: FetchRequest,
  known: Offsets,
): NonNullable<FetchRequest['forgottenTopics']> {
  const wanted = offsetsOf(request);
  return [...known.keys()]
    .filter((name) => !wanted.has(name))
    .map((name) => {
      const [partition = '', topic = ''] = name.split(/:(.*)/);
      return { topic, partitions: [Number(partition)] };
    });
}

const offsetsOf = ({ topics }: FetchRequest): Offsets =>
  new Map(
    topics.flatMap(({ topic, partitions }) =>
      partitions.map(
        ({ partition, fetchOffset }) => [nameOf(topic, partition), fetchOffset] as const,
      ),
    ),
  );

const nameOf = (topic: string, partition: number): string => `${partition}:${topic}`;

/** Sends a request as `Broker` itself does. */
async function send(broker: Broker, request: FetchRequest) {
  try {
    const fetch = broker.lookupRequest(apiKeys.Fetch, protocol.requests.Fetch);
    return await broker.connectionPool.send(fetch(request));
  } catch (error) {
    if (error instanceof Error && error.name === 'KafkaJSConnectionClosedError') {
      await broker.disconnect();
    }
    throw error;
  }
}
