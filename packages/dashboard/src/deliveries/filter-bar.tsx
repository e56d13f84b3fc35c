import { Button, NativeSelect } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { DELIVERY_STATUSES } from '../api/types.js';
import { EVENT_KINDS } from '../webhooks/event-kinds.js';
import classes from './deliveries.module.css';
import { STATUS_LABELS } from './delivery-words.js';
import { type DeliveryFilter, deliveryFilter } from './filter.js';

const STATUSES = [
  { value: '', label: 'Every status' },
  ...DELIVERY_STATUSES.map((value) => ({ value, label: STATUS_LABELS[value] })),
];
const KINDS = [
  { value: '', label: 'Every kind' },
  ...EVENT_KINDS.map(({ type, label }) => ({ value: type, label })),
];

/** Chooses by changing the address of the page, where the filter is kept. */
export function FilterBar({ filter }: { readonly filter: DeliveryFilter }) {
  const navigate = useNavigate();
  const { status = '', kind = '' } = filter;
  const choose = (search: DeliveryFilter) =>
    void navigate({ to: '.', search, replace: true, resetScroll: false });

  return (
    <div className={classes['filter']}>
      <NativeSelect
        label="Status"
        data={STATUSES}
        value={status}
        onChange={({ currentTarget: { value } }) => choose(deliveryFilter({ kind, status: value }))}
      />
      <NativeSelect
        label="Kind of event"
        data={KINDS}
        value={kind}
        onChange={({ currentTarget: { value } }) => choose(deliveryFilter({ status, kind: value }))}
      />
      {(status || kind) && (
        <Button variant="subtle" onClick={() => choose({})}>
          Clear filter
        </Button>
      )}
    </div>
  );
}
