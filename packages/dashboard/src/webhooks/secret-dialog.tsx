import { SecretDialog } from '../ui/secret-dialog.js';

export interface WebhookSecretDialogProps {
  /** Secret to show; undefined: the dialog is closed. */
  readonly secret: string | undefined;
  readonly onDone: () => void;
}

export const WebhookSecretDialog = (props: WebhookSecretDialogProps) => (
  <SecretDialog title="Saved. Copy the secret now" name="Secret" copy="Copy secret" {...props}>
    Give it to the receiver, which checks our signatures with it.
  </SecretDialog>
);
