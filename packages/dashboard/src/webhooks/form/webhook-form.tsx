import { Button, Group, Stack, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type ReactNode, useEffect, useState } from 'react';
import { fieldErrors } from '../../api/problem.js';
import type { Schemas } from '../../api/types.js';
import { FormFoot } from '../../ui/form-foot.js';
import { FormProblem } from '../../ui/form-problem.js';
import { Panel } from '../../ui/panel.js';
import { Unsaved } from '../../ui/unsaved.js';
import { controlOf, type WebhookFormState } from './control.js';
import { formProblems } from './form-problems.js';
import { SETTING_NAMES, type WebhookFormValues } from './form-values.js';
import { KindsField } from './kinds-field.js';
import { Options } from './options.js';
import type { OwnSecretProps } from './own-secret.js';
import { SecretField } from './secret-field.js';

export interface WebhookFormProps {
  readonly catalogue: readonly Schemas['EventType'][];
  readonly initial: WebhookFormValues;
  readonly hasSecret: boolean;
  readonly action: string;
  readonly pending: boolean;
  readonly error: unknown;
  /** Notice above the button that saves. */
  readonly notice?: ReactNode;
  readonly onSubmit: (values: WebhookFormValues) => void;
  /** The way out, beside the button that saves. */
  readonly cancel: ReactNode;
}

/** Fields in their order on the page, as far as it matters which of the wrong ones is the first. */
const FIELDS = ['url', 'description', 'events', 'secret', ...SETTING_NAMES];

/** The form with all settings of a webhook. */
export function WebhookForm(props: WebhookFormProps) {
  const { catalogue, initial, hasSecret, action, pending, error, notice, onSubmit, cancel } = props;
  const form = useForm<WebhookFormValues>({ initialValues: initial, validate: formProblems });
  const { setErrors } = form;
  const [getInputNode] = useState(() => form.getInputNode); // another at each render, all alike
  const [wrong, setWrong] = useState<object>({});
  useEffect(() => {
    const errors = fieldErrors(error);
    setErrors(errors);
    setWrong(errors);
  }, [error, setErrors]);
  // The effect runs after the group of the first wrong field was unfolded.
  useEffect(() => {
    const first = FIELDS.find((field) => field in wrong);
    if (first !== undefined) getInputNode(first)?.focus();
  }, [wrong, getInputNode]);

  return (
    <form noValidate onSubmit={form.onSubmit(onSubmit, setWrong)}>
      <Stack gap="lg">
        <Panel>
          <Address form={form} />
        </Panel>
        <Panel>
          <KindsField catalogue={catalogue} {...form.getInputProps('events')} />
        </Panel>
        <Panel>
          <Signing form={form} hasSecret={hasSecret} />
        </Panel>
        <Options form={form} catalogue={catalogue} />
        <Panel>
          <Switch
            description="While disabled, events are held: listed, but not sent."
            {...controlOf(form, 'enabled')}
          />
        </Panel>
        {notice}
        <FormFoot>
          <FormProblem error={error} fields={FIELDS} />
          <Group justify="flex-end">
            {cancel}
            <Button type="submit" loading={pending}>
              {action}
            </Button>
          </Group>
        </FormFoot>
        <Unsaved isDirty={form.isDirty()} />
      </Stack>
    </form>
  );
}

const Address = ({ form }: { readonly form: WebhookFormState }) => (
  <Stack gap="md">
    <TextInput
      description="A public https:// address, without a user name or password. We don’t follow redirects."
      placeholder="https://example.com/webhook"
      type="url"
      inputMode="url"
      autoComplete="off"
      autoCapitalize="off"
      spellCheck={false}
      required
      {...controlOf(form, 'url')}
    />
    <TextInput
      description="What this webhook is for. Only you see it."
      autoComplete="off"
      maxLength={500}
      {...controlOf(form, 'description')}
    />
  </Stack>
);

const Signing = ({
  form,
  hasSecret,
}: {
  readonly form: WebhookFormState;
  readonly hasSecret: boolean;
}) => (
  <Stack gap="lg">
    <SecretField
      hasSecret={hasSecret}
      choice={form.values.secretChoice}
      onChoice={(choice) => form.setFieldValue('secretChoice', choice)}
      own={ownSecretOf(form)}
    />
    <Switch
      description="Receivers verify this signature with the public keys at /.well-known/webhook-keys.json, without a shared secret."
      {...controlOf(form, 'signature')}
    />
  </Stack>
);

function ownSecretOf(form: WebhookFormState): OwnSecretProps {
  const { error, onChange: onSecret, ...others } = form.getInputProps('secret');
  return { ...others, error, onSecret, value: form.values.secret };
}
