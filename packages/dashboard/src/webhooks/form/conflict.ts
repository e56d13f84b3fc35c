import type { Webhook } from '../../api/types.js';
import { labelOfChoice } from '../../model/event-kinds.js';
import { valuesOf, type WebhookFormValues } from './form-values.js';

/** A setting that somebody else has saved since the form was opened. */
export interface ChangedElsewhere {
  readonly label: string;
  readonly saved: string;
  readonly mine: string;
}

type Shown = Omit<WebhookFormValues, 'secretChoice' | 'secret'>;

const LABELS: Readonly<Record<keyof Shown, string>> = {
  url: 'URL',
  description: 'Description',
  events: 'Events',
  filter: 'Filter',
  signature: 'Sign with our key pair too',
  ordered: 'In order',
  rate_limit: 'Rate limit',
  retries: 'Retries',
  retry_schedule: 'Time before each retry',
  headers: 'Custom headers',
  trace_context: 'Trace',
  metadata: 'Metadata',
  enabled: 'Enabled',
};

/**
 * Returns the settings in which the saved webhook differs from what the form was opened with, beside those of the form.
 * Empty when the change is none that the form shows: of the secret, of the value of a header, or a pause.
 */
export function changedElsewhere(
  opened: Webhook,
  saved: Webhook,
  mine: WebhookFormValues,
): readonly ChangedElsewhere[] {
  const now = valuesOf(saved);
  return changedFields(opened, saved).map((field) => ({
    label: LABELS[field],
    saved: inWords(now[field]),
    mine: inWords(mine[field]),
  }));
}

/** Returns the values of the form with those settings as they are saved. */
export const withSaved = (
  opened: Webhook,
  saved: Webhook,
  mine: WebhookFormValues,
): WebhookFormValues => ({ ...mine, ...pick(valuesOf(saved), changedFields(opened, saved)) });

function changedFields(opened: Webhook, saved: Webhook): readonly (keyof Shown)[] {
  const [before, now] = [valuesOf(opened), valuesOf(saved)];
  return (Object.keys(LABELS) as (keyof Shown)[]).filter(
    (field) => inWords(before[field]) !== inWords(now[field]),
  );
}

const pick = (values: WebhookFormValues, fields: readonly (keyof Shown)[]) =>
  Object.fromEntries(fields.map((field) => [field, values[field]])) as Partial<Shown>;

function inWords(value: Shown[keyof Shown]): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value === 'string') return value === '' ? 'none' : value;
  const parts = value.map((part) => {
    if (typeof part === 'string') return labelOfChoice(part);
    return part.value === '' ? part.name : `${part.name}: ${part.value}`;
  });
  return parts.toSorted().join(', ') || 'none';
}
