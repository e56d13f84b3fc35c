import classes from './strip.module.css';
import { STRIP_HEIGHT, STRIP_MAX, STRIP_STEP, stripPaths, stripWords } from './strip-marks.js';

export interface StripProps {
  /** Marks of the last attempts; undefined while they are loading. */
  readonly marks: string | undefined;
}

/** The last attempts of a webhook, a line for each: the same strip wherever a webhook is met. */
export function Strip({ marks }: StripProps) {
  const { succeeded, failed } = stripPaths(marks ?? '');
  const words = marks === undefined ? 'Loading …' : stripWords(marks);
  return (
    <svg
      role="img"
      aria-label={words}
      className={classes['strip']}
      viewBox={`0 0 ${STRIP_MAX * STRIP_STEP} ${STRIP_HEIGHT}`}
      preserveAspectRatio="none"
    >
      <title>{words}</title>
      <path
        className={classes['ground']}
        d={`M0 ${STRIP_HEIGHT - 0.5}H${STRIP_MAX * STRIP_STEP}`}
      />
      <path className={classes['succeeded']} d={succeeded} />
      <path className={classes['failed']} d={failed} />
    </svg>
  );
}
