import { Radio, Stack, Switch, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { Retries, WebhookFormValues } from './form-values.js';

const RETRIES: readonly { value: Retries; label: string; description: string }[] = [
  {
    value: 'standard',
    label: 'The standard schedule',
    description:
      'After 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h: for about three days.',
  },
  { value: 'own', label: 'My own schedule', description: 'Up to 20 retries, each within a day.' },
  { value: 'none', label: 'No retries', description: 'What fails once is given up.' },
];

/** In which order, how fast, and how often a webhook is called. */
export const SendingFields = ({
  form,
}: {
  readonly form: UseFormReturnType<WebhookFormValues>;
}) => (
  <Stack gap="lg">
    <Switch
      label="In order"
      description="One event after the other, as they came. While one is being retried, those after it wait."
      {...form.getInputProps('ordered', { type: 'checkbox' })}
    />
    <TextInput
      label="Requests a second, at most"
      description="From 1 to 1,000. Empty: as fast as the receiver answers."
      inputMode="numeric"
      autoComplete="off"
      maw={320}
      {...form.getInputProps('rate_limit')}
    />
    <Radio.Group label="Retries" {...form.getInputProps('retries')}>
      <Stack gap="md" mt="xs">
        {RETRIES.map((option) => (
          <Radio key={option.value} {...option} />
        ))}
      </Stack>
    </Radio.Group>
    {form.values.retries === 'own' && (
      <TextInput
        label="Time before each retry"
        description="With commas between them; up to a fifth is added to each."
        placeholder="5 s, 5 min, 2 h"
        autoComplete="off"
        required
        {...form.getInputProps('retry_schedule')}
      />
    )}
  </Stack>
);
