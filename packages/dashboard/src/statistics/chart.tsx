import { Bars } from './bars.js';
import { type Hour, hourWords } from './hours.js';
import classes from './statistics.module.css';

export interface ChartProps {
  readonly hours: readonly Hour[];
  /** The numbers in a sentence, for those who do not see it. */
  readonly label: string;
}

/** The bars of all hours with what they mean, and from when to when. The table beside it says the same in words. */
export function Chart({ hours, label }: ChartProps) {
  const most = Math.max(...hours.map(({ succeeded, failed }) => succeeded + failed));
  const middle = hours[Math.floor(hours.length / 2)];
  return (
    <div>
      <div className={classes['legend']}>
        <span data-of="succeeded">Succeeded</span>
        <span data-of="failed">Failed</span>
        <span className={classes['most']}>{most.toLocaleString('en')} in the busiest hour</span>
      </div>
      <Bars hours={hours} label={label} />
      <div className={classes['axis']} aria-hidden>
        {[hours[0], middle].map((hour) => hour && <span key={+hour.at}>{hourWords(hour.at)}</span>)}
        <span>Now</span>
      </div>
    </div>
  );
}
