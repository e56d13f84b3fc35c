// Only some names of this CommonJS module can be imported by name.
import kafkajs, { type Admin, Kafka, logLevel } from 'kafkajs';
import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';

const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs;

// kafkajs arms a timer after each answer, whether a request waits or not, and for a negative time, of which Node 24
// warns.
const schedule = RequestQueue.prototype.scheduleCheckPendingRequests;
RequestQueue.prototype.scheduleCheckPendingRequests = function scheduleWhenSomethingWaits() {
  if (this.pending.length > 0) schedule.call(this);
};

const ANSWER_MS = 10_000;
const PROBE_MS = 1_000;

/** Whether a broker accepts requests. */
export async function kafkaAnswers(broker: string): Promise<boolean> {
  try {
    // Connecting asks for ApiVersions, which a broker answers once it is registered and unfenced.
    await withAdmin(broker, async () => undefined, { timeoutMs: PROBE_MS, retries: 0 });
    return true;
  } catch {
    return false;
  }
}

/** Deletes the topics whose names begin with the prefix. */
export const deleteTopics = (broker: string, prefix: string): Promise<void> =>
  withAdmin(broker, async (admin) => {
    const topics = (await admin.listTopics()).filter((name) => name.startsWith(prefix));
    if (topics.length > 0) await admin.deleteTopics({ topics });
  });

/** Deletes what a topic holds now, as its retention would. */
export const deleteRecords = (broker: string, topic: string): Promise<void> =>
  withAdmin(broker, async (admin) => {
    const ends = await admin.fetchTopicOffsets(topic);
    const partitions = ends.map(({ partition, high }) => ({ partition, offset: high }));
    await admin.deleteTopicRecords({ topic, partitions });
  });

/** A right of a user, in Kafka's words: `Read` on the `topic` of this name. */
export interface KafkaAcl {
  readonly user: string;
  readonly type: 'topic' | 'group';
  readonly name: string;
  readonly operation: keyof typeof OPERATIONS;
}

/** Allows users what the broker, started with `logins`, would refuse them. */
export const allowInKafka = (broker: string, acls: readonly KafkaAcl[]): Promise<void> =>
  withAdmin(broker, async (admin) => {
    await admin.createAcls({
      acl: acls.map(({ user, type, name, operation }) => ({
        principal: `User:${user}`,
        host: '*',
        resourceType: type === 'topic' ? AclResourceTypes.TOPIC : AclResourceTypes.GROUP,
        resourceName: name,
        resourcePatternType: ResourcePatternTypes.LITERAL,
        operation: OPERATIONS[operation],
        permissionType: AclPermissionTypes.ALLOW,
      })),
    });
  });

const OPERATIONS = {
  Create: AclOperationTypes.CREATE,
  Describe: AclOperationTypes.DESCRIBE,
  DescribeConfigs: AclOperationTypes.DESCRIBE_CONFIGS,
  Read: AclOperationTypes.READ,
  Write: AclOperationTypes.WRITE,
} as const;

async function withAdmin(
  broker: string,
  work: (admin: Admin) => Promise<void>,
  { timeoutMs, retries } = { timeoutMs: ANSWER_MS, retries: 5 },
): Promise<void> {
  const admin = new Kafka({
    clientId: 'local-stack',
    brokers: [broker],
    logLevel: logLevel.NOTHING,
    connectionTimeout: timeoutMs,
    requestTimeout: timeoutMs,
    retry: { retries },
  }).admin();
  try {
    await admin.connect();
    await work(admin);
  } finally {
    await admin.disconnect();
  }
}
