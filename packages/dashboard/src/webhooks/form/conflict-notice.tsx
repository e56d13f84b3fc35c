import { Button, Text } from '@mantine/core';
import { Alert } from '../../ui/form-problem.js';
import { WideTable } from '../../ui/wide-table.js';
import type { ChangedElsewhere } from './conflict.js';

export interface ConflictNoticeProps {
  readonly changes: readonly ChangedElsewhere[];
  /** Takes what is saved into the form. */
  readonly onTakeSaved: () => void;
}

/** Both versions of a webhook that was changed elsewhere since its form was opened: neither replaces the other yet. */
export const ConflictNotice = ({ changes, onTakeSaved }: ConflictNoticeProps) => (
  <Alert title="This webhook was changed meanwhile">
    <Text size="sm">
      Somebody saved it in another place after you opened this form, so nothing of yours is saved
      yet. Save again to keep your version; what you did not touch stays as it is saved.
    </Text>
    {changes.length > 0 ? (
      <WideTable label="Both versions" columns={['Setting', 'Saved meanwhile', 'Yours']}>
        {changes.map(({ label, saved, mine }) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            <td data-wraps>{saved}</td>
            <td data-wraps>{mine}</td>
          </tr>
        ))}
      </WideTable>
    ) : (
      <Text size="sm">
        The change is none of the settings here: its secret, the value of a header, or a pause.
      </Text>
    )}
    <div>
      <Button variant="default" size="xs" mt="xs" onClick={onTakeSaved}>
        Use what is saved
      </Button>
    </div>
  </Alert>
);
