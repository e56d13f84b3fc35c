import Broker, { type FetchRequest, type FetchResponse } from 'kafkajs/src/broker/index.js';
import { byId, type TopicIds, topicIdsOf } from './fetch-by-id.js';

/** Epochs of requests without a session: one that ends a session, and one that opens a session. */
const ENDING = -1;
const OPENING = 0;
const EPOCH_MAX = 2 ** 31 - 1;
/** Id of no session: in a response, the broker gave none. */
const NO_ID = 0;

/** State of a consumer's session with a broker, as the next request tells it. */
interface Session {
  readonly id: number;
  readonly epoch: number;
  /** Partitions as the broker knows them. */
  readonly known: Places;
}

/** Partitions by name, each as the only one of its topic. */
type Places = ReadonlyMap<string, Place>;
type Place = FetchRequest['topics'][number];

const NOTHING: Places = new Map();
const NEW: Session = { id: NO_ID, epoch: OPENING, known: NOTHING };

let isPatched = false;

/**
 * Makes the consumers of kafkajs 2.2.4 fetch in sessions (KIP-227): a request names the partitions whose offsets have
 * changed, and a response those that have records, where each would otherwise name all, also for a single record.
 * Topics go by the ids that the consumer was given (KIP-516), unless one of them has none.
 *
 * After a fetch that failed nothing tells how far the broker's session has come, so the next request ends it. That
 * request opens no other: while fetches fail, each would leave a session behind at the broker, which has room for a
 * thousand.
 */
export function fetchInSessions(): void {
  if (isPatched) return;
  isPatched = true;
  const { fetch } = Broker.prototype;
  const sessions = new WeakMap<Broker, Session>();

  Broker.prototype.fetch = async function inSession(request): Promise<FetchResponse> {
    const session = sessions.get(this) ?? NEW;
    const wanted = placesOf(request, topicIdsOf(this));
    sessions.set(this, { ...session, epoch: ENDING, known: NOTHING });
    const topics = [...wanted.entries()]
      .filter(([name, place]) => offsetOf(session.known.get(name)) !== offsetOf(place))
      .map(([, place]) => place);
    const response = await fetch.call(speaking(this, session, wanted), { ...request, topics });
    const { errorCode = 0, sessionId = NO_ID } = response;
    // kafkajs looks at the errors of partitions alone, and a request of a session may name none: this one names all.
    if (errorCode !== 0 && session.epoch > OPENING) return inSession.call(this, request);
    const epoch = session.epoch === EPOCH_MAX ? 1 : session.epoch + 1;
    sessions.set(this, sessionId === NO_ID ? NEW : { id: sessionId, epoch, known: wanted });
    return response;
  };
}

function placesOf({ topics }: FetchRequest, ids?: TopicIds): Places {
  const places = new Map<string, Place>();
  for (const { topic, partitions } of topics) {
    for (const each of partitions) {
      const topicId = ids?.get({ topic, partition: each.partition });
      const place = { topic, partitions: [{ ...each, topicId }] };
      places.set(`${topicId ?? topic}/${each.partition}`, place);
    }
  }
  return places;
}

const offsetOf = (place?: Place): string | undefined => place?.partitions[0]?.fetchOffset;
const topicIdOf = (place: Place): string | undefined => place.partitions[0]?.topicId;

/** Returns the broker with requests of this session. kafkajs can encode them, but passes no session on. */
function speaking(broker: Broker, { id, epoch, known }: Session, wanted: Places): Broker {
  const forgottenTopics = [...known.entries()]
    .filter(([name]) => !wanted.has(name))
    .map(([, place]) => ({
      topic: place.topic,
      topicId: topicIdOf(place),
      partitions: place.partitions.map(({ partition }) => partition),
    }));
  const session = { sessionId: id, sessionEpoch: epoch, forgottenTopics };
  const names = namesIn(wanted);
  const lookupRequest: Broker['lookupRequest'] = (key, definitions) => {
    const encode = broker.lookupRequest(key, definitions);
    return (request) => {
      const exchange = encode({ ...request, ...session });
      return names ? byId(exchange, { ...request, ...session }, names) : exchange;
    };
  };
  return Object.create(broker, { lookupRequest: { value: lookupRequest } });
}

/** Returns the name for each topic id, unless one of the topics has none. */
function namesIn(places: Places): ReadonlyMap<string, string> | undefined {
  const names = new Map<string, string>();
  for (const place of places.values()) {
    const id = topicIdOf(place);
    if (id === undefined) return undefined;
    names.set(id, place.topic);
  }
  return names;
}
