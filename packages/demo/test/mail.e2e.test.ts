import { beforeAll, expect, it } from '@jest/globals';
import { kafkaProducer } from '@junction/producer';
import { apiAt, type Call, eventually, startReceiver } from '@junction/testing';
import { useProduct } from '../src/index.js';
import { signUp } from '../src/person.js';

const MAILED_WITHIN_MS = 60_000;

const product = useProduct();
let api: Call;

beforeAll(() => {
  api = apiAt(product().endpoints.gateway);
});

it('mail reaches the development mail server, with a link into the product', async () => {
  const { email } = await signUp(api);
  const { links } = await mailTo(email, 'Verify your e-mail address');
  expect(links[0]).toMatch(new RegExp(`^${product().endpoints.gateway}/verify-email#token=`));
});

it('a webhook that is disabled is mailed to its owner, until one click stops such mails', async () => {
  const gone = await startReceiver();
  gone.answer({ status: 410 });
  const brokers = [product().endpoints.kafka];
  const producer = await kafkaProducer({ brokers, source: '/e2e' });
  try {
    const ada = await signUp(api);
    const webhook = { url: gone.url, events: ['draft.created'], enabled: true };
    const made = await ada.call('POST', '/api/webhooks/configure', { json: webhook });
    expect(made.status).toBe(201);
    const [verify = ''] = (await mailTo(ada.email, 'Verify your e-mail address')).links;
    const json = { token: verify.split('#token=')[1], password: ada.password };
    expect((await api('POST', '/api/auth/verify-email', { json })).status).toBe(204);
    await producer.publish({ type: 'draft.created', userId: ada.id, data: {} });

    const { links, text, unsubscribe = '' } = await mailTo(ada.email, 'A webhook was disabled');
    // No mail client makes a link of a name: signs and digits have a zero-width non-joiner behind them.
    expect(text.replaceAll('\u200c', '')).toContain(
      `Your webhook at ${new URL(gone.url).host} was disabled on `,
    );
    expect(links[0]).toMatch(new RegExp(`^${product().endpoints.gateway}/webhooks/wh_`));
    const { pathname, search } = new URL(unsubscribe);
    const page = await api('GET', pathname + search);
    expect([page.status, page.headers.get('location')]).toEqual([303, links.at(-1)]);
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const click = { text: 'List-Unsubscribe=One-Click', headers: form };
    expect((await api('POST', pathname + search, click)).status).toBe(204);
    const me = await ada.call('GET', '/api/auth/me');
    expect(me.body).toMatchObject({ user: { trouble_mails: false } });
    const again = await ada.call('PATCH', '/api/auth/me', { json: { trouble_mails: true } });
    expect(again).toMatchObject({ status: 200, body: { user: { trouble_mails: true } } });
  } finally {
    await producer.close();
    await gone.close();
  }
});

interface Mail {
  readonly subject: string;
  readonly text: string;
  readonly links: readonly string[];
  readonly unsubscribe?: string;
}

const mailTo = (email: string, subject: string): Promise<Mail> =>
  eventually(
    async () => {
      const { mail } = product().endpoints;
      const answer = await fetch(`${mail}/mails.json?to=${encodeURIComponent(email)}`);
      const { items } = (await answer.json()) as { items: readonly Mail[] };
      const found = items.find((one) => one.subject === subject);
      if (found === undefined) throw new Error(`${email} has no mail "${subject}".`);
      return found;
    },
    { deadlineMs: MAILED_WITHIN_MS },
  );
