import { Link } from '@tanstack/react-router';
import { TABS, type Tab } from './tabs.js';
import classes from './webhooks.module.css';

/** Links, because each tab has an address: back and reload keep it. */
export const WebhookTabs = ({ webhookId }: { readonly webhookId: string }) => (
  <nav className={classes['tabs']} aria-label="Webhook">
    <Link
      to="/webhooks/$webhookId"
      params={{ webhookId }}
      activeOptions={{ exact: true }}
      resetScroll={false}
    >
      Overview
    </Link>
    {(Object.keys(TABS) as Tab[]).map((tab) => (
      <Link
        key={tab}
        to="/webhooks/$webhookId"
        params={{ webhookId }}
        search={{ tab }}
        resetScroll={false}
      >
        {TABS[tab]}
      </Link>
    ))}
  </nav>
);
