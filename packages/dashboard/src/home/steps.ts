export type StepName = 'connect' | 'webhook' | 'test' | 'verified';

export interface Step {
  readonly name: StepName;
  readonly title: string;
  readonly hint: string;
  readonly isDone: boolean;
}

/** Progress of an account. */
export interface Progress {
  readonly hasConnected: boolean;
  readonly hasWebhook: boolean;
  /** A request was sent to a receiver: an event that is held, or waits, is none. */
  readonly isSent: boolean;
  /** A receiver accepted one. */
  readonly isAccepted: boolean;
}

/** Returns the steps from an empty account to a receiver that accepts our requests, each with its state. */
export function stepsOf({
  hasConnected,
  hasWebhook,
  isSent,
  isAccepted,
}: Progress): readonly Step[] {
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
      isDone: hasWebhook,
    },
    {
      name: 'test',
      title: 'Have an event sent',
      hint: 'A test event shows at once what your receiver answers.',
      isDone: isSent,
    },
    {
      name: 'verified',
      title: 'Verify and accept it',
      hint: 'Check the signature, then answer with a 2xx status.',
      isDone: isAccepted,
    },
  ];
}
