import type { Body } from '../../api/types.js';
import { STATUS_LABELS } from '../../deliveries/delivery-words.js';
import { momentOf } from '../../ui/local-time.js';

/** Deliveries that the API is asked to replay. */
export type Span = Omit<Body<'/api/webhooks/{id}/replay', 'post'>, 'confirm'>;
export type Outcome = NonNullable<Span['outcomes']>[number];

const HOUR_MS = 3_600_000;

/** Periods that end when the dialog was opened, with their lengths in milliseconds. */
const PERIODS: Readonly<Record<string, { readonly label: string; readonly ms: number }>> = {
  '1h': { label: 'Last hour', ms: HOUR_MS },
  '24h': { label: 'Last 24 hours', ms: 24 * HOUR_MS },
  '7d': { label: 'Last 7 days', ms: 7 * 24 * HOUR_MS },
  '30d': { label: 'Last 30 days', ms: 30 * 24 * HOUR_MS },
};
export const BETWEEN = 'between';
export const TIMES = [
  ...Object.entries(PERIODS).map(([value, { label }]) => ({ value, label })),
  { value: BETWEEN, label: 'Between …' },
];

const option = (value: Outcome, description: string) => ({
  value,
  label: STATUS_LABELS[value],
  description,
});

export const OUTCOMES = [
  option('held', 'They came while the webhook was disabled.'),
  option('exhausted', 'Every attempt failed.'),
  option('refused', 'They were not sent, because the address was not allowed.'),
  option('retrying', 'They wait for their next attempt, which is made at once instead.'),
  option('succeeded', 'The receiver accepted them before, and gets them once more.'),
];

/** Values of the dialog. */
export interface ReplayChoice {
  readonly period: string;
  /** Start of the period as the browser's field holds it; read only with the period `between`, like `until`. */
  readonly from: string;
  readonly until: string;
  readonly outcomes: readonly Outcome[];
  /** Kinds that are left out. */
  readonly withoutKinds: readonly string[];
}

export const PROPOSED: ReplayChoice = {
  period: '24h',
  from: '',
  until: '',
  outcomes: ['held', 'exhausted', 'refused'],
  withoutKinds: [],
};

/**
 * Returns the deliveries to replay, or a sentence about what is still missing.
 * @param openedAt end of each period, so that exactly the counted deliveries are sent
 */
export function spanOf(
  choice: ReplayChoice,
  kinds: readonly string[],
  openedAt: Date,
): Span | string {
  const { outcomes, withoutKinds } = choice;
  const period = PERIODS[choice.period];
  const from = period
    ? new Date(openedAt.getTime() - period.ms).toISOString()
    : momentOf(choice.from);
  const to = period ? openedAt.toISOString() : (momentOf(choice.until) ?? openedAt.toISOString());
  const chosen = kinds.filter((kind) => !withoutKinds.includes(kind));
  if (from === undefined) return 'Choose from when on.';
  if (from >= to) return 'From must be before until.';
  if (from >= openedAt.toISOString()) return 'From must lie in the past.';
  if (outcomes.length === 0) return 'Choose at least one outcome.';
  if (chosen.length === 0 && kinds.length > 0) return 'Choose at least one kind of event.';
  return {
    from,
    to,
    outcomes: [...outcomes],
    ...(withoutKinds.length > 0 && { event_types: chosen }),
  };
}
