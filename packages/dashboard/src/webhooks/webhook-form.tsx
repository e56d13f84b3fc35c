import { Button, Group, Stack, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type ReactNode, useEffect, useState } from 'react';
import { fieldErrors } from '../api/problem.js';
import { FormProblem } from '../ui/form-problem.js';
import { Panel } from '../ui/panel.js';
import type { WebhookFormValues } from './form-changes.js';
import { KindsField } from './kinds-field.js';
import { secretProblem } from './new-secret.js';
import { SecretField } from './secret-field.js';

export interface WebhookFormProps {
  readonly initial: WebhookFormValues;
  readonly hasSecret: boolean;
  readonly action: string;
  readonly pending: boolean;
  readonly error: unknown;
  readonly onSubmit: (values: WebhookFormValues) => void;
  /** The way out, beside the button that saves. */
  readonly cancel: ReactNode;
}

const FIELDS = ['url', 'events', 'secret'];

const urlProblem = (url: string): string | null =>
  URL.canParse(url) ? null : 'Enter the full address, such as https://example.com/webhook.';

export function WebhookForm(props: WebhookFormProps) {
  const { initial, hasSecret, action, pending, error, onSubmit, cancel } = props;
  const form = useForm<WebhookFormValues>({
    initialValues: initial,
    validate: {
      url: urlProblem,
      events: (events) => (events.length === 0 ? 'Choose at least one kind of event.' : null),
      secret: (secret, { secretChoice }) => (secretChoice === 'own' ? secretProblem(secret) : null),
    },
  });
  const { setErrors } = form;
  const [getInputNode] = useState(() => form.getInputNode); // another at each render, all alike
  useEffect(() => {
    const errors = fieldErrors(error);
    setErrors(errors);
    getInputNode(Object.keys(errors)[0] ?? '')?.focus();
  }, [error, setErrors, getInputNode]);

  return (
    <form
      noValidate
      onSubmit={form.onSubmit(onSubmit, (errors) =>
        form.getInputNode(Object.keys(errors)[0] ?? '')?.focus(),
      )}
    >
      <Stack gap="lg">
        <Panel>
          <TextInput
            label="URL"
            description="HTTPS, on the public internet, without user name and password. Redirects are not followed."
            placeholder="https://example.com/webhook"
            type="url"
            inputMode="url"
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            required
            {...form.getInputProps('url')}
          />
        </Panel>
        <Panel>
          <KindsField {...form.getInputProps('events')} />
        </Panel>
        <Panel>
          <SecretField
            hasSecret={hasSecret}
            choice={form.values.secretChoice}
            onChoice={(choice) => form.setFieldValue('secretChoice', choice)}
            own={form.getInputProps('secret')}
          />
        </Panel>
        <Panel>
          <Switch
            label="Enabled"
            description="While it is disabled, events are held: they are listed, but not sent."
            {...form.getInputProps('enabled', { type: 'checkbox' })}
          />
        </Panel>
        <FormProblem error={error} fields={FIELDS} />
        <Group justify="flex-end">
          {cancel}
          <Button type="submit" loading={pending}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
