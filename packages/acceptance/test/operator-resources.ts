import { z } from 'zod';

/**
 * Schemas for those parts of resources that we use and no package registry publishes, as Strimzi 1.2 and the Barman
 * Cloud plugin 0.14 define them. A missing field is added here when we start to use it.
 */

const name = z.string().min(1);
const count = z.int().min(1);
const quantity = z.string().regex(/^\d+(\.\d+)?([KMGT]i|m|g)?$/);
const amounts = z.strictObject({ cpu: quantity, memory: quantity });
const resources = z.strictObject({ requests: amounts, limits: amounts });
const selector = z.strictObject({ matchLabels: z.record(z.string(), z.string()) });

const kafka = z.strictObject({
  kafka: z.strictObject({
    version: z.string().regex(/^\d+\.\d+\.\d+$/),
    listeners: z
      .array(
        z.strictObject({
          name: z.string().regex(/^[a-z0-9]{1,11}$/),
          port: z.int().min(9_092),
          type: z.enum(['internal', 'route', 'loadbalancer', 'nodeport', 'ingress', 'cluster-ip']),
          tls: z.literal(true),
          authentication: z.strictObject({ type: z.literal('scram-sha-512') }),
          networkPolicyPeers: z.array(z.strictObject({ podSelector: selector })).min(1),
        }),
      )
      .min(1),
    authorization: z.strictObject({ type: z.literal('simple') }),
    config: z.strictObject({
      'auto.create.topics.enable': z.literal(false),
      'default.replication.factor': z.literal(3),
      'min.insync.replicas': z.literal(2),
      'offsets.topic.replication.factor': z.literal(3),
      'transaction.state.log.replication.factor': z.literal(3),
      'transaction.state.log.min.isr': z.literal(2),
    }),
    metricsConfig: z.strictObject({
      type: z.literal('strimziMetricsReporter'),
      values: z.strictObject({ allowList: z.array(name).min(1) }),
    }),
  }),
  entityOperator: z.strictObject({
    topicOperator: z.strictObject({}),
    userOperator: z.strictObject({}),
  }),
});

const kafkaNodePool = z.strictObject({
  replicas: z.literal(3),
  roles: z.array(z.enum(['controller', 'broker'])).min(1),
  storage: z.strictObject({
    type: z.literal('jbod'),
    volumes: z.array(
      z.strictObject({
        id: z.int().min(0),
        type: z.literal('persistent-claim'),
        size: quantity,
        kraftMetadata: z.literal('shared'),
        deleteClaim: z.boolean(),
      }),
    ),
  }),
  jvmOptions: z.strictObject({ '-Xms': quantity, '-Xmx': quantity }),
  resources,
  template: z.strictObject({
    pod: z.strictObject({
      priorityClassName: name,
      affinity: z.strictObject({
        podAntiAffinity: z.strictObject({
          requiredDuringSchedulingIgnoredDuringExecution: z.array(
            z.strictObject({ topologyKey: name, labelSelector: selector }),
          ),
        }),
      }),
    }),
  }),
});

const kafkaTopic = z.strictObject({
  partitions: count,
  config: z.record(z.string(), z.union([z.string(), z.int()])),
});

const kafkaUser = z.strictObject({
  authentication: z.strictObject({ type: z.literal('scram-sha-512') }),
  authorization: z.strictObject({
    type: z.literal('simple'),
    acls: z
      .array(
        z.strictObject({
          resource: z.strictObject({ type: z.enum(['topic', 'group']), name }),
          operations: z
            .array(z.enum(['Create', 'Describe', 'DescribeConfigs', 'Read', 'Write']))
            .min(1),
        }),
      )
      .min(1),
  }),
});

const secretKey = z.strictObject({ name, key: name });
const packed = z.strictObject({ compression: z.enum(['bzip2', 'gzip', 'snappy']) });

const objectStore = z.strictObject({
  retentionPolicy: z.string().regex(/^[1-9][0-9]*[dwm]$/),
  configuration: z.strictObject({
    destinationPath: z.string().regex(/^s3:\/\//),
    endpointURL: z.url({ protocol: /^https$/ }),
    s3Credentials: z.strictObject({ accessKeyId: secretKey, secretAccessKey: secretKey }),
    wal: packed,
    data: packed,
  }),
});

/** The schema of `spec`, for each `apiVersion kind`. */
export const UNPUBLISHED = {
  'kafka.strimzi.io/v1 Kafka': kafka,
  'kafka.strimzi.io/v1 KafkaNodePool': kafkaNodePool,
  'kafka.strimzi.io/v1 KafkaTopic': kafkaTopic,
  'kafka.strimzi.io/v1 KafkaUser': kafkaUser,
  'barmancloud.cnpg.io/v1 ObjectStore': objectStore,
} as const;
