import type { CustomHeaders } from '../../domain/webhook/custom-headers.js';
import type { SecretChange } from '../../domain/webhook/decider.js';
import type { Filter } from '../../domain/webhook/filter.js';
import type { Metadata } from '../../domain/webhook/metadata.js';
import type { OptionsChange, Signature } from '../../domain/webhook/options.js';
import type { Ports } from '../ports.js';
import type { Webhook } from './ports.js';

/** Options to change. Absent: the option stays. null: the option is as if it had never been set. */
export interface OptionsRequest {
  readonly ordered?: boolean | null | undefined;
  readonly rateLimit?: number | null | undefined;
  readonly description?: string | null | undefined;
  readonly filter?: Filter | null | undefined;
  readonly retrySchedule?: readonly number[] | null | undefined;
  readonly metadata?: Metadata | null | undefined;
  readonly signature?: Signature | null | undefined;
  readonly traceContext?: boolean | null | undefined;
  /** All headers, with their values. */
  readonly headers?: CustomHeaders | null | undefined;
}

/** Returns the change as the domain knows it, and the values of the headers if they are other than before. */
export async function optionsChange(
  { webhooks }: Pick<Ports, 'webhooks'>,
  webhook: Webhook | undefined,
  request: OptionsRequest | undefined,
): Promise<{ options?: OptionsChange; headers?: CustomHeaders }> {
  if (request === undefined) return {};
  const { ordered, rateLimit, description, filter, retrySchedule, metadata, signature } = request;
  const { traceContext } = request;
  const options: OptionsChange = {
    ...(ordered !== undefined && { ordered: ordered ?? false }),
    ...(rateLimit !== undefined && { rateLimit }),
    ...(description !== undefined && { description }),
    ...(filter !== undefined && { filter: filter && JSON.stringify(filter) }),
    ...(retrySchedule !== undefined && { retrySchedule }),
    ...(metadata !== undefined && {
      metadata: isEmpty(metadata) ? null : JSON.stringify(metadata),
    }),
    ...(signature !== undefined && { signature: signature ?? 'hmac' }),
    ...(traceContext !== undefined && { traceContext: traceContext ?? false }),
  };
  if (request.headers === undefined) return { options };

  const headers = request.headers ?? {};
  const current = webhook?.headerNames.length ? await webhooks.headers(webhook) : {};
  if (JSON.stringify(headers) === JSON.stringify(current)) return { options };
  return { options: { ...options, headerNames: Object.keys(headers) }, headers };
}

/** Returns the change of the secret, with its text if it is set. Absent: the secret stays; null: it is deleted. */
export async function secretChange(
  { webhooks }: Pick<Ports, 'webhooks'>,
  webhook: Webhook | undefined,
  requested: string | null | undefined,
): Promise<{ change: SecretChange; secret?: string }> {
  if (requested === undefined) return { change: 'keep' };
  if (requested === null) return { change: 'delete' };
  const [current] = webhook?.hasSecret === true ? await webhooks.secrets(webhook) : [];
  return current?.text === requested ? { change: 'keep' } : { change: 'set', secret: requested };
}

const isEmpty = (metadata: Metadata | null): boolean =>
  metadata === null || Object.keys(metadata).length === 0;
