/** Message of an answer of server-sent events. */
export interface SentEvent {
  readonly id: string | undefined;
  readonly type: string;
  readonly data: Record<string, unknown>;
}

/** Returns the messages in an answer of server-sent events of ours, which have one line of data each. */
export const eventsIn = (text: string): readonly SentEvent[] =>
  [...text.matchAll(/(?:^id: (.+)\n)?^event: (.+)\n^data: (.+)\n\n/gm)].map(
    ([, id, type = '', data = '{}']) => ({
      id,
      type,
      data: JSON.parse(data) as Record<string, unknown>,
    }),
  );
