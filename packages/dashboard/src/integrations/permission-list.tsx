import { IconCheck, IconCircleDashed, IconMinus, IconX } from '../ui/icons.js';
import classes from './integrations.module.css';
import type { Permission, PermissionState } from './permissions.js';

const STATES = {
  granted: { label: 'Granted', Icon: IconCheck },
  refused: { label: 'Not granted', Icon: IconX },
  asked: { label: 'Will be asked for', Icon: IconCircleDashed },
  absent: { label: 'Not requested', Icon: IconMinus },
} satisfies Record<PermissionState, object>;

/** The permissions of the assistant in words, granted or refused. */
export function PermissionList({ permissions }: { readonly permissions: readonly Permission[] }) {
  return (
    <ul className={classes['permissions']}>
      {permissions.map(({ scope, allows, state }) => {
        const { label, Icon } = STATES[state];
        return (
          <li key={scope} data-state={state}>
            <Icon size={18} stroke={1.8} aria-hidden />
            <div>
              {allows}
              {allows !== scope && <code>{scope}</code>}
            </div>
            <span className={classes['state']}>{label}</span>
          </li>
        );
      })}
    </ul>
  );
}
