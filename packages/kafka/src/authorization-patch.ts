import Broker, { type BrokerLogger } from 'kafkajs/src/broker/index.js';

/** The permission that a request needs. */
interface Asked {
  readonly operation: 'Create' | 'Describe' | 'Read' | 'Write';
  readonly type: 'topic' | 'group';
  readonly names: readonly string[];
}

type Topics = readonly { readonly topic: string }[];
type Asks = (request: never) => Asked;

const ofTopics = (operation: Asked['operation'], topics: Topics): Asked => ({
  operation,
  type: 'topic',
  names: topics.map(({ topic }) => topic),
});
const readGroup = ({ groupId }: { readonly groupId: string }): Asked => ({
  operation: 'Read',
  type: 'group',
  names: [groupId],
});

/** Permissions by request: https://kafka.apache.org/documentation/#operations_resources_and_protocols. */
const ASKED: Readonly<Record<string, Asks>> = {
  metadata: (names: readonly string[]) => ({ operation: 'Describe', type: 'topic', names }),
  listOffsets: ({ topics }: { readonly topics: Topics }) => ofTopics('Describe', topics),
  createTopics: ({ topics }: { readonly topics: Topics }) => ofTopics('Create', topics),
  fetch: ({ topics }: { readonly topics: Topics }) => ofTopics('Read', topics),
  produce: ({ topicData }: { readonly topicData: Topics }) => ofTopics('Write', topicData),
  findGroupCoordinator: readGroup,
  joinGroup: readGroup,
};

type Send = (this: Broker, request: never) => Promise<unknown>;

let isPatched = false;

/**
 * Makes kafkajs 2.2.4 log which permission a broker refuses: its errors name no resource, and for a group that may not
 * be read they say that no coordinator was found.
 */
export function logRefusals(): void {
  if (isPatched) return;
  isPatched = true;
  const requests = Broker.prototype as unknown as Record<string, Send | undefined>;
  for (const [method, asked] of Object.entries(ASKED)) {
    const send = requests[method];
    if (send === undefined) throw new Error(`kafkajs has no ${method} to a broker any more.`);
    requests[method] = async function logged(request) {
      try {
        return await send.call(this, request);
      } catch (error) {
        if (isRefusal(error)) logRefusal(this.logger, asked(request));
        throw error;
      }
    };
  }
}

const isRefusal = (error: unknown): boolean =>
  error instanceof Error &&
  'type' in error &&
  typeof error.type === 'string' &&
  error.type.endsWith('_AUTHORIZATION_FAILED');

const logRefusal = (logger: BrokerLogger, { operation, type, names }: Asked): void =>
  logger.error('not authorized', { operation, resource: `${type} ${names.join(', ')}` });
