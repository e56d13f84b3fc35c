import { Button, Group, Stack, Text } from '@mantine/core';
import { useIsFetching, useQuery, useQueryClient } from '@tanstack/react-query';
import { factorsQuery } from '../account/factor-queries.js';
import { sessionQuery } from '../session/session.js';
import { IconLock, IconRefresh } from '../ui/icons.js';
import { LinkButton } from '../ui/links.js';
import { LoadProblem } from '../ui/load-problem.js';
import { LoadingPage } from '../ui/loading-page.js';
import { MessagePage } from '../ui/message-page.js';
import { PageTitle } from '../ui/text.js';
import { useTitle } from '../ui/use-title.js';
import { FailingWebhooksPanel } from './failing-webhooks.js';
import { NeedsFactor } from './needs-factor.js';
import { OPERATORS, SERVICES } from './operator-queries.js';
import { ServicePanel } from './service-panel.js';
import { UsersPanel } from './users-panel.js';

/** The state of the installation, in numbers and names. A masked address is the only data of a user. */
export function OperatorsPage() {
  useTitle('Operations');
  const { data: user } = useQuery(sessionQuery);
  return user?.role === 'operator' ? <WithFactor /> : <ForOperators />;
}

/** Refused attempts are recorded, so the page of an operator without a factor asks for nothing. */
function WithFactor() {
  const factors = useQuery(factorsQuery);
  if (factors.data === undefined) {
    return factors.error ? (
      <LoadProblem error={factors.error} again={() => void factors.refetch()} />
    ) : (
      <LoadingPage />
    );
  }
  const { totp, passkeys } = factors.data;
  return totp || passkeys.length > 0 ? <Operations /> : <NeedsFactor />;
}

/** The services answer nobody else, whatever a page shows. */
const ForOperators = () => (
  <MessagePage
    title="This page is for operators"
    icon={<IconLock size={40} stroke={1.4} aria-hidden />}
    action={<LinkButton to="/">Go to the start page</LinkButton>}
  >
    Ask an operator of this installation if you need access.
  </MessagePage>
);

function Operations() {
  const queries = useQueryClient();
  const isLooking = useIsFetching({ queryKey: [OPERATORS] }) > 0;
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="end">
        <div>
          <PageTitle>Operations</PageTitle>
          <Text c="var(--text-quiet)" maw={620}>
            How the services are doing, without user data but a masked address. Every look is
            recorded, so this page refreshes only when you ask it to.
          </Text>
        </div>
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} aria-hidden />}
          loading={isLooking}
          onClick={() => void queries.invalidateQueries({ queryKey: [OPERATORS] })}
        >
          Refresh
        </Button>
      </Group>
      <FailingWebhooksPanel />
      {SERVICES.map((service) => (
        <ServicePanel key={service} service={service} />
      ))}
      <UsersPanel />
    </Stack>
  );
}
