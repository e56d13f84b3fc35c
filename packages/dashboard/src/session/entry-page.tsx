import type { ReactNode } from 'react';
import { Logo } from '../ui/logo.js';
import classes from './entry-page.module.css';
import { EntryPicture } from './entry-picture.js';

export interface EntryPageProps {
  readonly children: ReactNode;
  /** Link to another way, below the form. */
  readonly footer?: ReactNode;
  /** Whether a picture says what this is, to those who come for the first time. */
  readonly hasPicture?: boolean;
}

/** The frame around a page that needs no session: sign-in, sign-up, and the pages that mails link to. */
export const EntryPage = ({ children, footer, hasPicture = false }: EntryPageProps) => (
  <main className={classes['page']}>
    <div>
      <Logo />
      <p>
        Your mailbox and calendar connected, your webhooks signed. <a href="/docs">Read the docs</a>
      </p>
      {hasPicture && <EntryPicture />}
    </div>
    <div className={classes['card']}>{children}</div>
    {footer && <div className={classes['footer']}>{footer}</div>}
  </main>
);
