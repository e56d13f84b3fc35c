import { Anchor, Checkbox, Code, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schemas } from '../../api/types.js';
import {
  ALL_KINDS,
  choicesOf,
  groupsOf,
  labelOfChoice,
  ordinaryKinds,
  tickedBy,
  unknownChoices,
} from '../../model/event-kinds.js';
import { Disclosure } from '../../ui/disclosure.js';
import classes from './form.module.css';

export interface KindsFieldProps {
  readonly catalogue: readonly Schemas['EventType'][];
  readonly value?: string[];
  readonly onChange?: (events: string[]) => void;
  readonly error?: ReactNode;
  /** Path by which the form finds the field to focus. */
  readonly 'data-path'?: string;
}

/** A box for each kind of the catalogue and each wildcard, and for unknown choices of the webhook. */
export function KindsField({ catalogue, value = [], onChange, error, ...marked }: KindsFieldProps) {
  const ordinary = ordinaryKinds(catalogue);
  const ticked = tickedBy(value, catalogue);
  const hasAll = ordinary.every((type) => ticked.includes(type));
  const tick = (ticked: readonly string[]) => onChange?.(choicesOf(ticked, value, catalogue));
  const others = ticked.filter((choice) => !ordinary.includes(choice));
  const groups = groupsOf(catalogue.map(({ event_type: type }) => type));
  const unknown = unknownChoices(value, catalogue);
  const notices = catalogue.filter((entry) => entry.notice);
  const onRequest = catalogue.filter((entry) => entry.opt_in && !entry.notice);
  const chosenOf = (choices: readonly string[]) =>
    choices.filter((choice) => ticked.includes(choice)).length || 'none';
  const chosenAmong = (entries: readonly Schemas['EventType'][]) =>
    chosenOf(entries.map(({ event_type: type }) => type));

  return (
    <Checkbox.Group
      label="Events"
      description="The kinds of events sent to this address."
      required
      value={ticked}
      onChange={tick}
      error={error}
    >
      <Stack gap="md" mt="md">
        <div className={classes['kinds']}>
          {catalogue
            .filter((entry) => !entry.opt_in)
            .map((entry, index) => (
              <Kind
                key={entry.event_type}
                entry={entry}
                {...(index === 0 && { 'data-path': marked['data-path'] })}
              />
            ))}
        </div>
        <Anchor
          component="button"
          type="button"
          size="sm"
          ta="start"
          onClick={() => tick(hasAll ? others : [...new Set([...ticked, ...ordinary])])}
        >
          {hasAll ? 'Select none' : 'Select all'}
        </Anchor>
        <Choice
          choice={ALL_KINDS}
          description="New kinds are included as they appear, so you never have to come back here."
        />
        <div>
          {onRequest.length > 0 && (
            <Disclosure summary={`Only when ticked here: ${chosenAmong(onRequest)}`}>
              <Kinds entries={onRequest} />
            </Disclosure>
          )}
          <Disclosure
            summary={`Notices about your connections and webhooks: ${chosenAmong(notices)}`}
          >
            <Kinds entries={notices} />
          </Disclosure>
          <Disclosure summary={`Whole groups, including later kinds: ${chosenOf(groups)}`}>
            <Stack gap="md">
              {groups.map((group) => (
                <Choice key={group} choice={group} />
              ))}
            </Stack>
          </Disclosure>
        </div>
        {unknown.length > 0 && (
          <>
            <Text size="sm" fw={500}>
              Other kinds, not known to this page
            </Text>
            {unknown.map((choice) => (
              <Choice key={choice} choice={choice} />
            ))}
          </>
        )}
      </Stack>
    </Checkbox.Group>
  );
}

const Kinds = ({ entries }: { readonly entries: readonly Schemas['EventType'][] }) => (
  <Stack gap="md">
    {entries.map((entry) => (
      <Kind key={entry.event_type} entry={entry} />
    ))}
  </Stack>
);

const Kind = ({
  entry: { event_type: type, description },
  ...marked
}: {
  readonly entry: Schemas['EventType'];
  readonly 'data-path'?: string | undefined;
}) => <Choice choice={type} description={description} {...marked} />;

interface ChoiceProps {
  readonly choice: string;
  readonly description?: string;
  readonly 'data-path'?: string | undefined;
}

const Choice = ({ choice, ...more }: ChoiceProps) => (
  <Checkbox
    value={choice}
    label={
      <Group gap="xs">
        {labelOfChoice(choice)} <Code>{choice}</Code>
      </Group>
    }
    {...more}
  />
);
