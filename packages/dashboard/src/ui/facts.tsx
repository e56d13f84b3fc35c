import type { ReactNode } from 'react';
import classes from './facts.module.css';

export interface Fact {
  readonly term: string;
  readonly value: ReactNode;
  /** Long, such as an id: takes the room of two. */
  readonly wide?: boolean;
}

/** Names and values; side by side where there is room. */
export const Facts = ({ facts }: { readonly facts: readonly Fact[] }) => (
  <dl className={classes['facts']}>
    {facts.map(({ term, value, wide }) => (
      <div key={term} data-wide={wide}>
        <dt>{term}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);
