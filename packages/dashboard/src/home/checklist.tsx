import { CloseButton, VisuallyHidden } from '@mantine/core';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { call } from '../api/client.js';
import { integrationsQuery } from '../model/integrations-query.js';
import { webhooksQuery } from '../model/webhook-queries.js';
import { sessionQuery } from '../session/session.js';
import { statisticsQuery } from '../statistics/statistics-queries.js';
import { IconCircleCheckFilled, IconCircleDashed } from '../ui/icons.js';
import { LinkAnchor } from '../ui/links.js';
import { Panel } from '../ui/panel.js';
import { PanelTitle, Quiet } from '../ui/text.js';
import classes from './checklist.module.css';
import { type Step, stepsOf } from './steps.js';

/**
 * Leads a new account to its first delivery. It goes away once that has arrived or its user closes it, and does not
 * come back: the account remembers it.
 */
export function Checklist() {
  const { data: user } = useQuery(sessionQuery);
  return user && !user.first_steps_closed ? <StepsOf key={user.id} /> : null;
}

function StepsOf() {
  const { mutate: close, isIdle: isOpen } = useClosing();
  const { data: integrations } = useQuery(integrationsQuery);
  const { data: webhooks } = useQuery(webhooksQuery);
  const { data: statistics } = useQuery(statisticsQuery(undefined, '24h'));
  const last = statistics?.last_attempt;
  const isRefused = last ? last.result !== 'succeeded' : false;
  const { data: hasAccepted } = useQuery({ ...acceptedQuery, enabled: isRefused });
  const steps =
    integrations && webhooks && last !== undefined
      ? stepsOf({
          hasConnected: integrations.length > 0,
          hasWebhook: webhooks.length > 0,
          isSent: last !== null,
          isAccepted: last !== null && (!isRefused || hasAccepted === true),
        })
      : undefined;
  const next = steps?.find(({ isDone }) => !isDone);
  const isComplete = steps !== undefined && next === undefined;
  useEffect(() => {
    if (isComplete) close();
  }, [isComplete, close]);
  if (!isOpen || !webhooks || !steps || !next) return null;
  const done = steps.filter(({ isDone }) => isDone).length;

  return (
    <Panel aria-labelledby="start-title">
      <div className={classes['head']}>
        <PanelTitle id="start-title">Get started</PanelTitle>
        <Quiet role="status">
          {done} of {steps.length} done
        </Quiet>
        <CloseButton aria-label="Close for good" onClick={() => close()} />
      </div>
      <ol className={classes['steps']}>
        {steps.map((step) => (
          <li key={step.name} data-state={stateOf(step, next)}>
            <StepIcon isDone={step.isDone} />
            <div>
              {step === next ? (
                <StepLink step={step} webhookId={webhooks[0]?.webhook_id} />
              ) : (
                step.title
              )}
              <VisuallyHidden>{step.isDone ? ', done' : ', to do'}</VisuallyHidden>
              <div className={classes['hint']}>{step.hint}</div>
            </div>
          </li>
        ))}
      </ol>
    </Panel>
  );
}

/** Whether a receiver has accepted anything, where its last answer does not say so. */
const acceptedQuery = queryOptions({
  queryKey: ['deliveries', 'accepted'],
  queryFn: async ({ signal }) => {
    const params = { query: { status: 'succeeded', limit: 1 } };
    return (await call('get', '/api/deliveries', { params, signal })).items.length > 0;
  },
});

function useClosing() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => call('patch', '/api/auth/me', { body: { first_steps_closed: true } }),
    onSuccess: ({ user }) => queries.setQueryData(sessionQuery.queryKey, user),
  });
}

const stateOf = (step: Step, next: Step): string =>
  step.isDone ? 'done' : step === next ? 'next' : 'later';

const StepIcon = ({ isDone }: { readonly isDone: boolean }) => {
  const Icon = isDone ? IconCircleCheckFilled : IconCircleDashed;
  return <Icon size={22} stroke={1.7} aria-hidden />;
};

interface StepLinkProps {
  readonly step: Step;
  readonly webhookId: string | undefined;
}

function StepLink({ step: { name, title }, webhookId }: StepLinkProps) {
  if (name === 'connect')
    return (
      <LinkAnchor to="/integrations" inherit>
        {title}
      </LinkAnchor>
    );
  if (webhookId === undefined)
    return (
      <LinkAnchor to="/webhooks/new" inherit>
        {title}
      </LinkAnchor>
    );
  return (
    <LinkAnchor to="/webhooks/$webhookId" params={{ webhookId }} inherit>
      {title}
    </LinkAnchor>
  );
}
