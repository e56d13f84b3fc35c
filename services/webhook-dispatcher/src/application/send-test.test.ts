import { describe, expect, it } from '@jest/globals';
import type { Ports } from './ports.js';
import { sendTest } from './send-test.js';
import type { WebhookOwner } from './unit-of-work.js';

describe('a test', () => {
  it('is sent at once: the replica of its webhook hears of it once it is committed', async () => {
    const done: string[] = [];
    const ports = {
      webhooks: { byId: async () => ({ status: 'active' }) },
      tests: {
        async send() {
          await new Promise(setImmediate);
          done.push('committed');
          return { deliveryId: 'dlv_1', messageId: 'msg_1' };
        },
      },
      webhookChanged: ({ webhookId }: WebhookOwner) => void done.push(`told of ${webhookId}`),
    } as unknown as Ports;
    const sent = await sendTest(ports)('ada', 'wh_1', 'inbox.organized');
    expect(sent).toEqual({ deliveryId: 'dlv_1', messageId: 'msg_1' });
    expect(done).toEqual(['committed', 'told of wh_1']);
  });
});
