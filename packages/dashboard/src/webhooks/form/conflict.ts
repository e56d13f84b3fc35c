import type { Webhook } from '../../api/types.js';
import { labelOfChoice } from '../../model/event-kinds.js';
import {
  pairInWords,
  SETTING_NAMES,
  SETTINGS,
  type SettingName,
  valuesOf,
  type WebhookFormValues,
} from './form-values.js';

/** A setting that somebody else has saved since the form was opened. */
export interface ChangedElsewhere {
  readonly label: string;
  readonly saved: string;
  readonly mine: string;
}

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
    label: SETTINGS[field].label,
    saved: inWords(now[field]),
    mine: inWords(mine[field]),
  }));
}

/** Returns the values of the form with those settings as they are saved. */
export function withSaved(opened: Webhook, saved: Webhook, mine: WebhookFormValues) {
  const now = valuesOf(saved);
  const changed = changedFields(opened, saved).map((field) => [field, now[field]]);
  return { ...mine, ...(Object.fromEntries(changed) as Partial<WebhookFormValues>) };
}

/** Returns whether one of these settings differs between two versions. */
export const isChanged = (before: Webhook, now: Webhook, names: readonly SettingName[]): boolean =>
  changedFields(before, now).some((field) => names.includes(field));

function changedFields(opened: Webhook, saved: Webhook): readonly SettingName[] {
  const [before, now] = [valuesOf(opened), valuesOf(saved)];
  return SETTING_NAMES.filter((field) => inWords(before[field]) !== inWords(now[field]));
}

function inWords(value: WebhookFormValues[SettingName]): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value === 'string') return value === '' ? 'none' : value;
  const parts = value.map((part) =>
    typeof part === 'string' ? labelOfChoice(part) : pairInWords(part),
  );
  return parts.toSorted().join(', ') || 'none';
}
