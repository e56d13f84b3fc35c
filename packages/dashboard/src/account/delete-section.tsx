import { Button } from '@mantine/core';
import { useState } from 'react';
import { lazyDialog } from '../ui/lazy-dialog.js';
import { Section } from './section.js';

const DeleteDialog = lazyDialog(async () => (await import('./delete-dialog.js')).DeleteDialog);

export function DeleteSection() {
  const [asking, setAsking] = useState(false);
  return (
    <Section
      title="Delete your account"
      hint="You get a receipt of what was deleted."
      action={
        <Button variant="subtle" color="red" onClick={() => setAsking(true)}>
          Delete account
        </Button>
      }
    >
      <DeleteDialog opened={asking} onClose={() => setAsking(false)} />
    </Section>
  );
}
