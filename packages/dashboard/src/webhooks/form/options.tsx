import { Stack, Switch } from '@mantine/core';
import { useRef, useState } from 'react';
import type { Schemas } from '../../api/types.js';
import { Disclosure } from '../../ui/disclosure.js';
import { controlOf, type WebhookFormState } from './control.js';
import { FilterField } from './filter-field.js';
import { proposed, type SettingName } from './form-values.js';
import { PairsField } from './pairs-field.js';
import { SendingFields } from './sending-fields.js';

export interface OptionsProps {
  readonly form: WebhookFormState;
  readonly catalogue: readonly Schemas['EventType'][];
}

/** Options that most webhooks leave at their defaults. A group is unfolded when an option in it is set or wrong. */
export function Options({ form, catalogue }: OptionsProps) {
  const { headers, metadata, filter, events } = form.values;
  const differs = useDiffers(form);
  return (
    <div>
      <Disclosure
        summary={filter.trim() === '' ? 'Filter: every event passes' : 'Filter'}
        open={differs(['filter'])}
      >
        <FilterField
          catalogue={catalogue}
          events={events}
          {...form.getInputProps('filter')}
          value={filter}
        />
      </Disclosure>
      <Disclosure
        summary="Order, rate and retries"
        open={differs(['ordered', 'rate_limit', 'retries', 'retry_schedule'])}
      >
        <SendingFields form={form} />
      </Disclosure>
      <Disclosure
        summary={`Headers: ${headers.length || 'none'}`}
        open={differs(['headers', 'trace_context'])}
      >
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
      </Disclosure>
      <Disclosure summary={`Metadata: ${metadata.length || 'none'}`} open={differs(['metadata'])}>
        <PairsField
          description="Your own labels, such as team: mail. They don’t affect what is sent."
          one="entry"
          {...controlOf(form, 'metadata')}
        />
      </Disclosure>
    </div>
  );
}

/**
 * Returns whether one of these fields was set when the form was opened, or was wrong since. An unfolded group stays
 * so while the user types.
 */
function useDiffers(form: WebhookFormState) {
  const [initial] = useState(form.values);
  const wrong = useRef(new Set<string>());
  for (const field of Object.keys(form.errors)) wrong.current.add(field);
  const empty = proposed([]);
  return (fields: readonly SettingName[]): boolean =>
    fields.some(
      (field) =>
        wrong.current.has(field) || JSON.stringify(initial[field]) !== JSON.stringify(empty[field]),
    );
}
