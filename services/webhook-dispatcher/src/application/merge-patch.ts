import { findWebhook } from './find-webhook.js';
import type { Ports } from './ports.js';

type Json = Readonly<Record<string, unknown>>;

export interface MergedPatch {
  /** Of the webhook that it was merged with: it is right for no other. */
  readonly version: number;
  /** With the options whole that have members of their own: filter, headers and metadata. */
  readonly body: unknown;
}

/** Applies a merge patch (RFC 7396) to what has members in a webhook. The rest of it is left as it came. */
export const mergeWebhook =
  (ports: Pick<Ports, 'webhooks'>) =>
  async (userId: string, webhookId: string, patch: unknown): Promise<MergedPatch> => {
    const webhook = await findWebhook(ports)(userId, webhookId);
    const { version, filter, metadata, header_names: names } = webhook;
    if (!isObject(patch)) return { version, body: patch };
    const current: Json = {
      filter: filter === null ? undefined : (JSON.parse(filter) as unknown),
      metadata: metadata === null ? undefined : (JSON.parse(metadata) as unknown),
      headers: names.length > 0 ? await ports.webhooks.headers(webhook) : undefined,
    };
    const merged = Object.keys(current).filter((name) => isObject(patch[name]));
    const options = merged.map((name) => [name, mergePatch(current[name], patch[name])]);
    return { version, body: { ...patch, ...Object.fromEntries(options) } };
  };

/** RFC 7396, section 2. */
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
