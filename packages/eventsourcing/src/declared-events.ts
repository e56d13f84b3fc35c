import type { Event } from './decider.js';
import { type Schema, schema } from './event-codec.js';

/** Schemas of the data of events, by the types of the events. */
export type Declared = Readonly<
  Record<string, { parse(data: unknown): object; readonly shape: Readonly<Record<string, object>> }>
>;

type Immutable<Value> = Value extends readonly unknown[] | object
  ? { readonly [Key in keyof Value]: Immutable<Value[Key]> }
  : Value;

type DataBy<Parses> = Parses extends { parse(data: unknown): infer Data extends object }
  ? Immutable<Data>
  : never;

/** Events as their schemas declare them: nothing else says which fields they have. */
export type EventsOf<Events extends Declared> = {
  [Type in keyof Events & string]: Event<Type, DataBy<Events[Type]>>;
}[keyof Events & string];

/** Returns the schemas for a codec of events that have one version each. */
export const schemasOf = <Events extends Declared>(events: Events) =>
  Object.fromEntries(
    Object.entries(events).map(([type, { parse }]) => [type, schema(parse)]),
  ) as unknown as { readonly [Type in keyof Events]: Schema<DataBy<Events[Type]>> };

const marked = new WeakSet<object>();

/** Marks a field of an event as personal, so that it is stored sealed. A mark stays for as long as the field. */
export function personal<Field extends object>(field: Field): Field {
  marked.add(field);
  return field;
}

/** Returns the names of the personal fields of each event. */
export const personalIn = (events: Declared): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    Object.entries(events).map(([type, { shape }]) => [
      type,
      Object.entries(shape).flatMap(([name, field]) => (marked.has(field) ? [name] : [])),
    ]),
  );
