import { Button, type ButtonProps, NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { labelOfKind } from '../model/event-kinds.js';
import { eventTypesQuery } from '../model/event-queries.js';
import { httpStatus } from '../model/result-words.js';
import { FilterRow } from '../ui/filter-row.js';
import { localTime, momentOf } from '../ui/local-time.js';
import { Toggle } from '../ui/toggle.js';
import { STATUS_LABELS } from './delivery-words.js';
import { type DeliveryFilter, deliveryFilter, FILTER_STATUSES, PERIODS } from './filter.js';
import { SearchField } from './search-field.js';

const FILTER_LABELS = {
  ...STATUS_LABELS,
  waiting: 'Waiting (pending, retrying)',
  held: 'Held, not sent again',
};
const STATUSES = [
  { value: '', label: 'Any status' },
  ...FILTER_STATUSES.map((value) => ({
    value,
    label: FILTER_LABELS[value],
  })),
];
const BETWEEN = 'between';
const TIMES = [
  { value: '', label: 'Any time' },
  ...Object.entries(PERIODS).map(([value, { label }]) => ({ value, label })),
  { value: BETWEEN, label: 'Between …' },
];
const HTTP_STATUSES = [400, 401, 403, 404, 408, 410, 413, 422, 429, 500, 502, 503, 504];
const RESPONSES = [
  { value: '', label: 'Any response' },
  ...['2xx', '3xx', '4xx', '5xx'].map((value) => ({ value, label: `Any ${value}` })),
];
const HOUR_MS = 3_600_000;

/** Changes the filter. What is typed leaves no step behind. */
type Choose = (changes: object, isTyped?: boolean) => void;

export interface FilterBarProps {
  readonly filter: DeliveryFilter;
  /** URL of each webhook to choose from; undefined when the list covers one webhook only. */
  readonly urls?: ReadonlyMap<string, string> | undefined;
}

/** Chooses by changing the address of the page, where the filter is kept. */
export function FilterBar({ filter, urls }: FilterBarProps) {
  const {
    status = '',
    event_type: kind = '',
    http_status: answered = '',
    webhook_id: webhookId = '',
  } = filter;
  const show = useShow();
  const choose: Choose = (changes, isTyped) =>
    show(deliveryFilter({ ...filter, cursor: undefined, ...changes }), isTyped);
  const isBetween = filter.from !== undefined || filter.to !== undefined;

  return (
    <FilterRow
      count={Object.keys(filter).filter((name) => name !== 'cursor' && name !== 'text').length}
      search={
        <SearchField key={filter.message_id ?? filter.text ?? ''} filter={filter} choose={choose} />
      }
    >
      <NativeSelect
        aria-label="Time"
        data={TIMES}
        value={isBetween ? BETWEEN : (filter.period ?? '')}
        onChange={({ currentTarget: { value } }) => choose(timeChosen(value))}
      />
      {isBetween && <Between filter={filter} choose={choose} />}
      <NativeSelect
        aria-label="Status"
        data={STATUSES}
        value={status}
        onChange={({ currentTarget: { value } }) => choose({ status: value })}
      />
      <NativeSelect
        aria-label="Kind of event"
        data={useKinds(kind)}
        value={kind}
        onChange={({ currentTarget: { value } }) => choose({ event_type: value })}
      />
      <NativeSelect
        aria-label="Response"
        data={responsesWith(String(answered))}
        value={String(answered)}
        onChange={({ currentTarget: { value } }) => choose({ http_status: value })}
      />
      {urls && (
        <NativeSelect
          aria-label="Webhook"
          data={[
            { value: '', label: 'Any webhook' },
            ...[...urls].map(([value, url]) => ({ value, label: url })),
          ]}
          value={webhookId}
          onChange={({ currentTarget: { value } }) => choose({ webhook_id: value })}
        />
      )}
    </FilterRow>
  );
}

export function ClearFilter(look: ButtonProps) {
  const show = useShow();
  return (
    <Button variant="subtle" size="xs" {...look} onClick={() => show({})}>
      Clear filter
    </Button>
  );
}

/** Shows and folds the deliveries of an event as one row. */
export function ByEvent({ isOn }: { readonly isOn: boolean }) {
  const navigate = useNavigate();
  const toggle = () =>
    void navigate({
      to: '.',
      search: (search) => ({ ...search, by: isOn ? undefined : 'event' }),
      resetScroll: false,
    });
  return (
    <Toggle isOn={isOn} onToggle={toggle}>
      By event
    </Toggle>
  );
}

/** Shows what the filter lets through, with the page where it is. Each choice is a step of history, typing is not. */
function useShow(): (filter: DeliveryFilter, isTyped?: boolean) => void {
  const navigate = useNavigate();
  return (filter, isTyped = false) =>
    void navigate({
      to: '.',
      search: ({ tab, by }) => ({ ...(tab && { tab }), ...(by && { by }), ...filter }),
      replace: isTyped,
      resetScroll: false,
    });
}

interface BetweenProps {
  readonly filter: DeliveryFilter;
  readonly choose: Choose;
}

const Between = ({ filter: { from, to }, choose }: BetweenProps) => (
  <>
    <TextInput
      type="datetime-local"
      label="From"
      value={localTime(from)}
      onChange={({ currentTarget: { value } }) => choose({ from: momentOf(value) }, true)}
    />
    <TextInput
      type="datetime-local"
      label="Until"
      value={localTime(to)}
      onChange={({ currentTarget: { value } }) => choose({ to: momentOf(value) }, true)}
    />
  </>
);

/** A span to begin with: the last hour, to be moved. */
function timeChosen(value: string): DeliveryFilter {
  const none = { period: undefined, from: undefined, to: undefined };
  if (value !== BETWEEN) return { ...none, ...deliveryFilter({ period: value }) };
  return { ...none, from: new Date(Date.now() - HOUR_MS).toISOString() };
}

/**
 * Returns the kinds to choose from. The kind in the page's address is included even when the catalogue does not know
 * it any more.
 */
function useKinds(chosen: string) {
  const { data } = useQuery(eventTypesQuery);
  const kinds = data?.items.map(({ event_type: kind }) => kind) ?? [];
  const known = chosen === '' || kinds.includes(chosen) ? kinds : [chosen, ...kinds];
  return [
    { value: '', label: 'Any kind' },
    ...known.map((value) => ({ value, label: labelOfKind(value) })),
  ];
}

function responsesWith(chosen: string) {
  const one = (status: number) => ({ value: String(status), label: httpStatus(status) });
  const options = [...RESPONSES, ...HTTP_STATUSES.map(one)];
  return options.some(({ value }) => value === chosen)
    ? options
    : [...options, one(Number(chosen))];
}
