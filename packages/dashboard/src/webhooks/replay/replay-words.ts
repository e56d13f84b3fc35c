import type { Replay } from './replay-queries.js';

type Told = Pick<Replay, 'status' | 'reason' | 'count' | 'count_is_exact' | 'sent' | 'skipped'>;

/** Describes the state of a replay and what came of it. */
export function replayWords(replay: Told): string {
  const { status, count, count_is_exact: isExact } = replay;
  if (status === 'running') {
    const of = `${isExact ? '' : 'at least '}${count.toLocaleString('en')}`;
    return `${replay.sent.toLocaleString('en')} of ${of} sent again so far. This continues even if you leave the page.`;
  }
  return status === 'completed'
    ? `Done: ${onTheirWay(replay)}${leftOut(replay)}`
    : `${whyCancelled(replay)} Before that ${onTheirWay(replay)}`;
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
