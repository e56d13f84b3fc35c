import { setTimeout as sleep } from 'node:timers/promises';
import { Option } from 'commander';
import type { Operation } from '../../api/answers.js';
import { type ApiContext, apiCommand } from '../../api-command.js';
import { commaSeparated, moment } from '../../arguments.js';
import { Failure } from '../../failure.js';
import { confirmed } from '../../prompt.js';
import type { World } from '../../world.js';
import { progressDisplay } from '../progress-display.js';
import { checkKinds } from './kinds.js';

const LOOK_AGAIN_MS = 500;

interface ReplayOptions {
  readonly from: Date;
  readonly to?: Date;
  readonly eventTypes?: readonly string[];
  readonly kinds?: readonly string[];
  readonly outcomes?: readonly Operation['outcomes'][number][];
  readonly yes?: boolean;
}

/** `junction deliveries replay` */
export const replayCommand = (world: World) =>
  apiCommand<ReplayOptions>(world, {
    name: 'replay',
    about: 'send the events of a span of time again, after saying how many they are',
    args: [['<webhook>', 'wh_…']],
    options: [
      new Option('--from <time>', 'from then on').argParser(moment).makeOptionMandatory(),
      ['--to <time>', 'until then; default: now', moment],
      ['--event-types <types>', 'kinds of event to send, with commas between', commaSeparated],
      ['--kinds <types>', 'the earlier name of --event-types', commaSeparated],
      [
        '--outcomes <outcomes>',
        'only what ended so; default: held,exhausted,refused',
        commaSeparated,
      ],
      ['--yes', 'do not ask'],
    ],
    examples: ['deliveries replay wh_0199… --from 2026-03-01T00:00:00Z'],
    async run(context, [id = ''], options) {
      const { api, output } = context;
      const { yes, from, to = new Date(), eventTypes = options.kinds, outcomes } = options;
      if (eventTypes) await checkKinds(api, eventTypes);
      const params = { path: { id } };
      const body = {
        from: from.toISOString(),
        to: to.toISOString(),
        ...(eventTypes && { event_types: eventTypes }),
        ...(outcomes && { outcomes }),
      };
      const preview = await api.post('/api/webhooks/{id}/replay', { params, body });
      const count = manyOf(preview);
      output.note(`${count} to send.`);
      if (preview.count === 0 && preview.count_is_exact) {
        context.show(preview, () => 'There is nothing to send again.\n');
        return;
      }
      if (!(await confirmed(world, yes, `Send ${count} again to ${id}?`))) {
        output.note('Nothing was sent.');
        return;
      }
      const confirm = { params, body: { ...body, confirm: true } };
      const begun = await api.post('/api/webhooks/{id}/replay', confirm);
      if ('operation_id' in begun) await watch(context, begun);
    },
  });

const manyOf = ({ count, count_is_exact: isExact }: Pick<Operation, 'count' | 'count_is_exact'>) =>
  `${isExact ? '' : 'at least '}${count}`;

const lineOf = (operation: Operation) => {
  const { sent, waits_until: until } = operation;
  const sentOf = `${sent} of ${manyOf(operation)} sent`;
  return until === null
    ? sentOf
    : `${sentOf}, more at ${until}: as much was sent as may be at a time`;
};

/** Shows how far it is until it ends. It goes on without whoever watches. */
async function watch(context: ApiContext, begun: Operation): Promise<void> {
  const { api, output, signal } = context;
  const told = progressDisplay<Operation & { phase: string }>(
    { json: false, output },
    { title: 'Sending …', line: lineOf },
  );
  let operation = begun;
  try {
    while (operation.status === 'running' && !signal.aborted) {
      told.tell({ ...operation, phase: operation.status });
      await sleep(LOOK_AGAIN_MS, undefined, { signal }).catch(() => undefined);
      const params = { path: { id: begun.operation_id } };
      operation = await api.get('/api/webhooks/operations/{id}', { params });
    }
  } finally {
    told.end();
  }
  const { status, reason, sent, skipped } = operation;
  context.show(operation, () => `${status}: ${sent} sent, ${skipped} skipped.\n`);
  if (status === 'running') output.note('Nobody watches any more; it goes on by itself.');
  if (status === 'cancelled') throw new Failure(`It was cancelled${reason ? `: ${reason}` : ''}.`);
}
