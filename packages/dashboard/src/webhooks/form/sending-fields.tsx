import { Radio, Stack, Switch, TextInput } from '@mantine/core';
import { controlOf, type WebhookFormState } from './control.js';
import type { Retries } from './form-values.js';

const RETRIES: readonly { value: Retries; label: string; description: string }[] = [
  {
    value: 'standard',
    label: 'Standard schedule',
    description:
      'After 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h – about three days in all.',
  },
  {
    value: 'own',
    label: 'Custom schedule',
    description: 'Up to 20 retries, each at most a day after the one before.',
  },
  { value: 'none', label: 'No retries', description: 'We give up after the first failed attempt.' },
];

/** The order, rate and retries of a webhook's requests. */
export const SendingFields = ({ form }: { readonly form: WebhookFormState }) => (
  <Stack gap="lg">
    <Switch
      description="Events are sent one at a time, in the order they arrived. While one is being retried, later ones wait."
      {...controlOf(form, 'ordered')}
    />
    <TextInput
      description="Requests per second, from 1 to 1,000. Leave empty for no limit."
      inputMode="numeric"
      autoComplete="off"
      maw={320}
      {...controlOf(form, 'rate_limit')}
    />
    <Radio.Group {...controlOf(form, 'retries')}>
      <Stack gap="md" mt="xs">
        {RETRIES.map((option) => (
          <Radio key={option.value} {...option} />
        ))}
      </Stack>
    </Radio.Group>
    {form.values.retries === 'own' && (
      <TextInput
        description="Separated by commas. We add up to 20% to each at random."
        placeholder="5 s, 5 min, 2 h"
        autoComplete="off"
        required
        {...controlOf(form, 'retry_schedule')}
      />
    )}
  </Stack>
);
