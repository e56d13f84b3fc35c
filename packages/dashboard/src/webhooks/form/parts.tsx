import { Stack, Switch, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schemas } from '../../api/types.js';
import { controlOf, type WebhookFormState } from './control.js';
import { FilterField } from './filter-field.js';
import type { SettingName } from './form-values.js';
import { KindsField } from './kinds-field.js';
import type { OwnSecretProps } from './own-secret.js';
import { PairsField } from './pairs-field.js';
import { SecretField } from './secret-field.js';
import { SendingFields } from './sending-fields.js';

export interface PartProps {
  readonly form: WebhookFormState;
  readonly catalogue: readonly Schemas['EventType'][];
  readonly hasSecret: boolean;
  /** Kinds and wildcards that the webhook gets, which a filter is tried with. */
  readonly events?: readonly string[];
}

interface PartOfForm {
  /** Settings that the part shows, in their order. */
  readonly names: readonly SettingName[];
  readonly fields: (props: PartProps) => ReactNode;
}

/** Parts of the form of a webhook. */
export const PARTS = {
  url: {
    names: ['url'],
    fields: ({ form }) => (
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
    ),
  },
  description: {
    names: ['description'],
    fields: ({ form }) => (
      <TextInput
        description="What this webhook is for. Only you see it."
        autoComplete="off"
        maxLength={500}
        {...controlOf(form, 'description')}
      />
    ),
  },
  events: {
    names: ['events'],
    fields: ({ form, catalogue }) => (
      <KindsField catalogue={catalogue} {...form.getInputProps('events')} />
    ),
  },
  filter: {
    names: ['filter'],
    fields: ({ form, catalogue, events = [] }) => (
      <FilterField
        catalogue={catalogue}
        events={events}
        {...form.getInputProps('filter')}
        value={form.values.filter}
      />
    ),
  },
  signing: {
    names: ['signature'],
    fields: ({ form, hasSecret }) => (
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
    ),
  },
  sending: {
    names: ['ordered', 'rate_limit', 'retries', 'retry_schedule'],
    fields: ({ form }) => <SendingFields form={form} />,
  },
  headers: {
    names: ['headers', 'trace_context'],
    fields: ({ form }) => (
      <Stack gap="lg">
        <PairsField
          description="Sent with every request. Values are stored encrypted and never shown again."
          one="header"
          {...controlOf(form, 'headers')}
        />
        <Switch
          description="Requests carry traceparent (W3C Trace Context) when their event is part of a trace."
          {...controlOf(form, 'trace_context')}
        />
      </Stack>
    ),
  },
  metadata: {
    names: ['metadata'],
    fields: ({ form }) => (
      <PairsField
        description="Your own labels, such as team: mail. They don’t affect what is sent."
        one="entry"
        {...controlOf(form, 'metadata')}
      />
    ),
  },
} as const satisfies Record<string, PartOfForm>;

export type Part = keyof typeof PARTS;

function ownSecretOf(form: WebhookFormState): OwnSecretProps {
  const { error, onChange: onSecret, ...others } = form.getInputProps('secret');
  return { ...others, error, onSecret, value: form.values.secret };
}
