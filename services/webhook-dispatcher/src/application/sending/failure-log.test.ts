import { describe, expect, it } from '@jest/globals';
import { answered } from '../../../test/on-postgres.js';
import type { AttemptRecord, Job, Target } from '../job.js';
import { failureLog } from './failure-log.js';

describe('the log of failed attempts', () => {
  it('has one line for a webhook and a result in each turn, and says how many went unsaid', () => {
    const { attempt, lines, turn } = logging();
    for (let n = 0; n < 160; n++) attempt(answered(500));
    attempt(answered(503));
    attempt(answered(200));
    expect(lines).toMatchObject([
      { result: 'http_500', suppressed: 0 },
      { result: 'http_503', suppressed: 0 },
    ]);
    turn();
    attempt(answered(500));
    expect(lines[2]).toMatchObject({ result: 'http_500', suppressed: 159 });
  });

  it('has the host of the url alone, and nothing of request and answer', () => {
    const { attempt, lines } = logging();
    attempt(answered(500), { url: 'https://user:pw@r.example:8443/hooks/s3cret?token=t0ken' });
    expect(lines).toEqual([
      {
        webhook_id: 'wh_1',
        delivery_id: 'dlv_1',
        message_id: 'msg_1',
        user_id: 'u',
        host: 'r.example:8443',
        attempt: 1,
        result: 'http_500',
        status: 500,
        duration_ms: 4,
        suppressed: 0,
      },
    ]);
  });

  it('has no more than sixty lines in a turn, however many webhooks fail', () => {
    const { attempt, lines, turn } = logging();
    for (let n = 0; n < 20_000; n++) attempt(answered(500), { webhookId: `wh_${n}` });
    expect(lines).toHaveLength(60);
    turn();
    attempt(answered(500), { webhookId: 'wh_100' });
    expect(lines.at(-1)).toMatchObject({ suppressed: 1 });
  });
});

function logging() {
  const lines: object[] = [];
  const { attempted, turn } = failureLog({ warn: (line: object) => void lines.push(line) });
  const attempt = (
    record: AttemptRecord,
    { url = 'https://r.example/', webhookId = 'wh_1' } = {},
  ) => {
    const ids = { deliveryId: 'dlv_1', messageId: 'msg_1', userId: 'u' };
    const job = { ...ids, webhookId, attempt: 1 } as Job;
    attempted(job, { url } as Target, record);
  };
  return { attempt, lines, turn };
}
