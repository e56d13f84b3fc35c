import { Button, type MantineColorSchemeManager, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { setAccess } from '../api/client.js';
import { openStreamsBy } from '../api/event-stream.js';
import { createQueryClient } from '../api/query-client.js';
import type { PortalSession } from '../api/types.js';
import { AppearanceContext } from '../app/portal-frame.js';
import { createAppRouter } from '../app/router.js';
import { theme } from '../app/theme.js';
import { MessagePage } from '../ui/message-page.js';
import { wearAccent } from './appearance.js';
import { authorizedStream } from './authorized-stream.js';
import { portalAccess } from './portal-access.js';

/** The frame of another product keeps nothing in the browser, and a choice has nobody to make it. */
const NOTHING_KEPT: MantineColorSchemeManager = {
  get: (fallback) => fallback,
  set: () => {},
  subscribe: () => {},
  unsubscribe: () => {},
  clear: () => {},
};

export type Opened = PortalSession | 'alone' | 'no_link' | 'elsewhere';

export interface PortalProps {
  readonly opened: Opened | 'unreachable';
  /** Tries again to open it. */
  readonly open: () => Promise<Opened | 'unreachable'>;
}

/** The webhook pages in the frame of another product. */
export function Portal({ opened: first, open }: PortalProps) {
  const [opened, setOpened] = useState(first);
  if (typeof opened === 'object') return <OpenPortal session={opened} />;
  return (
    <Dressed scheme="auto">
      <main className="frame-main">
        {opened === 'unreachable' ? (
          <MessagePage
            title="The webhooks cannot be reached right now"
            action={<Button onClick={() => void open().then(setOpened)}>Try again</Button>}
          >
            It may help to wait a moment.
          </MessagePage>
        ) : (
          <Closed why={opened} />
        )}
      </main>
    </Dressed>
  );
}

function OpenPortal({ session }: { readonly session: PortalSession }) {
  const [hasEnded, setEnded] = useState(false);
  const [parts] = useState(() => {
    const end = () => {
      queries.clear();
      setEnded(true);
      // No more than that it is over, and to nobody but the page that the link was made for.
      parent.postMessage({ type: 'junction.portal.ended' }, session.origin);
    };
    const queries = createQueryClient();
    setAccess(portalAccess(session, end));
    openStreamsBy(authorizedStream);
    wearAccent(session.appearance);
    return { queries, router: createAppRouter({ queries, pages: 'portal' }) };
  });
  return (
    <Dressed scheme={session.appearance.color_scheme}>
      <AppearanceContext value={session.appearance}>
        {hasEnded ? (
          <main className="frame-main">
            <Closed why="no_link" />
          </main>
        ) : (
          <QueryClientProvider client={parts.queries}>
            <RouterProvider router={parts.router} />
          </QueryClientProvider>
        )}
      </AppearanceContext>
    </Dressed>
  );
}

const WORDS = {
  alone: {
    title: 'This page belongs inside another one',
    text: 'It shows webhooks within the product that you use. Open it from there.',
  },
  no_link: {
    title: 'This page has ended',
    text: 'For your safety it stays open for an hour at most. Load the page around it again.',
  },
  elsewhere: {
    title: 'This page was made for another site',
    text: 'It opens only on the site that asked for it.',
  },
} as const;

const Closed = ({ why }: { readonly why: keyof typeof WORDS }) => (
  <MessagePage title={WORDS[why].title}>{WORDS[why].text}</MessagePage>
);

interface DressedProps {
  readonly scheme: PortalSession['appearance']['color_scheme'];
  readonly children: ReactNode;
}

const Dressed = ({ scheme, children }: DressedProps) => (
  <MantineProvider
    theme={theme}
    defaultColorScheme={scheme}
    colorSchemeManager={NOTHING_KEPT}
    withCssVariables={false}
    withGlobalClasses={false}
  >
    {children}
  </MantineProvider>
);
