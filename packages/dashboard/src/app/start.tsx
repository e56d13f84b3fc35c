import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createQueryClient } from '../api/query-client.js';
import { sessionQuery } from '../session/session.js';
import { createAppRouter } from './router.js';
import { theme } from './theme.js';

const queries = createQueryClient(() => {
  queries.setQueryData(sessionQuery.queryKey, null);
  void router.invalidate(); // the router finds no session, and leads to sign-in and back
});
const router = createAppRouter(queries);

/** Resolves when the page of the address can be shown. */
export const firstPage = (): Promise<void> => router.load();

export function App() {
  return (
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
  );
}
