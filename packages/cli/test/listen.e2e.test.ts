import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { useProduct } from '@junction/demo';
import { breakableRoad, eventually, startReceiver } from '@junction/testing';
import { verify } from '@junction/webhook-signing';
import { type Developer, newDeveloper } from './developer.js';
import { junction, startJunction, values } from './junction.js';
import { type Publisher, publisher } from './operator.js';

const product = useProduct();
let person: Developer;
let userId: string;
let events: Publisher;

beforeAll(async () => {
  [person, events] = await Promise.all([newDeveloper(product()), publisher(product())]);
  userId = person.id;
});

afterAll(async () => {
  await events?.close();
});

const begin = (line: string, url = product().endpoints.gateway) =>
  startJunction(product(), line.split(' '), { JUNCTION_API_KEY: person.apiKey, JUNCTION_URL: url });
const cli = async (line: string) =>
  junction(product(), line.split(' '), { JUNCTION_API_KEY: person.apiKey });

describe('junction listen', () => {
  it('forwards an event that no webhook gets, signed, and shows the answer beside it', async () => {
    const local = await startReceiver();
    local.answer({ status: 202 });
    const target = `--forward ${local.url}/hook`;
    const listening = begin(`listen ${target} --events meeting.* -n 1 --json`);
    const people = begin(`listen ${target} --events meeting.joined -n 1 --secret mine`);
    for (const one of [listening, people]) {
      await eventually(() => expect(one.err()).toContain('Listening.'));
    }
    const data = { note: 'for Zoë only', n: 1.0 };
    await events.publish(userId, 'inbox.organized', { total_emails: 1, categorized: {} });
    await events.publish(userId, 'meeting.joined', data);
    const [ready, event] = values(await listening.ended) as [
      { secret: string },
      { body: string; message_id: string; answer: object },
    ];
    expect(event).toMatchObject({
      event_type: 'meeting.joined',
      answer: { status: 202, ms: expect.any(Number) },
    });
    const ended = await people.ended;
    expect(ended.out).toMatch(/ meeting\.joined +msg_\S+ +202 in \d+ ms\n$/);
    expect(ended.err).not.toContain('whsec_');

    expect(local.requests).toHaveLength(2);
    const accepted = local.requests.map(({ body, headers }) =>
      [ready.secret, 'mine'].map((one) => {
        try {
          return verify(body, headers, one).event_type;
        } catch {
          return 'refused';
        }
      }),
    );
    expect(new Set(accepted.map(String))).toEqual(
      new Set(['meeting.joined,refused', 'refused,meeting.joined']),
    );
    for (const { body, headers } of local.requests) {
      expect(body.toString()).toBe(event.body);
      expect(headers['webhook-id']).toBe(event.message_id);
      expect(JSON.parse(body.toString())).toMatchObject({ user_id: userId, data });
    }
    await local.close();
  });

  it.each([
    ['before anything came', []],
    ['after something came', ['a', 'b']],
  ])('goes on where it was cut off %s, and forwards each event once', async (_, before) => {
    const local = await startReceiver();
    const road = await breakableRoad(product().endpoints.gateway);
    const during = ['c', 'd', 'e'];
    const count = before.length + during.length + 1;
    const line = `listen --forward ${local.url}/hook --events draft.created -n ${count} --json`;
    const listening = begin(line, road.url);
    const publish = async (name: string) => events.publish(userId, 'draft.created', { name });
    await eventually(() => expect(listening.out()).toContain('"listening"'));
    await eventually(() => expect(listening.err()).toContain('Listening.'));
    for (const name of before) await publish(name);
    await eventually(() => expect(local.requests).toHaveLength(before.length));

    const known = await newestEvents();
    await road.break();
    await eventually(() => expect(listening.err()).toContain('The connection was lost.'));
    for (const name of during) await publish(name);
    // The product has them before anybody can be told.
    await eventually(async () =>
      expect((await newestEvents()).filter((id) => !known.includes(id))).toHaveLength(
        during.length,
      ),
    );
    await road.mend();
    await eventually(() => expect(listening.err()).toContain('Listening again.'));
    await publish('f');

    const ended = await listening.ended;
    expect(ended.code).toBe(0);
    const nameOf = (body: string) => (JSON.parse(body) as { data: { name: string } }).data.name;
    const forwarded = local.requests.map(({ body }) => nameOf(body.toString()));
    expect(forwarded).toEqual([...before, ...during, 'f']);
    const shown = values(ended).filter(({ type }) => type === 'event.received');
    expect(shown.map(({ body }) => nameOf(String(body)))).toEqual(forwarded);
    await Promise.all([road.break(), local.close()]);
  });

  /** Their ids. */
  async function newestEvents(): Promise<readonly string[]> {
    const { body } = await person.call('GET', '/api/events');
    return (body as { items: { message_id: string }[] }).items.map(({ message_id: id }) => id);
  }

  it('is not needed to try a receiver: trigger forwards an example', async () => {
    const local = await startReceiver();
    const line = `trigger draft.created --forward ${local.url}/hook --secret mine`;
    const forwarded = await cli(line);
    expect(forwarded).toMatchObject({ code: 0 });
    expect(forwarded.out).toMatch(/^200 in \d+ ms\n$/);
    const [request] = local.requests;
    expect(verify(request?.body ?? '', request?.headers ?? {}, 'mine')).toMatchObject({
      event_type: 'draft.created',
      user_id: userId,
    });
    await local.close();
    expect((await cli(line)).code).toBe(1);
  });
});
