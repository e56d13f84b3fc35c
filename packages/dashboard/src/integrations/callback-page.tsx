import { Loader } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { isSignedOut } from '../api/client.js';
import { Logo } from '../app/logo.js';
import { sessionQuery } from '../session/session.js';
import { MessagePage } from '../ui/message-page.js';
import { NotFoundPage } from '../ui/not-found-page.js';
import { useTitle } from '../ui/use-title.js';
import { BegunElsewhere } from './begun-elsewhere.js';
import { providerRefusal, refusalOf } from './callback.js';
import { NothingCame, OtherAccount, Refused } from './callback-outcomes.js';
import classes from './callback-page.module.css';
import { forward } from './forward.js';
import { type ProviderWords, wordsOf } from './providers.js';
import { type Redeemed, redeem } from './redeem.js';
import { type ReturnedHere, returned } from './returned.js';

const route = getRouteApi('/connect/$provider/callback');

/** Where a provider sends the user back to. */
export function CallbackPage() {
  const { provider } = route.useParams();
  const words = wordsOf(provider);
  useTitle(words ? `Connect your ${words.name}` : 'Not found');
  return (
    <main className={classes['page']} aria-live="polite">
      <Logo />
      {words ? <Outcome words={words} /> : <NotFoundPage />}
    </main>
  );
}

function Outcome({ words }: { readonly words: ProviderWords }) {
  if (returned?.provider !== words.provider) return <NothingCame words={words} />;
  const { answer, begunHere } = returned;
  if (!begunHere) return <Forwarding words={words} returned={returned} />;
  if (answer.kind === 'code') return <Connecting words={words} returned={returned} />;
  const told = answer.error === 'access_denied' ? undefined : answer;
  return (
    <Refused words={words} refusal={providerRefusal(answer.error, words.name)} answer={told} />
  );
}

interface ReturnedProps {
  readonly words: ProviderWords;
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
  if (!isLeaving) return <BegunElsewhere words={words} answer={returned.answer} />;
  return (
    <MessagePage title="Taking you back …" icon={<Loader />}>
      You were at the provider for your {words.name}; this takes a moment.
    </MessagePage>
  );
}

function Connecting({ words, returned }: ReturnedProps) {
  const { done, error } = useRedeemed(words, returned);
  if (error !== undefined) return <Refused words={words} refusal={refusalOf(error, words.name)} />;
  if (done?.replaced !== undefined) return <OtherAccount words={words} redeemed={done} />;
  return (
    <MessagePage title={`Connecting your ${words.name} …`} icon={<Loader />}>
      You agreed at the provider; this takes a moment.
    </MessagePage>
  );
}

/** Sends the code, and goes on to the Integrations page when nothing needs to be said. */
function useRedeemed({ name }: ProviderWords, returned: ReturnedHere) {
  const queries = useQueryClient();
  const router = useRouter();
  const [outcome, setOutcome] = useState<{ done?: Redeemed; error?: unknown }>({});

  useEffect(() => {
    let isShown = true;
    const finish = async () => {
      try {
        const done = await redeem(queries, returned);
        if (!isShown) return;
        setOutcome({ done });
        if (done.replaced !== undefined) return;
        const notice = `Your ${name} is connected as ${done.account ?? 'you agreed'}.`;
        await router.navigate({ to: '/integrations', replace: true, state: { notice } });
      } catch (error) {
        if (!isShown) return;
        if (!isSignedOut(error)) return setOutcome({ error });
        queries.setQueryData(sessionQuery.queryKey, null);
        await router.invalidate(); // the route asks to sign in, and leads back here
      }
    };
    void finish();
    return () => {
      isShown = false;
    };
  }, [name, queries, returned, router]);
  return outcome;
}
