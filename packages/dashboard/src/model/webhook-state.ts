import type { Webhook } from '../api/types.js';
import type { Tone } from '../ui/tone.js';
import { resultWords } from './result-words.js';

/** States of a webhook, as the API, the command and every page name them. */
export const STATES = {
  failing: 'Failing',
  active: 'Active',
  paused: 'Paused',
  disabled: 'Disabled',
} as const;

export type State = keyof typeof STATES;

export const STATE_TONES: Readonly<Record<State, Tone>> = {
  failing: 'bad',
  active: 'good',
  paused: 'waiting',
  disabled: 'neutral',
};

/** The state of a webhook, for a reader who does not know circuits and 410s. */
export interface StateWords {
  readonly tone: Tone;
  /** Begins with the name of the state, so that a list of the state holds what it says. */
  readonly label: string;
  /** Explanation of the state and of what to do; undefined while all is well. */
  readonly explanation?: string;
  /** Time since which it is so, where that matters. */
  readonly since?: string;
}

export function stateWords(webhook: Webhook): StateWords {
  const { state, disabled_reason: reason = 'user', disabled_at: disabledAt, failing } = webhook;
  const words = { tone: STATE_TONES[state], label: STATES[state] };
  switch (state) {
    case 'disabled':
      return { ...words, ...DISABLED[reason], ...(disabledAt && { since: disabledAt }) };
    case 'paused':
      if (webhook.paused_by === 'operator') return { ...words, ...PAUSED_BY_OPERATOR };
      return { ...words, explanation: 'New events wait, and are sent as soon as you resume.' };
    case 'failing':
      return {
        ...words,
        explanation: failing
          ? resultWords(failing.reason).long
          : 'Nearly all recent attempts failed.',
        since: failing?.since ?? webhook.circuit?.opened_at ?? webhook.updated_at,
      };
    case 'active':
      return words;
  }
}

/** Returns whether nothing gets through until its owner, or the owner of its receiver, does something. */
export const needsOwner = ({ state, disabled_reason: reason }: Webhook): boolean =>
  state === 'failing' || (reason !== undefined && reason !== 'user');

const PAUSED_BY_OPERATOR = {
  label: 'Paused by an operator',
  explanation:
    'An operator of this installation has paused sending here. Events wait, use up no attempts, and are sent in order as soon as the operator resumes. Ask them why.',
};

const DISABLED = {
  gone_410: {
    tone: 'bad',
    label: 'Disabled: receiver gone',
    explanation:
      'The receiver answered 410 Gone, which asks us not to send there again. Events are held and not sent. Enable the webhook once the receiver is back.',
  },
  failing: {
    tone: 'bad',
    label: 'Disabled: failing',
    explanation:
      'Every attempt failed for days, so we stopped. Events are held and not sent. Enable the webhook once the receiver works again.',
  },
  operator: {
    tone: 'bad',
    label: 'Disabled by an operator',
    explanation:
      'An operator of this installation has disabled the webhook, and only an operator can enable it. Events are held and not sent. Ask them why.',
  },
  user: {
    label: 'Disabled by you',
    explanation:
      'Nothing is sent. New events are held, and when you enable the webhook you choose whether to send them.',
  },
} as const satisfies Record<string, Partial<StateWords>>;
