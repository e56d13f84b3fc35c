import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useIsFetching, useQueryClient } from '@tanstack/react-query';
import { useTitle } from '../ui/use-title.js';
import { FailingWebhooksPanel } from './failing-webhooks.js';
import { OPERATORS, SERVICES } from './operator-queries.js';
import { ServicePanel } from './service-panel.js';

/** How the installation is: numbers and names, and nothing that it holds of anybody. */
export function OperatorsPage() {
  useTitle('Operations');
  const queries = useQueryClient();
  const isLooking = useIsFetching({ queryKey: [OPERATORS] }) > 0;
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="end">
        <div>
          <Title order={1} size="h2">
            Operations
          </Title>
          <Text c="var(--text-quiet)" maw={620}>
            How the services are, without anything they hold. Every look is recorded, so this page
            looks when you ask it to.
          </Text>
        </div>
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} aria-hidden />}
          loading={isLooking}
          onClick={() => void queries.invalidateQueries({ queryKey: [OPERATORS] })}
        >
          Look again
        </Button>
      </Group>
      {SERVICES.map((service) => (
        <ServicePanel key={service} service={service} />
      ))}
      <FailingWebhooksPanel />
    </Stack>
  );
}
