import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { FormProblem } from '../ui/form-problem.js';
import { LinkAnchor, LinkButton, SignInLink } from '../ui/links.js';
import { useTitle } from '../ui/use-title.js';
import { MailedPage } from './mailed-page.js';
import { mailedToken } from './mailed-token.js';
import { RegistrantForms } from './registrant-forms.js';
import { isAboutRegistrant, type Verified, verificationQuery } from './verification.js';

/**
 * Verifies at once in a session of the account, and asks for a proof without one: a mail filter that opens the link
 * has neither.
 */
export function VerifyEmailPage() {
  useTitle('Confirm your address');
  const { data, error } = useQuery({ ...verificationQuery, enabled: mailedToken !== undefined });
  const [shown, setShown] = useState<Verified>();
  const verified = data ?? shown;

  return (
    <MailedPage
      title={verified ? TITLES[verified] : 'Confirm your address'}
      outcome={
        <>
          {verified && <Text mt="md">{DONE[verified]}</Text>}
          {mailedToken === undefined && <Text mt="md">{BROKEN}</Text>}
        </>
      }
      footer={<LinkAnchor to="/account">Your account</LinkAnchor>}
    >
      {verified === 'kept' && <LinkButton to="/">Continue</LinkButton>}
      {verified === 'begun_anew' && <SignInLink />}
      {!verified && isAboutRegistrant(error) && (
        <RegistrantForms code={error.problem.code} onVerified={setShown} />
      )}
      {!verified && !isAboutRegistrant(error) && <FormProblem error={error} fields={[]} />}
    </MailedPage>
  );
}

const TITLES: Readonly<Record<Verified, string>> = {
  kept: 'Your address is confirmed',
  begun_anew: 'Your account begins anew',
};
const DONE: Readonly<Record<Verified, string>> = {
  kept: 'We write to it about your account.',
  begun_anew: 'Nothing is left of the account before it. Sign in with your new password.',
};
const BROKEN =
  'This link is incomplete. Open it again from the message, or ask for a new one in your account.';
