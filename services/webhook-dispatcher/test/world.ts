import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { messageId } from '@junction/contracts';
import {
  type Receiver,
  startReceiver,
  startTestService,
  type TestService,
} from '@junction/testing';
import { type Stage, useStage } from '@junction/testing/stage';
import { dispatcherSchema } from './schema.js';

const MAIN = path.resolve(import.meta.dirname, '../dist/src/main.js');

/** A record as a foreign producer would write it; each field can be left out or made wrong. */
export interface RecordParts {
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly data?: unknown;
  /** Instead of data. */
  readonly bytes?: Buffer;
}

export interface World
  extends Pick<
    Stage<Receiver, TestService>,
    'database' | 'issuer' | 'startAnother' | 'publishDomainEvent'
  > {
  readonly dispatcher: TestService;
  readonly receiver: Receiver;
  readonly newUser: () => string;
  /** A webhook of a new user, at a path of its own. */
  readonly newWebhook: (options?: object) => Promise<NewWebhook>;
  /** Writes to assistant.events.v1 and gives the message id. */
  readonly publish: (userId: string, parts?: RecordParts) => Promise<string>;
}

export interface NewWebhook {
  readonly userId: string;
  readonly webhookId: string;
  readonly path: string;
  readonly url: string;
}

/** A started dispatcher with everything around it, for one test file. */
export function useWorld(
  overrides: (receiver: Receiver) => Readonly<Record<string, string>> = () => ({}),
  { tls = false } = {},
): () => World {
  const stage = useStage({
    schema: dispatcherSchema,
    around: () => startReceiver({ tls }),
    start: (surroundings, receiver) =>
      startTestService({
        ...surroundings,
        main: MAIN,
        databaseVariable: 'WEBHOOKS_DATABASE_URL',
        env: overrides(receiver),
      }),
  });
  return () => {
    const { service: dispatcher, around: receiver, send, ...rest } = stage();
    return {
      ...rest,
      dispatcher,
      receiver,
      newUser: () => randomUUID(),

      async newWebhook(options = {}) {
        const userId = randomUUID();
        const path = `/hooks/${randomUUID()}`;
        const url = receiver.url + path;
        const json = { url, events: ['draft.created'], enabled: true, ...options };
        const { status, body } = await dispatcher.call(userId, 'POST', '/api/webhooks/configure', {
          json,
        });
        if (status !== 201)
          throw new Error(`configure answered ${status}: ${JSON.stringify(body)}`);
        return { userId, webhookId: String(body['webhook_id']), path, url };
      },

      async publish(userId, { key = userId, headers = {}, data = {}, bytes } = {}) {
        const all = {
          ce_specversion: '1.0',
          ce_id: randomUUID(),
          ce_source: '/tests',
          ce_type: 'draft.created',
          ce_subject: userId,
          ce_time: new Date().toISOString(),
          ...headers,
        };
        await send('assistant.events.v1', key, all, bytes ?? Buffer.from(JSON.stringify(data)));
        return messageId(all.ce_source, all.ce_id, userId);
      },
    };
  };
}
