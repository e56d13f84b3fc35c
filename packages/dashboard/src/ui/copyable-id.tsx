import { CopyButton } from './copy-button.js';
import classes from './copyable-id.module.css';

export interface CopyableIdProps {
  readonly id: string;
  readonly label: string;
}

export const CopyableId = ({ id, label }: CopyableIdProps) => (
  <span className={classes['id']}>
    <code>{id}</code>
    <CopyButton text={id} label={label} />
  </span>
);
