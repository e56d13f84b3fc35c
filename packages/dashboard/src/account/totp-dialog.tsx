import { Code, Group, Stack, Text, TextInput } from '@mantine/core';
import { isNotEmpty, useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { QRCodeSVG } from 'qrcode.react';
import { CopyButton } from '../ui/copy-button.js';
import { FormDialog } from '../ui/form-dialog.js';
import { FormProblem } from '../ui/form-problem.js';
import { useDialogForm } from '../ui/use-submit.js';
import { confirmTotp, type OfferedTotp } from './factor-queries.js';

const QR_PX = 200;
const QR_MARGIN = 4; // ISO/IEC 18004: the quiet zone, in modules.

export interface TotpDialogProps {
  readonly opened: boolean;
  readonly offered: OfferedTotp | undefined;
  readonly onClose: () => void;
  readonly onDone: (recoveryCodes: readonly string[] | undefined) => void;
}

export function TotpDialog({ opened, offered, onClose, onDone }: TotpDialogProps) {
  const queries = useQueryClient();
  const form = useForm({
    initialValues: { code: '' },
    validate: { code: isNotEmpty('Enter the code the app shows.') },
  });
  const { error, dialog } = useDialogForm(form, {
    send: ({ code }) => confirmTotp(queries, code),
    onSuccess: onDone,
    onClose,
  });

  return (
    <FormDialog title="Set up an authenticator app" action="Confirm" opened={opened} {...dialog}>
      {offered && (
        <Stack align="center" gap="xs">
          <Text size="sm">Scan this with the app, or type the secret into it.</Text>
          <QRCodeSVG
            value={offered.otpauth_uri}
            size={QR_PX}
            marginSize={QR_MARGIN}
            title="QR code for the authenticator app"
          />
          <Group gap="xs" wrap="nowrap">
            <Code>{offered.secret}</Code>
            <CopyButton text={offered.secret} label="Copy secret" />
          </Group>
        </Stack>
      )}
      <FormProblem error={error} fields={['code']} />
      <TextInput
        label="Code"
        description="The six digits the app shows now."
        inputMode="numeric"
        autoComplete="one-time-code"
        data-autofocus
        required
        {...form.getInputProps('code')}
      />
    </FormDialog>
  );
}
