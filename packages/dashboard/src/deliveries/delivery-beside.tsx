import { CloseButton, Stack } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { LinkAnchor } from '../ui/links.js';
import classes from './deliveries.module.css';
import { DeliveryDetails } from './delivery-details.js';

/** A delivery beside the list, on a wide screen; Escape closes it. `open`: `wh_….dlv_…` */
export function DeliveryBeside({ open }: { readonly open: string }) {
  const [webhookId = '', deliveryId = ''] = open.split('.');
  const navigate = useNavigate();
  const close = () =>
    void navigate({
      to: '.',
      search: (search) => ({ ...search, open: undefined }),
      replace: true,
      resetScroll: false,
    });
  useHotkeys([['Escape', close]]);
  return (
    <section className={classes['pane']} aria-label="Open delivery">
      <Stack gap="sm">
        <div className={classes['paneHead']}>
          <LinkAnchor
            to="/webhooks/$webhookId/deliveries/$deliveryId"
            params={{ webhookId, deliveryId }}
            size="sm"
          >
            Open its page
          </LinkAnchor>
          <CloseButton aria-label="Close" onClick={close} />
        </div>
        <DeliveryDetails webhookId={webhookId} deliveryId={deliveryId} isBeside />
      </Stack>
    </section>
  );
}
