import { Button } from '@mantine/core';
import { saveText } from '../ui/save-file.js';
import { SecretDialog } from '../ui/secret-dialog.js';

export interface RecoveryCodesDialogProps {
  /** Codes to show; undefined: the dialog is closed. */
  readonly codes: readonly string[] | undefined;
  readonly onDone: () => void;
}

export function RecoveryCodesDialog({ codes, onDone }: RecoveryCodesDialogProps) {
  const text = codes?.join('\n');
  return (
    <SecretDialog
      title="Keep these recovery codes"
      name="Recovery codes"
      copy="Copy codes"
      secret={text}
      onDone={onDone}
    >
      If you lose your second factor, each code signs you in once.{' '}
      <Button
        variant="subtle"
        size="compact-sm"
        onClick={() => saveText('junction-recovery-codes.txt', 'text/plain', `${text}\n`)}
      >
        Download
      </Button>
    </SecretDialog>
  );
}
