import type { Delivery, DeliveryStatus } from '../api/types.js';
import { httpStatus, resultWords } from '../model/result-words.js';
import { durationWords } from '../ui/relative-words.js';
import type { Tone } from '../ui/tone.js';

/** The words of the API, so that a reader finds them there, in the command line and in the documentation. */
export const STATUS_LABELS: Readonly<Record<DeliveryStatus, string>> = {
  pending: 'Pending',
  retrying: 'Retrying',
  held: 'Held',
  succeeded: 'Succeeded',
  exhausted: 'Exhausted',
  refused: 'Refused',
  cancelled: 'Cancelled',
};

export const STATUS_TONES: Readonly<Record<DeliveryStatus, Tone>> = {
  pending: 'waiting',
  retrying: 'waiting',
  held: 'neutral',
  succeeded: 'good',
  exhausted: 'bad',
  refused: 'bad',
  cancelled: 'neutral',
};

interface Told {
  readonly status: DeliveryStatus;
  readonly reason: string | null;
  readonly attempt_count: number;
}

/** Describes the state of a delivery and what happens next. The time of the next step is shown beside this text. */
export function deliveryWords({ status, reason, attempt_count: attempts }: Told): string {
  const why = reason === null ? '' : ` ${resultWords(reason).long}`;
  switch (status) {
    case 'pending':
      return 'Waiting for the first attempt.';
    case 'retrying':
      return `${attemptsInWords(attempts)} failed, and we’ll try again.${why}`;
    case 'held':
      return 'The webhook is disabled, or was when this event arrived. The event is kept here, and sending it again makes a new delivery.';
    case 'succeeded':
      return attempts > 1
        ? `The receiver accepted it on attempt ${attempts}.`
        : 'The receiver accepted it on the first attempt.';
    case 'exhausted':
      return `${attemptsInWords(attempts)} failed, so we gave up.${why}`;
    case 'refused':
      return `It was not sent, and won’t be tried again.${why}`;
    case 'cancelled':
      return `It was not sent.${why}`;
  }
}

type Answered = Pick<Delivery, 'status' | 'reason' | 'response_status' | 'attempt_count'>;

/** `500 Internal Server Error · 3 attempts`: the last answer, or the reason why there is none. */
export function answerWords(delivery: Answered): string {
  const { status, reason, response_status: answered, attempt_count: attempts } = delivery;
  const why = status === 'succeeded' || reason === null ? '' : resultWords(reason).short;
  const answer = answered === null ? why : httpStatus(answered);
  return [answer, attempts > 1 && `${attempts} attempts`].filter(Boolean).join(' · ');
}

/** `1.2 s` from the making of a delivery to its end; nothing while it has none, and of what was never sent. */
export function tookWords(
  delivery: Pick<Delivery, 'attempt_count' | 'created_at' | 'ended_at'>,
): string {
  const { attempt_count: attempts, created_at: made, ended_at: ended } = delivery;
  if (ended === null || attempts === 0) return '';
  return durationWords(Date.parse(ended) - Date.parse(made));
}

/** Labels of a delivery that does not come straight from an event: a test, a replay, or a redelivery. */
export const marksOf = ({
  test: isTest,
  redelivery_of: originalId,
  operation_id: replayId,
}: Pick<Delivery, 'test' | 'redelivery_of' | 'operation_id'>): readonly string[] => [
  ...(isTest ? ['Test event'] : []),
  ...(replayId === null ? [] : ['Replay']),
  ...(originalId === null || replayId !== null ? [] : ['Resent']),
];

const attemptsInWords = (count: number): string =>
  count === 1 ? 'One attempt' : `${count} attempts`;
