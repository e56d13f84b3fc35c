import { ActionIcon, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { wordsFor } from '../ui/form-problem.js';
import { IconSearch } from '../ui/icons.js';
import { findDelivery } from './delivery-queries.js';
import { type DeliveryFilter, idIn } from './filter.js';

export interface SearchFieldProps {
  readonly filter: DeliveryFilter;
  readonly choose: (changes: object) => void;
}

/**
 * A text or the id of a message becomes the filter, a delivery is gone to. An id may stand in anything that is pasted:
 * a header, a line of a log.
 */
export function SearchField({ filter, choose }: SearchFieldProps) {
  const navigate = useNavigate();
  const [text, setText] = useState(filter.message_id ?? filter.text ?? '');
  const find = useMutation({
    mutationFn: async () => {
      const id = idIn(text);
      if (!id?.startsWith('dlv_')) {
        return choose({ message_id: id, text: id === undefined ? text : undefined });
      }
      const delivery = await findDelivery(id);
      if (!delivery) throw new Error('No delivery has this ID.');
      const { webhook_id: webhookId, delivery_id: deliveryId } = delivery;
      await navigate({
        to: '/webhooks/$webhookId/deliveries/$deliveryId',
        params: { webhookId, deliveryId },
      });
    },
  });

  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        find.mutate();
      }}
    >
      <TextInput
        type="search"
        aria-label="Text or ID"
        placeholder="Text or ID"
        value={text}
        error={find.error && wordsFor(find.error)}
        onChange={({ currentTarget: { value } }) => setText(value)}
        rightSection={
          <ActionIcon
            type="submit"
            variant="subtle"
            color="gray"
            aria-label="Search"
            loading={find.isPending}
          >
            <IconSearch size={16} />
          </ActionIcon>
        }
      />
    </form>
  );
}
