import { Link } from '@tanstack/react-router';
import { type PointerEvent, useState } from 'react';
import classes from './strip.module.css';
import {
  markWords,
  STRIP_HEIGHT,
  STRIP_MAX,
  STRIP_STEP,
  stripPaths,
  stripWords,
} from './strip-marks.js';

export interface StripProps {
  /** Marks of the last attempts; undefined while they are loading. */
  readonly marks: string | undefined;
  /** The webhook whose deliveries the strip leads to; absent: it leads nowhere. */
  readonly webhookId?: string;
}

interface Tip {
  readonly words: string;
  /** Place in the window, in pixels. */
  readonly left: number;
  readonly top: number;
}

/** A mark of each kind, with its name. */
const LEGEND = [
  { mark: '0', label: 'accepted' },
  { mark: 'x', label: 'another answer' },
  { mark: '!', label: 'no answer' },
];

/**
 * The last attempts of a webhook, a line for each: the same strip wherever a webhook is met. Pointed at, it says what a
 * line stands for and how the kinds of lines look. Its link is for the pointer: the webhook has one for the keyboard.
 */
export function Strip({ marks, webhookId }: StripProps) {
  const [tip, setTip] = useState<Tip>();
  const point = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width, bottom } = currentTarget.getBoundingClientRect();
    const words = markWords(marks ?? '', Math.floor(((clientX - left) / width) * STRIP_MAX));
    setTip(words === undefined ? undefined : { words, left: clientX, top: bottom });
  };
  const words = marks === undefined ? 'Loading …' : stripWords(marks);
  const strip = <Lines marks={marks ?? ''} label={words} />;
  return (
    <div
      className={classes['around']}
      onPointerMove={point}
      onPointerLeave={() => setTip(undefined)}
    >
      {webhookId === undefined ? (
        strip
      ) : (
        <Link
          to="/webhooks/$webhookId"
          params={{ webhookId }}
          search={{ tab: 'deliveries' }}
          tabIndex={-1}
        >
          {strip}
        </Link>
      )}
      {tip && (
        <div className={classes['tip']} style={{ left: tip.left, top: tip.top }} aria-hidden>
          <strong>{tip.words}</strong>
          {LEGEND.map(({ mark, label }) => (
            <span key={mark}>
              <Lines marks={mark} isKey /> {label}
            </span>
          ))}
        </div>
      )}
    </div>
  );
}

interface LinesProps {
  readonly marks: string;
  /** Words for those who do not see it. */
  readonly label?: string;
  /** True: one mark alone, for a legend. */
  readonly isKey?: boolean;
}

function Lines({ marks, label, isKey = false }: LinesProps) {
  const { succeeded, failed } = stripPaths(marks);
  const from = isKey ? STRIP_MAX - 1 : 0;
  return (
    <svg
      {...(label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label })}
      className={classes[isKey ? 'key' : 'strip']}
      viewBox={`${from * STRIP_STEP} 0 ${(STRIP_MAX - from) * STRIP_STEP} ${STRIP_HEIGHT}`}
      preserveAspectRatio="none"
    >
      {!isKey && (
        <path
          className={classes['ground']}
          d={`M0 ${STRIP_HEIGHT - 0.5}H${STRIP_MAX * STRIP_STEP}`}
        />
      )}
      <path className={classes['succeeded']} d={succeeded} />
      <path className={classes['failed']} d={failed} />
    </svg>
  );
}
