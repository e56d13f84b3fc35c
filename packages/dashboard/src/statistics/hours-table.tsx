import { Disclosure } from '../ui/disclosure.js';
import { durationWords } from '../ui/relative-words.js';
import { hourWords, type Statistics } from './hours.js';
import classes from './statistics.module.css';

/** The same numbers as the chart, to be read. The newest hour first. */
export const HoursTable = ({ statistics: { items } }: { readonly statistics: Statistics }) => (
  <Disclosure summary="The numbers as a table">
    <div className={classes['scroll']} tabIndex={0} role="region" aria-label="Attempts by hour">
      <table className={classes['table']}>
        <thead>
          <tr>
            <th scope="col">Hour</th>
            <th scope="col">Succeeded</th>
            <th scope="col">Failed</th>
            <th scope="col">p50</th>
            <th scope="col">p95</th>
          </tr>
        </thead>
        <tbody>
          {items.toReversed().map(({ hour, succeeded, failed, latency_ms: { p50, p95 } }) => (
            <tr key={hour}>
              <th scope="row">{hourWords(new Date(hour))}</th>
              <td>{succeeded}</td>
              <td>{failed}</td>
              <td>{p50 === null ? '–' : durationWords(p50)}</td>
              <td>{p95 === null ? '–' : durationWords(p95)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </Disclosure>
);
