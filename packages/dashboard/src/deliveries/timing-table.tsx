import type { Attempt } from '../api/types.js';
import { durationWords } from '../ui/relative-words.js';
import classes from './attempts.module.css';
import { type TimingPart, timingParts } from './timing-parts.js';

const WIDTH = 1_000;
/** A part of no length can still be seen. */
const WIDTH_MIN = 4;

/** The time of an attempt by its parts: numbers, and bars that show each part's position in the whole. */
export function TimingTable({ attempt }: { readonly attempt: Attempt }) {
  const totalMs = Math.max(attempt.timing.total_ms, 0.001);
  const scale = (ms: number) => (ms / totalMs) * WIDTH;
  return (
    <table className={classes['timing']} aria-label="Where the time went">
      <tbody>
        {timingParts(attempt)
          .filter(isSeen)
          .map(({ name, fromMs, ms }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{partWords(ms)}</td>
              <td aria-hidden>
                <svg viewBox={`0 0 ${WIDTH} 10`} preserveAspectRatio="none" focusable="false">
                  <rect
                    x={Math.min(scale(fromMs), WIDTH - WIDTH_MIN)}
                    y="0"
                    width={Math.max(scale(ms), WIDTH_MIN)}
                    height="10"
                  />
                </svg>
              </td>
            </tr>
          ))}
      </tbody>
    </table>
  );
}

/** Whether a part is long enough to be more than `0.0 ms`. */
const isSeen = ({ ms }: TimingPart): boolean => ms >= 0.05;

/** Most parts are shorter than a millisecond on a good day. */
const partWords = (ms: number): string => (ms < 10 ? `${ms.toFixed(1)} ms` : durationWords(ms));
