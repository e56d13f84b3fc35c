import { secondsIn } from './durations.js';
import type { Pair, WebhookFormValues } from './form-values.js';
import { lostNumber } from './lost-number.js';
import { secretProblem } from './new-secret.js';

const RATE_MAX = 1_000;
const RETRIES_MAX = 20;
const RETRY_MAX_S = 86_400;

/** Problem of each field, as far as the browser can tell; the service checks the rest. */
export const formProblems = {
  url: (url: string) =>
    URL.canParse(url) ? null : 'Enter the full address, such as https://example.com/webhook.',
  events: (events: readonly string[]) =>
    events.length === 0 ? 'Choose at least one kind of event.' : null,
  secret: (secret: string, { secretChoice }: WebhookFormValues) =>
    secretChoice === 'own' ? secretProblem(secret) : null,
  filter: filterProblem,
  rate_limit: (rate: string) =>
    rate.trim() === '' || (/^\d+$/.test(rate.trim()) && isWithin(Number(rate), 1, RATE_MAX))
      ? null
      : `Enter a whole number from 1 to ${RATE_MAX}, or nothing.`,
  retry_schedule: (text: string, { retries }: WebhookFormValues) =>
    retries === 'own' ? scheduleProblem(text) : null,
  headers: (headers: readonly Pair[]) => pairsProblem(headers, 'header'),
  metadata: (metadata: readonly Pair[]) => pairsProblem(metadata, 'entry'),
};

function filterProblem(text: string): string | null {
  if (text.trim() === '') return null;
  try {
    JSON.parse(text);
    const lost = lostNumber(text);
    return lost === undefined
      ? null
      : `${lost} would be read as another number. Put it in quotation marks, and have it sent as a text.`;
  } catch (error) {
    return `This is not JSON: ${(error as Error).message}.`;
  }
}

function scheduleProblem(text: string): string | null {
  const seconds = secondsIn(text);
  if (seconds === undefined)
    return 'Write times with commas between them, such as 5 s, 5 min, 2 h.';
  if (seconds.length > RETRIES_MAX) return `At most ${RETRIES_MAX} retries are made.`;
  return seconds.every((one) => isWithin(one, 1, RETRY_MAX_S))
    ? null
    : 'Each time is from one second to one day.';
}

function pairsProblem(pairs: readonly Pair[], what: string): string | null {
  if (pairs.some(({ name }) => name.trim() === ''))
    return `Give each ${what} a name, or remove it.`;
  const nameless = pairs.find(({ value, isStored }) => value === '' && isStored !== true);
  if (nameless) return `Give ${nameless.name} a value, or remove it.`;
  const names = pairs.map(({ name }) => name.toLowerCase());
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? null : `${twice} is there twice.`;
}

const isWithin = (value: number, min: number, max: number): boolean => value >= min && value <= max;
