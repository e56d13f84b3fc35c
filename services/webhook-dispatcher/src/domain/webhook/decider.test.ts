import { describe, it } from '@jest/globals';
import { specification } from '@junction/eventsourcing/testing';
import { type WebhookCommand, webhookDecider } from './decider.js';
import type { WebhookAsUpdated, WebhookEvent } from './events.js';
import { DEFAULT_OPTIONS, type WebhookOptions } from './options.js';

const { given } = specification(webhookDecider);

describe('configuring a url for the first time', () => {
  it('makes a webhook without a secret', () => {
    given().when(configure()).thenEvents(configured);
  });

  it('begins with the first version of the secret when one is given', () => {
    given()
      .when(configure({ secret: 'set' }))
      .thenEvents({ ...configured, data: { ...configured.data, secretVersion: 1 } });
  });
});

describe('configuring the same url again', () => {
  it('changes nothing when nothing is different', () => {
    given(configured).when(configure()).thenNothing();
  });

  it('keeps the secret when none is sent', () => {
    given(configured, updated({ hasSecret: true, secretVersion: 1 }))
      .when(configure({ events: ['draft.created'] }))
      .thenEvents(
        updated({
          events: ['draft.created'],
          hasSecret: true,
          secretVersion: 1,
          changed: ['events'],
        }),
      );
  });

  it('never gives two secrets the same version', () => {
    given(
      configured,
      updated({ hasSecret: true, secretVersion: 1 }),
      updated({ hasSecret: false, secretVersion: 1 }),
    )
      .when(configure({ secret: 'set' }))
      .thenEvents(updated({ hasSecret: true, secretVersion: 2, changed: ['secret'] }));
  });

  it('lifts a disabling, whatever the reason was', () => {
    given(configured, disabled('gone_410')).when(configure()).thenEvents(enabled);
  });

  it('is refused when the webhook was deleted meanwhile', () => {
    given(configured, deleted).when(configure()).thenRefused('webhook_not_found');
  });
});

describe('a webhook', () => {
  it('is paused and resumed', () => {
    given(configured)
      .when(change({ paused: true }))
      .thenEvents(updated({ paused: true, status: 'paused' }));
    given(configured, updated({ paused: true, status: 'paused' }))
      .when(change({ paused: false }))
      .thenEvents(updated({ paused: false }));
  });

  it('is updated when its last kind is removed, or another is added', () => {
    const [one, both] = [['inbox.organized'], ['inbox.organized', 'draft.created']];
    given(configured, updated({ events: both }))
      .when(change({ events: one }))
      .thenEvents(updated({ events: one, changed: ['events'] }));
    given(configured, updated({ events: one }))
      .when(change({ events: both }))
      .thenEvents(updated({ events: both, changed: ['events'] }));
  });

  it('is disabled by its owner', () => {
    given(configured)
      .when(change({ enabled: false }))
      .thenEvents(disabled('user'));
    given(configured, disabled('user'))
      .when(change({ paused: true }))
      .thenEvents(updated({ paused: true, status: 'disabled' }));
  });

  it('is disabled from its beginning when it is configured so', () => {
    given({ ...configured, data: { ...configured.data, enabled: false } })
      .when(change({ enabled: true }))
      .thenEvents(enabled);
  });

  it('is disabled when its receiver is gone, and can be enabled once', () => {
    const gone = { type: 'DisableWebhook', data: { reason: 'gone_410', at } } as const;
    given(configured).when(gone).thenEvents(disabled('gone_410'));
    given().when(gone).thenNothing();
    given(configured, disabled('gone_410'), enabled)
      .when(change({ enabled: true }))
      .thenNothing();
  });

  it('is disabled by an operator, whatever its owner wants, and is then as it was', () => {
    const [stop, start] = [false, true].map(
      (enabled) => ({ type: 'OperateWebhook', data: { enabled, at } }) as const,
    ) as [WebhookCommand, WebhookCommand];
    given(configured).when(stop).thenEvents(disabled('user', true));
    given(configured).when(start).thenNothing();
    given(configured, disabled('user', true)).when(stop).thenNothing();
    for (const enabling of [change({ enabled: true }), configure()]) {
      given(configured, disabled('user', true))
        .when(enabling)
        .thenRefused('webhook_disabled_by_operator');
    }
    given(configured, disabled('user', true)).when(start).thenEvents(enabled);
    given(configured, disabled('gone_410'), disabled('user', true))
      .when(start)
      .thenEvents(disabled('gone_410'));
    given(configured, deleted).when(stop).thenRefused('webhook_not_found');
  });

  it('moves to another url', () => {
    const moved = 'https://receiver.example/moved';
    given(configured)
      .when(change({ url: moved }))
      .thenEvents(updated({ url: moved, changed: ['url'] }));
    given(configured, updated({ url: moved }))
      .when(change({ url: moved }))
      .thenNothing();
  });

  it.each([[[]], [['inbox.organized', 'draft.created']], [['draft.created']]])(
    'is sent the kinds %j from now on',
    (kinds) => {
      given(configured)
        .when(change({ events: kinds }))
        .thenEvents(updated({ events: kinds, changed: ['events'] }));
    },
  );

  it('is sent other kinds when one of several is another', () => {
    given(configured, updated({ events: ['inbox.organized', 'draft.created'] }))
      .when(change({ events: ['inbox.organized', 'meeting.joined'] }))
      .thenEvents(updated({ events: ['inbox.organized', 'meeting.joined'], changed: ['events'] }));
  });

  it('is deleted', () => {
    given(configured)
      .when({ type: 'DeleteWebhook', data: { reason: 'user', at } })
      .thenEvents(deleted);
  });

  it('keeps the first reason of its disabling', () => {
    given(configured, disabled('gone_410'))
      .when(change({ enabled: false }))
      .thenNothing();
    given(configured, disabled('user'))
      .when({ type: 'DisableWebhook', data: { reason: 'gone_410', at } })
      .thenNothing();
  });

  it('loses its secret only once', () => {
    given(configured, updated({ hasSecret: true, secretVersion: 1 }))
      .when(change({ secret: 'delete' }))
      .thenEvents(updated({ hasSecret: false, secretVersion: 1, changed: ['secret'] }));
    given(configured)
      .when(change({ secret: 'delete' }))
      .thenNothing();
    given({ ...configured, data: { ...configured.data, secretVersion: 1 } })
      .when(change({ secret: 'delete' }))
      .thenEvents(updated({ hasSecret: false, secretVersion: 1, changed: ['secret'] }));
  });
});

describe('a change of a webhook that its owner is mailed about', () => {
  it('names what is other than before, and nothing else', () => {
    const moved = 'https://receiver.example/moved';
    given(configured)
      .when(change({ url: moved, events: ['draft.created'], secret: 'set' }))
      .thenEvents(
        updated({
          url: moved,
          events: ['draft.created'],
          hasSecret: true,
          secretVersion: 1,
          changed: ['url', 'events', 'secret'],
        }),
      );
    given(configured)
      .when(change({ url, events, paused: true }))
      .thenEvents(updated({ paused: true, status: 'paused' }));
  });

  it('is known again from none of the options', () => {
    given(configured, options({ headerNames: ['X-A'], headersVersion: 1 }, ['headers']))
      .when(change({ options: { ordered: true } }))
      .thenEvents(options({ ordered: true, headerNames: ['X-A'], headersVersion: 1 }));
  });
});

describe('the options of a webhook', () => {
  it('are an event when it is created with some, and not otherwise', () => {
    given()
      .when(configure({ options: { ordered: true } }))
      .thenEvents(configured, options({ ordered: true }));
    given()
      .when(configure({ options: { ordered: false, headerNames: [] } }))
      .thenEvents(configured);
  });

  it('change one by one, and stay as they are when nothing is said of them', () => {
    given(configured, options({ ordered: true, rateLimit: 5 }))
      .when(change({ options: { rateLimit: null, retrySchedule: [1, 2] } }))
      .thenEvents(options({ ordered: true, retrySchedule: [1, 2] }));
    given(configured, options({ ordered: true }))
      .when(configure())
      .thenNothing();
  });

  it('have no metadata when they were stored before there were any', () => {
    const { metadata: _, ...data } = { ...about, ...DEFAULT_OPTIONS, ordered: true };
    const before: WebhookEvent = { type: 'webhook.options_changed', data };
    given(configured, before)
      .when(change({ options: { metadata: null } }))
      .thenNothing();
    given(configured, before)
      .when(change({ options: { metadata: '{"shop":"17"}' } }))
      .thenEvents(options({ ordered: true, metadata: '{"shop":"17"}' }));
  });

  it('have the signature hmac when they were stored before there was a choice', () => {
    const { signature: _, ...data } = { ...about, ...DEFAULT_OPTIONS, ordered: true };
    const before: WebhookEvent = { type: 'webhook.options_changed', data };
    given(configured, before)
      .when(change({ options: { signature: 'hmac' } }))
      .thenNothing();
    given(configured, before)
      .when(change({ options: { signature: 'ed25519' } }))
      .thenEvents(options({ ordered: true, signature: 'ed25519' }));
  });

  it('never give two sets of headers the same version', () => {
    given(configured, options({ headerNames: ['X-A'], headersVersion: 1 }))
      .when(change({ options: { headerNames: ['X-A'] } }))
      .thenEvents(options({ headerNames: ['X-A'], headersVersion: 2 }, ['headers']));
    given(configured, options({ headerNames: ['X-A'], headersVersion: 1 }))
      .when(change({ options: { headerNames: [] } }))
      .thenEvents(options({ headersVersion: 2 }, ['headers']));
    given(configured)
      .when(change({ options: { headerNames: ['X-A'] } }))
      .thenEvents(options({ headerNames: ['X-A'], headersVersion: 1 }, ['headers']));
  });
});

describe('rotating the secret', () => {
  it('lets the one before sign on for a while', () => {
    given(configured, updated({ hasSecret: true, secretVersion: 1 }))
      .when(rotate)
      .thenEvents(rotated(2, tomorrow));
  });

  it('gives a first one to a webhook that has none', () => {
    given(configured).when(rotate).thenEvents(rotated(1, null));
  });

  it('counts on after it', () => {
    given(configured, rotated(1, null))
      .when(change({ secret: 'set' }))
      .thenEvents(updated({ hasSecret: true, secretVersion: 2, changed: ['secret'] }));
    given(configured, rotated(1, null)).when(rotate).thenEvents(rotated(2, tomorrow));
  });

  it('is refused when the webhook is gone', () => {
    given(configured, deleted).when(rotate).thenRefused('webhook_not_found');
  });
});

describe('a deleted webhook', () => {
  it('stays deleted', () => {
    given(configured, deleted)
      .when({ type: 'DeleteWebhook', data: { reason: 'user', at } })
      .thenNothing();
    given(configured, deleted)
      .when({ type: 'DisableWebhook', data: { reason: 'gone_410', at } })
      .thenNothing();
    given(configured, deleted)
      .when(change({ paused: true }))
      .thenRefused('webhook_not_found');
  });
});

const userId = '8a5bfb6c-0a3a-4c39-9b1c-0f6f6a4f4d7e';
const at = '2030-01-01T00:00:00.000Z';
const about = { userId, at };
const url = 'https://receiver.example/hook';
const events = ['inbox.organized'];

const configured = {
  type: 'webhook.configured',
  data: { ...about, url, events, enabled: true, secretVersion: 0 },
} as const satisfies WebhookEvent;
const enabled: WebhookEvent = { type: 'webhook.enabled', data: about };
const deleted: WebhookEvent = { type: 'webhook.deleted', data: { ...about, reason: 'user' } };

const tomorrow = '2030-01-02T00:00:00.000Z';
const rotate: WebhookCommand = { type: 'RotateSecret', data: { previousExpiresAt: tomorrow, at } };

type Data<Type> = Partial<Extract<WebhookCommand, { type: Type }>['data']>;

function configure(data: Data<'ConfigureWebhook'> = {}): WebhookCommand {
  return {
    type: 'ConfigureWebhook',
    data: { userId, url, events, enabled: true, secret: 'keep', at, ...data },
  };
}

function change(data: Data<'ChangeWebhook'>): WebhookCommand {
  return { type: 'ChangeWebhook', data: { secret: 'keep', at, ...data } };
}

function updated(changes: Partial<WebhookAsUpdated & { url: string }>): WebhookEvent {
  const as: WebhookAsUpdated & { url?: string } = {
    events,
    paused: false,
    hasSecret: false,
    secretVersion: 0,
    status: 'active',
    ...changes,
  };
  return { type: 'webhook.updated', data: { ...about, ...as } };
}

function disabled(reason: 'user' | 'gone_410', byOperator?: true): WebhookEvent {
  return {
    type: 'webhook.disabled',
    data: { ...about, reason, ...(byOperator && { byOperator }) },
  };
}

function options(changes: Partial<WebhookOptions>, changed?: readonly ['headers']): WebhookEvent {
  const data = { ...about, ...DEFAULT_OPTIONS, ...changes, ...(changed && { changed }) };
  return { type: 'webhook.options_changed', data };
}

function rotated(secretVersion: number, previousExpiresAt: string | null): WebhookEvent {
  return { type: 'webhook.secret_rotated', data: { ...about, secretVersion, previousExpiresAt } };
}
