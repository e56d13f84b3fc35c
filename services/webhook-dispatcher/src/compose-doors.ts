import { AssistantEventsServiceService, SERVICE_SCOPES } from '@junction/contracts';
import { type KafkaPort, topicName } from '@junction/messaging';
import type { Ops } from '@junction/ops';
import {
  apiKeyOwner,
  authChannel,
  closeChannel,
  closeGrpc,
  drainGrpc,
  eventStreams,
  expectAuth,
  grpcServer,
  type Metrics,
  type Revocations,
  type Runtime,
  remoteKeys,
  tokenVerifier,
} from '@junction/service-kit';
import { type KeyRing, openWithRing, sealWithRing } from '@junction/vault';
import type pg from 'pg';
import { assistantEventsService } from './adapters/grpc/assistant-events-service.js';
import { liveStream } from './adapters/http/live-stream.js';
import { webApp } from './adapters/http/web-app.js';
import { ASSISTANT_TOPIC } from './adapters/kafka/assistant-events.js';
import { targetProblem } from './adapters/webhook/target-rules.js';
import type { Application } from './application/application.js';
import type { History } from './application/history.js';
import type { Live } from './application/live.js';
import type { Config } from './config.js';

export interface DoorParts {
  /** The service's name: the audience of tokens for its gRPC door. */
  readonly name: string;
  readonly pool: pg.Pool;
  readonly ring: KeyRing;
  readonly kafka: KafkaPort;
  readonly ops: Ops;
  readonly revoked: Revocations;
  readonly measures: Metrics;
  readonly live: Live;
  readonly life: Runtime;
}

/** What requests may ask for. */
export interface Uses {
  readonly app: Application;
  readonly history: History;
}

/** The doors open last, once everything behind them is ready. Closing in reverse shuts them first. */
export async function openDoors(
  config: Config,
  { app, history }: Uses,
  parts: DoorParts,
): Promise<void> {
  const { pool, ring, ops, revoked, measures, live, life } = parts;
  const { log, closing, health } = life;
  const keys = remoteKeys(config.auth.jwksUrl);
  const trust = { keys, issuer: config.publicUrl };
  const auth = closing.add('auth channel', authChannel(config), closeChannel);
  expectAuth(health, keys, auth);
  const { allowPrivateTargets: allowPrivate } = config;

  await openGrpc(config, parts, trust);
  closing.add('ops', ops, (ops) => ops.stop(), { atOnce: true });

  const streams = eventStreams({
    revoked: (ids) => revoked.isRevoked(ids),
    onNews: (onCall) => live.onNews(onCall),
  });
  closing.add('streams', streams, (streams) => streams.end(), {
    announce: (streams) => streams.end(),
  });

  const web = webApp({
    app,
    history,
    streams: liveStream(live, streams),
    problemOf: (url) => targetProblem(url, { allowPrivate }),
    authentication: {
      verify: tokenVerifier({ ...trust, audience: 'junction-api', kind: 'user' }),
      revoked: (ids) => revoked.isRevoked(ids),
      apiKey: apiKeyOwner(auth),
      publicUrl: config.publicUrl,
    },
    repeats: { pool, sealing: sealingWith(ring) },
    log,
    health,
    metrics: measures,
  });
  await life.listen(web);
}

async function openGrpc(
  config: Config,
  { name, kafka, ops, measures, life: { log, closing } }: DoorParts,
  trust: Pick<Parameters<typeof tokenVerifier>[0], 'keys' | 'issuer'>,
): Promise<void> {
  const producer = await kafka.producer();
  closing.add('producer', producer, (producer) => producer.close());
  const topic = topicName(config.kafka.topicPrefix, ASSISTANT_TOPIC);
  const grpc = await grpcServer({
    log,
    metrics: measures,
    ...config.grpc,
    security: config.grpcSecurity,
    verify: tokenVerifier({ ...trust, audience: name, kind: 'service' }),
    services: [
      {
        definition: AssistantEventsServiceService,
        implementation: assistantEventsService({ producer, topic, log }),
        scopes: {
          publish: SERVICE_SCOPES.publishEvents,
          publishStream: SERVICE_SCOPES.publishEvents,
        },
      },
      ops.service,
    ],
  });
  closing.add('grpc', grpc, closeGrpc, { announce: drainGrpc, atOnce: true });
}

const sealingWith = (ring: KeyRing) => ({
  seal: (plaintext: Buffer, aad: string) => sealWithRing(ring, plaintext, aad),
  open: (sealed: Buffer, aad: string) => openWithRing(ring, sealed, aad),
});
