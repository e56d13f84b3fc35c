import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from '../session/session.js';
import { PageTitle } from '../ui/text.js';
import { useTitle } from '../ui/use-title.js';
import { useIssuerName } from './account-queries.js';
import { ApiKeysSection } from './api-keys-section.js';
import { DeleteSection } from './delete-section.js';
import { ExportSection } from './export-section.js';
import { FactorsSection } from './factors-section.js';
import { PasskeysSection } from './passkeys-section.js';
import { PasswordSection } from './password-section.js';
import { ProfileSection } from './profile-section.js';
import { Section } from './section.js';
import { SessionsSection } from './sessions-section.js';

const ElsewhereSection = ({ origin }: { readonly origin: string }) => (
  <Section
    title={`You sign in at ${useIssuerName(origin)}`}
    hint="Your e-mail address, password and second factor are managed there."
  />
);

export function AccountPage() {
  useTitle('Your account');
  const { data: user } = useQuery(sessionQuery);
  return (
    <Stack gap="lg">
      <PageTitle>Your account</PageTitle>
      {user?.has_password === false ? (
        <ElsewhereSection origin={user.origin} />
      ) : (
        <>
          <ProfileSection />
          <PasswordSection />
          <FactorsSection />
          <PasskeysSection />
        </>
      )}
      <SessionsSection />
      <ApiKeysSection />
      <ExportSection />
      <DeleteSection />
    </Stack>
  );
}
