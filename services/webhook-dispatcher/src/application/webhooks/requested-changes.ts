import type { CustomHeaders } from '../../domain/webhook/custom-headers.js';
import type { SecretChange } from '../../domain/webhook/decider.js';
import {
  DEFAULT_OPTIONS,
  isJson,
  type OptionsChange,
  type OptionValues,
} from '../../domain/webhook/options.js';
import type { Ports } from '../ports.js';
import type { Webhook } from './ports.js';

/** Options to change. Absent: the option stays. null: the option is as if it had never been set. */
export type OptionsRequest = {
  readonly [Name in keyof OptionValues]?: OptionValues[Name] | null | undefined;
} & {
  /** All headers, with their values. */
  readonly headers?: CustomHeaders | null | undefined;
};

/** Returns the change as the domain knows it, and the values of the headers if they are other than before. */
export async function optionsChange(
  { webhooks }: Pick<Ports, 'webhooks'>,
  webhook: Webhook | undefined,
  { headers: requested, ...own }: OptionsRequest = {},
): Promise<{ options: OptionsChange; headers?: CustomHeaders }> {
  const named = Object.entries(own).filter(([, value]) => value !== undefined);
  const options: OptionsChange = Object.fromEntries(
    named.map(([name, value]) => [name, storedValue(name as keyof OptionValues, value)]),
  );
  if (requested === undefined) return { options };

  const headers = requested ?? {};
  const current = webhook?.headerNames.length ? await webhooks.headers(webhook) : {};
  if (JSON.stringify(headers) === JSON.stringify(current)) return { options };
  return { options: { ...options, headerNames: Object.keys(headers) }, headers };
}

function storedValue(name: keyof OptionValues, value: unknown): unknown {
  if (!isJson(name)) return value ?? DEFAULT_OPTIONS[name];
  const isEmpty = Object.keys(value ?? {}).length === 0;
  return isEmpty ? null : JSON.stringify(value);
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
