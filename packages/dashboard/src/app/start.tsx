import './mantine.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { resumeBy } from '../api/client.js';
import { createQueryClient } from '../api/query-client.js';
import { resumeSession, shareSession } from '../session/resume.js';
import { createAppRouter } from './router.js';
import { theme } from './theme.js';

/**
 * Milliseconds for which the frame waits alone for the first page. After them the app says that it is loading: a
 * service may be down.
 */
const FRAME_ALONE_MS = 1_000;

/**
 * Shows the page of the address. The frame of index.html stays until the first page is there, because rendering
 * earlier would replace the frame with emptiness.
 */
export async function start(root: Element): Promise<void> {
  const queries = createQueryClient();
  const router = createAppRouter({ queries, pages: 'all', session: shareSession(queries) });
  resumeBy(resumeSession(queries));
  // The script of the page comes while the session is asked for.
  const [matched] = router.getMatchedRoutes(router.latestLocation.pathname);
  for (const { options } of matched) {
    void options.component?.preload?.();
  }
  await Promise.race([
    router.load(),
    new Promise((resolve) => setTimeout(resolve, FRAME_ALONE_MS)),
  ]);
  createRoot(root).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        defaultColorScheme="auto"
        withCssVariables={false}
        withGlobalClasses={false}
      >
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
}
