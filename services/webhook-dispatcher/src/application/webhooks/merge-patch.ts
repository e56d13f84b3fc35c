import { AppError } from '@junction/errors';
import { JSON_OPTIONS } from '../../domain/webhook/options.js';
import { findWebhook } from '../find-webhook.js';
import type { Ports } from '../ports.js';
import { type ChangeRequest, changeInTurn } from './change-webhook.js';
import type { Webhook } from './ports.js';

type Json = Readonly<Record<string, unknown>>;

export interface MergeRequest {
  readonly patch: unknown;
  /** Parses the merged body into a request: filter, headers and metadata whole. Its errors are the caller's. */
  readonly requestOf: (body: unknown) => ChangeRequest;
  /** Versions of the webhook that the change is for; absent: any. */
  readonly ifVersion?: readonly number[] | undefined;
}

/** Rounds that may be lost, each to a change that another replica made. */
const ROUNDS_MAX = 200;

/**
 * Applies a merge patch (RFC 7396) to the options that have members, and sets the others as requested. The patch was
 * merged into one version, so it is merged again when the webhook was changed meanwhile, unless the caller named the
 * version. @throws AppError `precondition_failed`
 */
export const mergeWebhook =
  (ports: Ports) =>
  (userId: string, webhookId: string, request: MergeRequest): Promise<Webhook> =>
    ports.inTurn(userId, () => merge(ports, userId, webhookId, request));

async function merge(
  ports: Ports,
  userId: string,
  webhookId: string,
  { patch, requestOf, ifVersion }: MergeRequest,
): Promise<Webhook> {
  for (let round = 1; ; round++) {
    const { version, body } = await merged(ports, userId, webhookId, patch);
    const wanted = (ifVersion ?? [version]).filter((one) => one === version);
    try {
      const change = { ...requestOf(body), ifVersion: wanted };
      return await changeInTurn(ports)(userId, webhookId, change);
    } catch (error) {
      const isOvertaken = AppError.from(error).code === 'precondition_failed';
      if (!isOvertaken || ifVersion !== undefined || round === ROUNDS_MAX) throw error;
    }
  }
}

/**
 * Returns the patch with those options whole that have members of their own, and the version into which it was merged.
 */
async function merged(
  ports: Pick<Ports, 'webhooks'>,
  userId: string,
  webhookId: string,
  patch: unknown,
) {
  const webhook = await findWebhook(ports)(userId, webhookId);
  const { version, headerNames: names } = webhook;
  if (!isObject(patch)) return { version, body: patch };
  const current: Json = {
    ...Object.fromEntries(
      JSON_OPTIONS.map((name) => [name, JSON.parse(webhook[name] ?? 'null') as unknown]),
    ),
    headers: names.length > 0 ? await ports.webhooks.headers(webhook) : undefined,
  };
  const named = Object.keys(current).filter((name) => isObject(patch[name]));
  const options = named.map((name) => [name, mergePatch(current[name], patch[name])]);
  return { version, body: { ...patch, ...Object.fromEntries(options) } };
}

/** Applies a merge patch: RFC 7396, section 2. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
