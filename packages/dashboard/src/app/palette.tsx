import { Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useId, useState } from 'react';
import { findDelivery } from '../deliveries/delivery-queries.js';
import { useAllWebhooks } from '../model/all-webhooks.js';
import { eventTypesQuery } from '../model/event-queries.js';
import { Breakable } from '../ui/breakable.js';
import { Dialog } from '../ui/dialog.js';
import { wordsFor } from '../ui/form-problem.js';
import { type Destination, destinationsOf } from './destinations.js';
import classes from './palette.module.css';

export interface PaletteProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Goes to any page, webhook, delivery or event by its name or id. */
export const Palette = ({ opened, onClose }: PaletteProps) => (
  <Dialog title="Go to" opened={opened} onClose={onClose}>
    <Search onClose={onClose} />
  </Dialog>
);

function Search({ onClose }: Pick<PaletteProps, 'onClose'>) {
  const navigate = useNavigate();
  const listId = useId();
  const webhooks = useAllWebhooks(true) ?? [];
  const { data: types } = useQuery(eventTypesQuery);
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const kinds = types?.items.map(({ event_type: kind }) => kind) ?? [];
  const found = destinationsOf(text, webhooks, kinds);
  const optionId = (index: number) => `${listId}-${index}`;
  const { mutate: go, error } = useMutation({
    mutationFn: async ({ to, deliveryId }: Destination) => {
      const place = deliveryId === undefined ? to : await placeOf(deliveryId);
      onClose();
      if (place) await navigate(place);
    },
  });
  const press = (event: KeyboardEvent) => {
    const steps = { ArrowDown: 1, ArrowUp: found.length - 1 }[event.key];
    const chosen = found[active];
    if (steps !== undefined) setActive((active + steps) % found.length);
    else if (event.key === 'Enter' && chosen) go(chosen);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <TextInput
        data-autofocus
        role="combobox"
        aria-label="Name or ID"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={optionId(active)}
        autoComplete="off"
        placeholder="Page, webhook, kind, or an ID"
        value={text}
        error={error && wordsFor(error)}
        onChange={({ currentTarget: { value } }) => {
          setText(value);
          setActive(0);
        }}
        onKeyDown={press}
      />
      <div id={listId} role="listbox" aria-label="Places" className={classes['list']}>
        {found.map((destination, index) => (
          <div
            key={`${destination.about} ${destination.label}`}
            id={optionId(index)}
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            onPointerMove={() => setActive(index)}
            onClick={() => go(destination)}
          >
            <bdi>
              <Breakable>{destination.label}</Breakable>
            </bdi>
            <Text span size="sm" c="var(--text-quiet)">
              {destination.about}
            </Text>
          </div>
        ))}
      </div>
    </>
  );
}

async function placeOf(deliveryId: string) {
  const delivery = await findDelivery(deliveryId);
  if (!delivery) throw new Error('No delivery has this ID.');
  const { webhook_id: webhookId } = delivery;
  return {
    to: '/webhooks/$webhookId/deliveries/$deliveryId',
    params: { webhookId, deliveryId },
  } as const;
}
