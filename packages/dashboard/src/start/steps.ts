import type { Start } from './start-query.js';

export type StepName = 'connect' | 'webhook' | 'test' | 'verified';

export interface Step {
  readonly name: StepName;
  readonly title: string;
  readonly hint: string;
  readonly isDone: boolean;
}

/** Returns the steps from an empty account to a receiver that accepts our requests, each with its state. */
export function stepsOf(hasConnected: boolean, start: Start): readonly Step[] {
  return [
    {
      name: 'connect',
      title: 'Connect an account',
      hint: 'A mailbox or calendar for the assistant to work with.',
      isDone: hasConnected,
    },
    {
      name: 'webhook',
      title: 'Add a webhook',
      hint: 'The address your events are sent to.',
      isDone: start.webhookId !== undefined,
    },
    {
      name: 'test',
      title: 'Send a test event',
      hint: 'See at once what your receiver answered.',
      isDone: start.isSent,
    },
    {
      name: 'verified',
      title: 'Verify and accept it',
      hint: 'Check the signature, then answer with a 2xx status.',
      isDone: start.isAccepted,
    },
  ];
}
