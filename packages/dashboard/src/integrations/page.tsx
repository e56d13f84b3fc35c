import { Title } from '@mantine/core';
import { useTitle } from '../ui/use-title.js';

export function IntegrationsPage() {
  useTitle('Integrations');
  return <Title order={1}>Integrations</Title>;
}
