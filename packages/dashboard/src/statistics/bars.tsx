import { type Hour, hourWords } from './hours.js';
import classes from './statistics.module.css';

export interface BarsProps {
  readonly hours: readonly Hour[];
  /** The numbers in a sentence, for those who do not see it. */
  readonly label: string;
  /** Small, in a list. */
  readonly isSpark?: boolean;
}

const HEIGHT = 100;
const STEP = 10;
const GAP = 2;
/** Height of the smallest bar, so that any count stays visible beside a far higher one. */
const BAR_MIN = 4;

/** A bar for each hour: failures at the bottom, in their own colour, and successes above them with a gap between. */
export function Bars({ hours, label, isSpark = false }: BarsProps) {
  const most = Math.max(1, ...hours.map(({ succeeded, failed }) => succeeded + failed));
  const heightOf = (count: number) =>
    count === 0 ? 0 : Math.max(BAR_MIN, (count / most) * HEIGHT);
  return (
    <svg
      role="img"
      aria-label={label}
      className={classes[isSpark ? 'spark' : 'chart']}
      viewBox={`0 0 ${hours.length * STEP} ${HEIGHT + 2 * BAR_MIN}`}
      preserveAspectRatio="none"
    >
      {hours.map(({ at, succeeded, failed }, index) => {
        const x = index * STEP + GAP / 2;
        const bottom = HEIGHT + 2 * BAR_MIN;
        const failedHeight = heightOf(failed);
        const succeededHeight = heightOf(succeeded);
        return (
          <g key={at.getTime()}>
            {!isSpark && <title>{hourInWords({ at, succeeded, failed })}</title>}
            <rect className={classes['base']} x={x} y={bottom - 1} width={STEP - GAP} height={1} />
            <rect
              className={classes['failed']}
              x={x}
              y={bottom - failedHeight}
              width={STEP - GAP}
              height={failedHeight}
            />
            <rect
              className={classes['succeeded']}
              x={x}
              y={bottom - failedHeight - succeededHeight}
              width={STEP - GAP}
              height={succeededHeight}
            />
          </g>
        );
      })}
    </svg>
  );
}

const hourInWords = ({ at, succeeded, failed }: Hour): string =>
  `${hourWords(at)}: ${succeeded} succeeded, ${failed} failed`;
