import classes from './entry-picture.module.css';

/** A mailbox and a calendar that come together here, and signed events that go out to receivers. */
export const EntryPicture = () => (
  <svg className={classes['picture']} viewBox="0 0 416 112" aria-hidden>
    <path
      className={classes['way']}
      d="M72 28h40q24 0 24 28M72 84h40q24 0 24-28M256 56h44q20 0 20-28h16M256 56h44q20 0 20 28h16M136 56h40"
    />
    <g className={classes['thing']}>
      <rect x="16" y="8" width="56" height="40" rx="6" />
      <path d="m16 14 28 20 28-20" />
      <rect x="16" y="64" width="56" height="40" rx="6" />
      <path d="M16 76h56M30 60v8M58 60v8" />
      <rect x="336" y="8" width="64" height="40" rx="6" />
      <rect x="336" y="64" width="64" height="40" rx="6" />
    </g>
    <path className={classes['good']} d="m356 28 8 8 16-16M356 84l8 8 16-16" />
    <rect className={classes['junction']} x="176" y="24" width="80" height="64" rx="14" />
    <path
      className={classes['key']}
      d="M198 56h14m8 0a8 8 0 1 0 16 0a8 8 0 1 0-16 0m-8 0h8m-14 0v7m-8-7v5"
    />
  </svg>
);
