import { relativeWords } from '../../ui/relative-words.js';
import type { Replay } from './replay-queries.js';

type Told = Pick<
  Replay,
  | 'status'
  | 'reason'
  | 'count'
  | 'count_is_exact'
  | 'sent'
  | 'skipped'
  | 'deliveries_per_s'
  | 'time_left_s'
  | 'waits_until'
>;

/** Describes the state of a replay and what came of it. */
export function replayWords(replay: Told, now = new Date()): string {
  const { status, count, count_is_exact: isExact } = replay;
  if (status === 'running') {
    const of = `${isExact ? '' : 'at least '}${count.toLocaleString('en')}`;
    return `${replay.sent.toLocaleString('en')} of ${of} sent again so far${pace(replay, now)}. This continues even if you leave the page.`;
  }
  return status === 'completed'
    ? `Done: ${onTheirWay(replay)}${leftOut(replay)}`
    : `${whyCancelled(replay)} Before that ${onTheirWay(replay)}`;
}

/** `, 640 a second, done in 12 minutes`. */
function pace(
  { deliveries_per_s: perS, time_left_s: leftS, waits_until: until }: Told,
  now: Date,
): string {
  if (until !== null) {
    const when = relativeWords(new Date(until), now);
    return `, more ${when}: as much was sent as may be sent at a time`;
  }
  if (perS === null || perS === 0) return '';
  const rate = `, ${perS.toLocaleString('en', { maximumFractionDigits: perS < 10 ? 1 : 0 })} a second`;
  return leftS === null
    ? rate
    : `${rate}, done ${relativeWords(new Date(leftS * 1_000), new Date(0))}`;
}

const onTheirWay = ({ sent }: Told): string => {
  if (sent === 0) return 'nothing was sent again.';
  return sent === 1 ? 'one event was sent again.' : `${sent.toLocaleString('en')} were sent again.`;
};

const leftOut = ({ skipped }: Told): string =>
  skipped === 0
    ? ''
    : ` ${skipped.toLocaleString('en')} ${skipped === 1 ? 'was' : 'were'} left out, because the content was deleted.`;

function whyCancelled({ reason }: Told): string {
  if (reason === 'webhook_disabled') return 'It ended because the webhook was disabled.';
  return 'You cancelled it.';
}
