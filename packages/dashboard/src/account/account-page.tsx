import { Stack, Title } from '@mantine/core';
import { useTitle } from '../ui/use-title.js';
import { ApiKeysSection } from './api-keys-section.js';
import { DeleteSection } from './delete-section.js';
import { ExportSection } from './export-section.js';
import { PasswordSection } from './password-section.js';
import { ProfileSection } from './profile-section.js';
import { SessionsSection } from './sessions-section.js';

export function AccountPage() {
  useTitle('Your account');
  return (
    <Stack gap="lg">
      <Title order={1} size="h2">
        Your account
      </Title>
      <ProfileSection />
      <PasswordSection />
      <SessionsSection />
      <ApiKeysSection />
      <ExportSection />
      <DeleteSection />
    </Stack>
  );
}
