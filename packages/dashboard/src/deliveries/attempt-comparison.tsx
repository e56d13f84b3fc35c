import { Group, NativeSelect, Stack } from '@mantine/core';
import { useState } from 'react';
import type { Attempt } from '../api/types.js';
import { Disclosure } from '../ui/disclosure.js';
import { Quiet } from '../ui/text.js';
import { WideTable } from '../ui/wide-table.js';
import { differencesOf } from './attempt-differences.js';

/** Two attempts of a delivery, by what differs between them: at first the last two. */
export function AttemptComparison({ attempts }: { readonly attempts: readonly Attempt[] }) {
  const [chosen, choose] = useState<readonly [number, number]>();
  const [one = 1, other = 2] = chosen ?? attempts.slice(-2).map(({ attempt }) => attempt);
  const numbers = attempts.map(({ attempt }) => ({
    value: String(attempt),
    label: `Attempt ${attempt}`,
  }));
  const [before, after] = [one, other].map((n) => attempts.find(({ attempt }) => attempt === n));
  const rows = before && after ? differencesOf(before, after) : [];
  return (
    <Disclosure summary="Compare two attempts">
      <Stack gap="sm">
        <Group gap="xs">
          <NativeSelect
            aria-label="Attempt"
            data={numbers}
            value={one}
            onChange={({ currentTarget: { value } }) => choose([Number(value), other])}
          />
          <NativeSelect
            aria-label="Attempt to compare it with"
            data={numbers}
            value={other}
            onChange={({ currentTarget: { value } }) => choose([one, Number(value)])}
          />
        </Group>
        {rows.length === 0 ? (
          <Quiet>These are alike.</Quiet>
        ) : (
          <WideTable
            label="Differences between two attempts"
            columns={['', `Attempt ${one}`, `Attempt ${other}`]}
          >
            {rows.map(({ name, values }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                {values.map((value, n) => (
                  <td key={n} data-wraps>
                    {value}
                  </td>
                ))}
              </tr>
            ))}
          </WideTable>
        )}
      </Stack>
    </Disclosure>
  );
}
