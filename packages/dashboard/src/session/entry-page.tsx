import type { ReactNode } from 'react';
import { Logo } from '../ui/logo.js';
import classes from './entry-page.module.css';

export interface EntryPageProps {
  readonly children: ReactNode;
  /** Link to another way, below the form. */
  readonly footer?: ReactNode;
}

/** The frame around a page that needs no session: sign-in, sign-up, and the pages that mails link to. */
export const EntryPage = ({ children, footer }: EntryPageProps) => (
  <main className={classes['page']}>
    <div>
      <Logo />
      <p>
        Your mailbox and calendar connected, your webhooks signed. <a href="/docs">Read the docs</a>
      </p>
    </div>
    <div className={classes['card']}>{children}</div>
    {footer && <div className={classes['footer']}>{footer}</div>}
  </main>
);
