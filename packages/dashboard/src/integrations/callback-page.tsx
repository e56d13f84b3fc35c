import { Loader } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { isSignedOut } from '../api/client.js';
import type { Client } from '../api/types.js';
import { sessionQuery } from '../session/session.js';
import { SignInPage } from '../session/sign-in-page.js';
import { wordsFor } from '../ui/form-problem.js';
import { LoadingPage } from '../ui/loading-page.js';
import { Logo } from '../ui/logo.js';
import { MessagePage } from '../ui/message-page.js';
import { NotFoundPage } from '../ui/not-found-page.js';
import { useTitle } from '../ui/use-title.js';
import { BegunElsewhere } from './begun-elsewhere.js';
import { clientOf, isSameClient, providerRefusal, refusalOf } from './callback.js';
import { NothingCame, Refused } from './callback-outcomes.js';
import classes from './callback-page.module.css';
import { forward } from './forward.js';
import { type KindWords, wordsOf } from './kinds.js';
import { redeem } from './redeem.js';
import { type ReturnedHere, returned } from './returned.js';

const route = getRouteApi('/connect/$identityProvider/$provider/callback');

/** The page to which an identity provider sends the user back. */
export function CallbackPage() {
  const { identityProvider, provider } = route.useParams();
  const client = clientOf(identityProvider, provider);
  const words = client && wordsOf(client.provider);
  useTitle(words ? `Connect your ${words.name}` : 'Not found');
  const { isAsked, isMissing, refetch } = useNeededSession(client);
  if (isAsked) return <LoadingPage />;
  // The form stands here, because another page would not have the answer any more.
  if (isMissing) return <SignInPage onSignedIn={() => void refetch()} />;
  return (
    <main className={classes['page']} aria-live="polite">
      <Logo />
      {words ? <Outcome words={words} client={client} /> : <NotFoundPage />}
    </main>
  );
}

/** Only an answer that was begun in this tab needs a session; another one is shown, or forwarded. */
function useNeededSession(client: Client | undefined) {
  const isNeeded = returned?.begunHere === true && client && isSameClient(returned.client, client);
  const { data: user, refetch } = useQuery({ ...sessionQuery, enabled: isNeeded === true });
  return { isAsked: isNeeded && user === undefined, isMissing: isNeeded && user === null, refetch };
}

function Outcome({ words, client }: { readonly words: KindWords; readonly client: Client }) {
  if (!returned || !isSameClient(returned.client, client)) return <NothingCame words={words} />;
  const { answer, begunHere } = returned;
  if (!begunHere) return <Forwarding words={words} returned={returned} />;
  if (answer.kind === 'code') return <Connecting words={words} returned={returned} />;
  const refusal = providerRefusal(answer.error);
  const told = answer.error === 'access_denied' ? undefined : answer;
  return <Refused words={words} client={client} refusal={refusal} answer={told} />;
}

interface ReturnedProps {
  readonly words: KindWords;
  readonly returned: ReturnedHere;
}

/** Takes the user back to the application that started it, if its address is known. */
function Forwarding({ words, returned }: ReturnedProps) {
  const [isLeaving, setLeaving] = useState(true);
  useEffect(() => {
    let isShown = true;
    void forward(returned).then((leaves) => {
      if (isShown) setLeaving(leaves);
    });
    return () => {
      isShown = false;
    };
  }, [returned]);
  if (!isLeaving) return <BegunElsewhere words={words} returned={returned} />;
  return (
    <MessagePage title="Taking you back …" icon={<Loader />}>
      You come from the provider of your {words.name}. This takes a moment.
    </MessagePage>
  );
}

function Connecting({ words, returned }: ReturnedProps) {
  const error = useRedeemed(words, returned);
  if (error !== undefined) {
    const refusal = refusalOf(error, words.name) ?? wordsFor(error);
    return <Refused words={words} client={returned.client} refusal={refusal} />;
  }
  return (
    <MessagePage title={`Connecting your ${words.name} …`} icon={<Loader />}>
      You agreed at the provider. This takes a moment.
    </MessagePage>
  );
}

/** Sends the code, and goes on to the Integrations page. Gives the error that prevented it. */
function useRedeemed({ name }: KindWords, returned: ReturnedHere): unknown {
  const queries = useQueryClient();
  const router = useRouter();
  const [error, setError] = useState<unknown>();

  useEffect(() => {
    let isShown = true;
    const finish = async () => {
      try {
        const account = await redeem(queries, returned);
        if (!isShown) return;
        const notice = `Your ${name} is connected as ${account}.`;
        await router.navigate({ to: '/integrations', replace: true, state: { notice } });
      } catch (error) {
        if (!isShown) return;
        if (!isSignedOut(error)) return setError(error);
        queries.setQueryData(sessionQuery.queryKey, null); // the page asks to sign in
      }
    };
    void finish();
    return () => {
      isShown = false;
    };
  }, [name, queries, returned, router]);
  return error;
}
