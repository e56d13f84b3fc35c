import { type SenderOptions, webhookSender } from '../src/adapters/webhook/sender.js';
import type { AttemptRecord } from '../src/application/job.js';
import type { Headers } from '../src/application/request-headers.js';

export interface RequestOnce {
  readonly url: string;
  readonly headers: Headers;
  readonly body: Buffer;
  readonly startedAt: Date;
}

export type PromisedSender = ReturnType<typeof promisedSender>;

/** A sender whose attempts are promises of their records. */
export function promisedSender(options: SenderOptions) {
  const sender = webhookSender(options);
  return {
    send: ({ url, headers, body, startedAt }: RequestOnce): Promise<AttemptRecord> =>
      new Promise((resolve, reject) => {
        sender.send({ to: { url, headers }, headers: {}, body, startedAt }, (record, error) =>
          record ? resolve(record) : reject(error),
        );
      }),
    close: () => sender.close(),
  };
}
