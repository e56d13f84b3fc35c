import { z } from 'zod';
import { EVENT_KINDS } from '../event-kinds.js';
import { DATA_BYTES_MAX } from '../event-problem.js';
import { noticeSchemas } from '../notice-kinds.js';

const KINDS_MAX = 200;
const DESCRIPTION_CHARS_MAX = 500;
const NAME_CHARS_MAX = 64;
/** As the five are named: a noun, a dot, and what happened to it. */
const NAME = /^[a-z][a-z0-9]*(_[a-z0-9]+)*\.[a-z][a-z0-9]*(_[a-z0-9]+)*$/;

const groupOf = (kind: string) => kind.split('.', 1)[0];
/** Groups whose kinds only our own services write. */
const RESERVED = new Set(Object.keys(noticeSchemas).map(groupOf));

const object = z.record(z.string(), z.unknown(), { error: 'must be there, as an object.' });
const entry = z.strictObject(
  {
    description: z
      .string({ error: 'must be there, as a text.' })
      .trim()
      .min(1, 'must say when the event is sent.')
      .max(DESCRIPTION_CHARS_MAX, `must have at most ${DESCRIPTION_CHARS_MAX} characters.`),
    opt_in: z.boolean({ error: 'must be true or false.' }).default(false),
    schema: object,
    example: object.refine(
      (example) => Buffer.byteLength(JSON.stringify(example)) <= DATA_BYTES_MAX,
      `must have at most ${DATA_BYTES_MAX} bytes, as data may.`,
    ),
  },
  { error: ofFields('description, opt_in, schema and example') },
);

const name = z.string().superRefine((name, context) => {
  const message = mistakeIn(name);
  if (message !== undefined) context.addIssue(message);
});

const kinds = z
  .record(name, entry, {
    error: ({ code, issues }) =>
      (code === 'invalid_key' && issues[0]?.message) ||
      'must be there: the kinds, each by its name.',
  })
  .refine(
    (kinds) => Object.keys(kinds).length <= KINDS_MAX,
    `must hold at most ${KINDS_MAX} kinds.`,
  );

/** Contents of EVENT_TYPES_FILE, as a list of kinds. */
export const fileSchema = z
  .strictObject({ event_types: kinds }, { error: ofFields('event_types') })
  .transform(({ event_types: kinds }) =>
    Object.entries(kinds).map(([kind, { opt_in: isOptIn, ...rest }]) => ({
      kind,
      isOptIn,
      ...rest,
    })),
  );

function mistakeIn(name: string): string | undefined {
  if (!NAME.test(name) || name.length > NAME_CHARS_MAX)
    return `must be named by a noun, a dot and a verb in the past tense, such as invoice.paid: small letters, digits and underscores, at most ${NAME_CHARS_MAX}.`;
  if ((EVENT_KINDS as readonly string[]).includes(name))
    return 'is a kind of the interface, which stays as it is. Choose another name.';
  const group = groupOf(name);
  if (RESERVED.has(group))
    return `must not begin with ${group}., which is for notices of the service. Choose another noun.`;
  return undefined;
}

function ofFields(fields: string) {
  return ({ code, keys = [] }: { readonly code: string; readonly keys?: readonly string[] }) =>
    code === 'unrecognized_keys'
      ? `has no field ${keys.join(', ')}: the fields are ${fields}.`
      : `must be an object with ${fields}.`;
}
