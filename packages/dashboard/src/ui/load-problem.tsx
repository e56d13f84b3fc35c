import { Button } from '@mantine/core';
import { isNotFound } from '../api/problem.js';
import { wordsFor } from './form-problem.js';
import { IconAlertTriangle } from './icons.js';
import { MessagePage } from './message-page.js';
import { NotFoundPage } from './not-found-page.js';

export interface LoadProblemProps {
  readonly error: unknown;
  readonly again: () => void;
}

/** Instead of what could not be read. An outage does not come here: it is waited for. */
export function LoadProblem({ error, again }: LoadProblemProps) {
  if (isNotFound(error)) return <NotFoundPage />;
  return (
    <MessagePage
      title="This could not be loaded"
      icon={<IconAlertTriangle size={40} stroke={1.4} aria-hidden />}
      action={<Button onClick={again}>Try again</Button>}
    >
      {wordsFor(error)}
    </MessagePage>
  );
}
