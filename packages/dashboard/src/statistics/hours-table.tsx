import { Disclosure } from '../ui/disclosure.js';
import { durationWords } from '../ui/relative-words.js';
import { WideTable } from '../ui/wide-table.js';
import { hourWords, type Statistics } from './hours.js';

/** The numbers of the chart as a table, the newest hour first. */
export const HoursTable = ({ statistics: { items } }: { readonly statistics: Statistics }) => (
  <Disclosure summary="The numbers as a table">
    <WideTable
      label="Attempts by hour"
      columns={['Hour', 'Succeeded', 'Failed', 'p50', 'p95']}
      isNumeric
    >
      {items.toReversed().map(({ hour, succeeded, failed, latency_ms: { p50, p95 } }) => (
        <tr key={hour}>
          <th scope="row">{hourWords(new Date(hour))}</th>
          <td>{succeeded}</td>
          <td>{failed}</td>
          <td>{p50 === null ? '–' : durationWords(p50)}</td>
          <td>{p95 === null ? '–' : durationWords(p95)}</td>
        </tr>
      ))}
    </WideTable>
  </Disclosure>
);
