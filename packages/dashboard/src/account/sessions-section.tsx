import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Session } from '../api/types.js';
import { FormProblem } from '../ui/form-problem.js';
import { RelativeTime } from '../ui/relative-time.js';
import { StatusBadge } from '../ui/status-badge.js';
import { endSession, sessionsQuery } from './account-queries.js';
import { Item, ItemList } from './item-list.js';
import { Section } from './section.js';

export function SessionsSection() {
  const queries = useQueryClient();
  const sessions = useQuery(sessionsQuery);
  const [notice, setNotice] = useState<string>();
  const end = useMutation({
    mutationFn: (session: Session | undefined) => endSession(queries, session?.id),
    onSuccess: (_result, session) =>
      setNotice(
        session ? `${nameOf(session)} was signed out.` : 'Your other sessions were signed out.',
      ),
  });
  const hasOthers = sessions.data?.some((session) => !session.is_current) ?? false;

  return (
    <Section
      title="Sessions"
      hint="Where you are signed in. A session you end stops working within a second."
      notice={notice}
      onNoticeClosed={() => setNotice(undefined)}
      action={
        hasOthers && (
          <Button variant="default" onClick={() => end.mutate(undefined)}>
            Sign out all others
          </Button>
        )
      }
    >
      <FormProblem error={end.error} fields={[]} />
      <ItemList query={sessions} empty="No session.">
        {(session) => (
          <SessionItem
            key={session.id}
            session={session}
            ending={end.isPending && end.variables?.id === session.id}
            onEnd={() => end.mutate(session)}
          />
        )}
      </ItemList>
    </Section>
  );
}

interface SessionItemProps {
  readonly session: Session;
  readonly ending: boolean;
  readonly onEnd: () => void;
}

/** This session has no button: to end it is to sign out, which the menu does. */
const SessionItem = ({ session, ending, onEnd }: SessionItemProps) => (
  <Item
    title={nameOf(session)}
    mark={session.is_current && <StatusBadge tone="good">This session</StatusBadge>}
    actions={
      !session.is_current && (
        <Button
          variant="subtle"
          color="red"
          loading={ending}
          aria-label={`End the session ${nameOf(session)}`}
          onClick={onEnd}
        >
          End
        </Button>
      )
    }
  >
    Signed in <RelativeTime at={session.started_at} />, last used{' '}
    <RelativeTime at={session.last_used_at} />
  </Item>
);

const nameOf = ({ device }: Session): string =>
  (device ?? 'unknown device').replace(/^unknown/, 'Unknown');
