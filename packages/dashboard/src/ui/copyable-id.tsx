import { CopyButton } from './copy-button.js';
import classes from './copyable-id.module.css';

export const CopyableId = ({ id, label }: { readonly id: string; readonly label: string }) => (
  <span className={classes['id']}>
    <code>{id}</code>
    <CopyButton text={id} label={label} />
  </span>
);
