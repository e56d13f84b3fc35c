import type { ReactNode } from 'react';
import classes from './facts.module.css';

export interface Fact {
  readonly term: string;
  readonly value: ReactNode;
}

/** Names and values; side by side where there is room. */
export const Facts = ({ facts }: { readonly facts: readonly Fact[] }) => (
  <dl className={classes['facts']}>
    {facts.map(({ term, value }) => (
      <div key={term}>
        <dt>{term}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);
