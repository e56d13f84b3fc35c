import { ActionIcon, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { wordsFor } from '../ui/form-problem.js';
import { findDelivery } from './delivery-queries.js';
import { idIn } from './filter.js';

export interface FindByIdProps {
  /** What is filtered by already. */
  readonly messageId: string | undefined;
  readonly choose: (changes: object) => void;
}

/** A message becomes the filter, a delivery is gone to. The id may stand in anything that is pasted. */
export function FindById({ messageId = '', choose }: FindByIdProps) {
  const navigate = useNavigate();
  const [text, setText] = useState(messageId);
  const find = useMutation({
    mutationFn: async () => {
      const id = idIn(text);
      if (text.trim() === '') return choose({ message_id: undefined });
      if (id === undefined) throw new Error('Paste an ID that begins with msg_ or dlv_.');
      if (id.startsWith('msg_')) return choose({ message_id: id });
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
      onSubmit={(event) => {
        event.preventDefault();
        find.mutate();
      }}
    >
      <TextInput
        label="Message or delivery ID"
        placeholder="msg_… or dlv_…"
        value={text}
        error={find.error && wordsFor(find.error)}
        onChange={({ currentTarget: { value } }) => setText(value)}
        rightSection={
          <ActionIcon
            type="submit"
            variant="subtle"
            color="gray"
            aria-label="Find by ID"
            loading={find.isPending}
          >
            <IconSearch size={16} />
          </ActionIcon>
        }
      />
    </form>
  );
}
