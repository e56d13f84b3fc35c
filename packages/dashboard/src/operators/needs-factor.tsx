import { useQuery } from '@tanstack/react-query';
import { useIssuerName } from '../account/account-queries.js';
import { sessionQuery } from '../session/session.js';
import { IconShieldLock } from '../ui/icons.js';
import { LinkButton } from '../ui/links.js';
import { MessagePage } from '../ui/message-page.js';

/** An operator without a second factor is told how to come by one. */
export function NeedsFactor() {
  const { data: user } = useQuery(sessionQuery);
  const issuer = useIssuerName(user?.origin);
  const isElsewhere = user?.has_password === false;
  return (
    <MessagePage
      title="Operators need a second factor"
      icon={<IconShieldLock size={40} stroke={1.4} aria-hidden />}
      action={
        !isElsewhere && <LinkButton to="/account">Add a second factor to your account</LinkButton>
      }
    >
      {isElsewhere
        ? `You sign in at ${issuer}, and no second factor can be shown here for such an account. Have an account with a password made an operator.`
        : 'A leaked password must not be enough to see how this installation is. Add an authenticator app or a passkey first, then come back.'}
    </MessagePage>
  );
}
