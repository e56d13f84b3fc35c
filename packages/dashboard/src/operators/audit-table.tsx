import { RelativeTime } from '../ui/relative-time.js';
import { StatusBadge } from '../ui/status-badge.js';
import type { Tone } from '../ui/tone.js';
import { WideTable } from '../ui/wide-table.js';
import type { Access } from './operator-queries.js';

const TONES: Readonly<Record<string, Tone>> = { failed: 'waiting', refused: 'bad' };

/** Looks, changes and refused attempts of everybody, the newest first. */
export const AuditTable = ({ accesses }: { readonly accesses: readonly Access[] }) => (
  <WideTable label="Audit" columns={['When', 'Who', 'What', 'Outcome']}>
    {accesses.map((access, index) => (
      <tr key={`${access.at} ${index}`}>
        <td>
          <RelativeTime at={access.at} />
        </td>
        <td>
          <code>{access.actor.id}</code>
        </td>
        <td data-wraps>{access.method}</td>
        <td data-wraps>
          <StatusBadge tone={TONES[access.outcome] ?? 'good'}>{access.outcome}</StatusBadge>
          {access.code !== null && ` ${access.code.replaceAll('_', ' ')}`}
          {access.attempts > 1 && `, ${access.attempts} times`}
        </td>
      </tr>
    ))}
  </WideTable>
);
