import { CloseButton, Stack } from '@mantine/core';
import { type HotkeyItem, useHotkeys } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import type { Delivery } from '../api/types.js';
import { LinkAnchor } from '../ui/links.js';
import classes from './deliveries.module.css';
import { DeliveryDetails } from './delivery-details.js';
import { openKey, usePanel } from './use-panel.js';

/** The handler says itself whether the key does what it does elsewhere. */
const UNTOUCHED = { preventDefault: false };

export interface DeliveryBesideProps {
  /** Delivery that is open, `wh_….dlv_…`. */
  readonly open: string;
  /** Deliveries of the list, in their order. */
  readonly deliveries: readonly Delivery[];
}

/**
 * A delivery beside the list, on a wide screen. It takes the focus, and gives it back to its row. The arrows, j and k
 * go to the rows below and above; Escape closes it.
 */
export function DeliveryBeside({ open, deliveries }: DeliveryBesideProps) {
  const [webhookId = '', deliveryId = ''] = open.split('.');
  const show = usePanel();
  const pane = useFocusOf(open);
  const go = (steps: number) => (event: KeyboardEvent) => {
    // A text that scrolls keeps the arrows, and so does the rest of the page.
    const { target } = event;
    const isHere = target instanceof Element && pane.current?.parentElement?.contains(target);
    if (!isHere || target.closest('pre')) return;
    const keys = deliveries.map(openKey);
    const next = keys[keys.indexOf(open) + steps];
    event.preventDefault();
    if (next === undefined) return;
    show(next);
    document.getElementById(next)?.scrollIntoView({ block: 'nearest' });
  };
  useHotkeys([
    ['Escape', () => show(undefined)],
    ...['ArrowDown', 'j'].map((key): HotkeyItem => [key, go(1), UNTOUCHED]),
    ...['ArrowUp', 'k'].map((key): HotkeyItem => [key, go(-1), UNTOUCHED]),
  ]);
  return (
    <section ref={pane} className={classes['pane']} aria-label="Open delivery" tabIndex={-1}>
      <Stack gap="sm" data-appears>
        <div className={classes['paneHead']}>
          <LinkAnchor
            to="/webhooks/$webhookId/deliveries/$deliveryId"
            params={{ webhookId, deliveryId }}
            size="sm"
          >
            Open its page
          </LinkAnchor>
          <CloseButton aria-label="Close" onClick={() => show(undefined)} />
        </div>
        <DeliveryDetails key={open} webhookId={webhookId} deliveryId={deliveryId} isBeside />
      </Stack>
    </section>
  );
}

function useFocusOf(open: string) {
  const pane = useRef<HTMLElement>(null);
  useEffect(() => {
    pane.current?.focus({ preventScroll: true });
    pane.current?.scrollTo(0, 0);
    return () => {
      document.getElementById(open)?.querySelector('a')?.focus({ preventScroll: true });
    };
  }, [open]);
  return pane;
}
